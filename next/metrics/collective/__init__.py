"""collective: is an ensemble more than its best member."""
