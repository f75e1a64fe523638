"""What a second run costs whose inputs are those of the first."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import median

import bench_sinfo
from commands import Size
from harness import Cost, Figures, Line, our_command
from measure import measure

GROUP = "again"
FIRST, SECOND = "first run", "second run"


def lines(*, quick: bool) -> list[Line]:
    """Return the one line there is."""
    size, repeat = (Size(4, 250), 1) if quick else (Size(20, 500), 3)
    return [Line(GROUP, f"sinfo, {size.models} models, {size.total:,} rows", partial(_twice, size, repeat), size.total)]


def _twice(size: Size, repeat: int, folder: Path) -> Figures:
    job = bench_sinfo.write(folder / "job", size)
    command = our_command("sinfo", job.arguments)
    costs = []
    for number in range(repeat):
        results = folder / f"results{number}"
        costs.append([measure(command(results), folder=folder) for _ in (FIRST, SECOND)])
    return Figures(
        {
            name: Cost(*(median(getattr(cost, what) for cost in runs) for what in ("cpu", "wall", "peak")))
            for name, runs in zip((FIRST, SECOND), zip(*costs, strict=True), strict=True)
        },
        size.total,
    )
