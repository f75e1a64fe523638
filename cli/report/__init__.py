"""Reports: what a family found, as pages, columns, charts and words; one file per family."""
