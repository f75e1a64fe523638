"""How much of a job a plain script does: of a long one every so many-th unit, with what the units cost by themselves.

A script that would take hours reads and writes everything, but scores a part. It notes the CPU that its units took, and
the benchmark adds what the others would have taken.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOTED = "part.json"


class Part:
    """Which units a script scores, and what CPU they took."""

    def __init__(self, every: int) -> None:
        self.every = every  # 1 for all of them
        self.cpu = 0.0

    def has(self, number: int) -> bool:
        """Return whether the unit of this number is scored."""
        return number % self.every == 0

    @contextmanager
    def scoring(self) -> Iterator[None]:
        """Count the CPU of what is done for the scored units alone."""
        started = time.process_time()
        yield
        self.cpu += time.process_time() - started

    def note(self, results: Path) -> None:
        """Write down what is missing from the CPU of this process."""
        (results / NOTED).write_text(json.dumps({"missing": self.cpu * (self.every - 1)}), encoding="utf-8")


def missing_cpu(results: Path) -> float:
    """Return the CPU seconds that a script would have taken for the units it left out."""
    noted = results / NOTED
    return float(json.loads(noted.read_text(encoding="utf-8"))["missing"]) if noted.exists() else 0.0
