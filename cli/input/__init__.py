"""Input: which files there are, what they hold, which column is which."""
