"""entropy: is a text informative or repetitive."""
