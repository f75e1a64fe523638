"""Score model outputs that are in CSV and Excel files."""

from importlib.metadata import version

__version__ = version("scoresheet")
