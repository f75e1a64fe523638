"""Run as `python -m scoresheet`."""

from scoresheet.cli.app import console

if __name__ == "__main__":  # a spawned worker imports this module under another name
    console()
