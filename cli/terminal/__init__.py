"""The terminal: tables that fit, progress, and what is said on stderr."""
