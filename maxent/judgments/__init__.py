"""Uncertain grades: unjudged documents, and assessors who disagree."""
