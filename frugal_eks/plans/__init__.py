"""A preview read once: its risks, its cost, its rules, and the comment that says so."""
