"""Intervals, tests, counts and agreement."""
