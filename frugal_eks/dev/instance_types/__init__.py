"""Asks EC2 for its instance types and keeps the list that ships."""
