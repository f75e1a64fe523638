"""Sample tables, one folder for each input of a family."""
