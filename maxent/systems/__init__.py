"""Comparisons of systems by measures: discriminative power, agreement of rankings, incomplete judgments."""
