"""Runs and relevance judgments: files, simulation, arrays of grades, values of measures."""
