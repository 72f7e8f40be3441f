"""Writes the pages that are made of the program itself: the stack file's, and one a component."""
