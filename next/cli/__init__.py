"""The command line, the reading of tables, the runs and the reports."""
