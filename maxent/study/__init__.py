"""What the value of a measure says about a list: informativeness, predicted measures, the choice of g."""
