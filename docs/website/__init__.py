"""The site of docs: its settings, its styles, and the check of what was built."""
