"""Score model outputs that are in CSV and Excel files."""
