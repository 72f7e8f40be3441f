"""Workloads to try a stack with."""
