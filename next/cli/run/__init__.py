"""Running a command: workers, results folder, manifest."""
