"""diversity: rankings that cover what users meant."""
