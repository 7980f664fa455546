"""Intervals, tests, and corrections of p-values."""
