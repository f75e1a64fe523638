"""mode-collapse: how evenly a model chooses among options."""
