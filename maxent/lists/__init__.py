"""Maximum entropy over whole lists: every list with the counts has a probability."""
