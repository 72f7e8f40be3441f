"""Breaks the program in sampled places, and tells which changes no test notices."""
