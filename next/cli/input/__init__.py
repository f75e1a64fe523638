"""From files to the long table that a family scores."""
