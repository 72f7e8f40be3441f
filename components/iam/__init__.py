"""Roles of AWS services and of pods."""
