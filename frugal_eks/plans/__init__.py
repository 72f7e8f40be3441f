"""Reads a preview once, for risks, cost, policy rules and the review comment."""
