"""Every command against its peers, start-up, memory and a second run; writes docs/benchmarks.md.

    python benchmarks/bench.py                     # everything that is not done yet; some 25 minutes on a quiet machine
    python benchmarks/bench.py --only sinfo memory # a part; what else is done stays in the page
    python benchmarks/bench.py --quick             # small jobs in a few minutes, printed and not written: does it work?
    python benchmarks/bench.py --fresh             # measure all of it anew

Finished lines are kept in .bench/, so that a run can be stopped and gone on with.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import bench_again
import bench_collective
import bench_disagree
import bench_diversity
import bench_entropy
import bench_memory
import bench_mode_collapse
import bench_sinfo
import bench_startup
from commands import Bench, warm
from harness import HERE, DisagreementError, Kept, Line, run_lines
from measure import CommandFailedError
from page import page

ROOT = HERE.parent
PAGE = ROOT / "docs" / "benchmarks.md"
BENCHES: tuple[Bench, ...] = (
    bench_sinfo.BENCH,
    bench_mode_collapse.BENCH,
    bench_mode_collapse.OF_ROWS,
    bench_diversity.BENCH,
    bench_disagree.BENCH,
    bench_entropy.BENCH,
    bench_collective.BENCH,
)
OTHERS = {module.GROUP: module for module in (bench_startup, bench_memory, bench_again)}
GROUPS = (*(bench.name for bench in BENCHES), *OTHERS)


def lines_of(groups: Sequence[str], *, quick: bool) -> list[Line]:
    """Return the lines of these groups, in the order of the page."""
    found = [line for bench in BENCHES if bench.name in groups for line in bench.lines(quick=quick)]
    return found + [line for name, module in OTHERS.items() if name in groups for line in module.lines(quick=quick)]


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--quick", action="store_true", help="small jobs: shows that it works, not how fast")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs have measured of these groups")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for and show it; 1 if two sides disagree or a command fails."""
    asked = parse_arguments(arguments)
    kept = Kept(ROOT / ".bench" / ("quick.json" if asked.quick else "lines.json"))
    wanted = lines_of(asked.only, quick=asked.quick)
    if asked.fresh:
        kept.forget(wanted)
    try:
        if any(line not in kept for line in wanted):
            with tempfile.TemporaryDirectory(prefix="scoresheet-bench-") as name:
                warm([bench for bench in BENCHES if bench.name in asked.only], Path(name).resolve())
        started = time.monotonic()
        for line, figures in run_lines(wanted, kept):
            costs = ", ".join(
                f"{side} {cost.cpu:.2f} s {cost.peak / 1e6:.0f} MB" for side, cost in figures.costs.items()
            )
            print(f"{time.monotonic() - started:6.0f} s  {line.key}: {costs}", file=sys.stderr, flush=True)
    except (CommandFailedError, DisagreementError, OSError) as failure:
        print(f"no times: {failure}", file=sys.stderr)
        return 1
    text = page(BENCHES, kept, quick=asked.quick)
    if asked.quick:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
        print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
