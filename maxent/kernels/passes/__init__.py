"""The mathematics: the equations over the ranks, as numpy functions of one rank."""
