"""Differences that are only rounding errors."""

TIES = 6  # decimals that rankings use: solutions reproduce a value to about 1e-8, and ties must stay ties
ROUNDING = 10.0**-TIES  # a difference up to this is none
