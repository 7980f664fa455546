"""Systems compared by the values of measures: significance, agreement of rankings, incomplete judgments."""
