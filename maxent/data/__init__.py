"""Runs and relevance judgments: read, simulated, turned into arrays of grades, evaluated."""
