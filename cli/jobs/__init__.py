"""Several commands in a row, as a file lists them: the plan, the runs, and what they came to."""
