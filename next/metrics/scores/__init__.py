"""scores: intervals and comparisons for numbers people already have."""
