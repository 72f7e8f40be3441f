"""Interruptions as AWS announces them: who drains, where pods go, and whether it was in time."""
