"""Values that the options of several commands share; apart from those, so that listing the commands imports little."""

from __future__ import annotations

from typing import Final

TABLE, JSON = "table", "json"
FORMATS: Final = (TABLE, JSON, "markdown", "latex", "csv")  # of what is printed
MOST_GONE: Final = 0.05  # share of a model's units that may be gone before it counts as worse
