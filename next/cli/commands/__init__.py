"""The commands, each a thin shell over a function."""
