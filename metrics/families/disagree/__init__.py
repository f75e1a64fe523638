"""disagree: whether the judges agree, and which items cannot be trusted."""
