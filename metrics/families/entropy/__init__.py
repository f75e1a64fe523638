"""entropy: how much texts say, how much they repeat themselves and each other."""
