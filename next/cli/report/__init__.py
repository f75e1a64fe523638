"""From scores to screens, workbooks and files."""
