"""What `make soak` tries many thousand times, `make test` a few: kills, full disks, rivals, damaged files, any text."""
