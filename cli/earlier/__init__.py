"""What can be asked of an earlier run: its inputs read again, one of its numbers explained, a sample scored again."""
