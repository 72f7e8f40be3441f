"""Kubernetes itself: its quantities, labels and objects, and access to its API."""
