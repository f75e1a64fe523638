"""Reading: one file in, its tables out, every cell text."""
