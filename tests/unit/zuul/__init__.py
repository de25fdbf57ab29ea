"""Zuul's jobs, and all that they refer to."""
