"""collective: whether an ensemble is more than its best member."""
