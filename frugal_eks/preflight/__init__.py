"""Checks a stack file against an account before `pulumi up` creates anything."""
