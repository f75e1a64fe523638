"""The page in a browser: what it holds (`content`), and the one file (`page`) with its scripts and its style."""
