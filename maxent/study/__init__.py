"""Studies of what a measure's value says about a list: informativeness, predicted measures, the choice of g."""
