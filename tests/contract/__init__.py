"""What `scoresheet sinfo` promises to somebody who only sees its files, streams and exit codes."""
