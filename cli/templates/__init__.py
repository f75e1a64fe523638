"""Templates: for each command tables that can be filled in, with an example that can be scored as it is."""
