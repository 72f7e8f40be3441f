"""Writes pages from the program itself: the stack file's reference, and a page for each
component.
"""
