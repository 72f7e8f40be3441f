"""Measures how long the program and AWS take: `python -m rehearsal.bench`."""
