"""The shell around the core: commands, reading, joining, running, writing."""
