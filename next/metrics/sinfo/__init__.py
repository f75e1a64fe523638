"""sinfo: how much of an explanation is information."""
