"""disagree: do judges agree."""
