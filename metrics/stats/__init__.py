"""Statistics that every family may use: intervals, tests, agreement, concentration."""
