"""Loops in Python that become machine code."""
