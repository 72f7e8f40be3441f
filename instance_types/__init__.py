"""Asks EC2 for its instance types and keeps the list that ships: `python -m instance_types`."""
