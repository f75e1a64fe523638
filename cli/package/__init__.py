"""Scores model outputs that live in CSV and Excel files; see `scoresheet --help`."""
