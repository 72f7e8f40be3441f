"""What goes wrong with an estimate."""


class CostError(Exception):
    """One sentence: what is wrong, where, and what to do."""
