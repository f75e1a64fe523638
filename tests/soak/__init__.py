"""What `make soak` tries thousands of times and `make test` a few: kills, full disks, rivals, damaged files, any text."""
