"""Grades that are uncertain: unjudged documents, and assessors who differ."""
