"""Plays interruptions as AWS announces them, and observes drains, pods and deadlines."""
