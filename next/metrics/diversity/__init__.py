"""diversity: how many sides of a query a ranking covers."""
