"""Reads EC2's instance types, and updates the lists that ship."""
