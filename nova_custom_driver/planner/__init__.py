"""Decisions: Nova's objects and the host's facts become a guest's plan."""
