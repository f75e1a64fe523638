"""When a run began, and how long it has taken."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """The clock of one run."""

    def __init__(self) -> None:
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self._start = time.monotonic()

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return round(time.monotonic() - self._start, 3)
