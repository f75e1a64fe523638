"""Tries what could harm reports thousands of times, and writes the table of docs/reliability.md.

python -m tests.soak.record [--write] [-j N] [--minutes M] [--case ROW:NUMBER] [ROW …]

The cases of a row are done in shards. Each shard that is done is a line of .soak/shards.jsonl, so that another call
goes on where the last one stopped. A shard counts for the code of the tool that it was run with, and only for the tests
of today; shards of other code count with --older, and the page says so. A case that fails is repeated with --case.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

from scoresheet.cli.run.provenance import code_digest
from scoresheet.cli.version import VERSION
from tests.helpers.scratch import keep_scratch_in_memory
from tests.soak.bad_files import BAD_FILES
from tests.soak.cases import FAULTS, SEED, Fault, Row
from tests.soak.damaged import BOOKS, MEMORY_MB, SECONDS, TABLES
from tests.soak.interrupted import FRESH, KILLS, PAIRS
from tests.soak.steps import ERRORS, STEPS
from tests.soak.surroundings import SURROUNDINGS
from tests.soak.texts import TEXTS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "reliability.md"
STATE = ROOT / ".soak" / "shards.jsonl"
BEGIN, END = (f"<!-- {word}: python -m tests.soak.record --write -->" for word in ("begin", "end"))

ROWS = {row.name: row for row in (KILLS, STEPS, ERRORS, PAIRS, BOOKS, TABLES, TEXTS, BAD_FILES, SURROUNDINGS)}
HEADER = ("what is done to it", "has to be", "done", "of", *FAULTS, "cases", "minutes")


@dataclass(frozen=True)
class Shard:
    """What came of the cases of a row from one number to another."""

    row: str
    first: int
    count: int  # of cases
    code: str  # of the tool
    tests: str  # of the tests that made it
    version: str
    date: str
    trials: int  # a case of some rows is many
    seconds: float
    faults: list[Fault] = field(default_factory=list)


def code() -> str:
    """What tells one state of the tool from another."""
    return code_digest()[:12]


@functools.cache
def tests_of(row: Row) -> str:
    """The same of the modules here that a row is made of."""
    modules: set[str] = set()
    wanted = {row.run.__module__.rpartition(".")[2]}
    while wanted:
        module = wanted.pop()
        modules.add(module)
        wanted |= set(re.findall(r"^from tests\.soak\.(\w+)", _source(module), re.MULTILINE)) - modules
    return hashlib.sha256("".join(map(_source, sorted(modules))).encode()).hexdigest()[:12]


def _source(module: str) -> str:
    return (HERE / f"{module}.py").read_text("utf-8")


def shards_in(state: Path) -> list[Shard]:
    """The shards that were done; of one that was done twice with the same code, the last."""
    lines = state.read_text("utf-8").splitlines() if state.exists() else []
    found = {}
    for line in lines:
        values = json.loads(line)
        shard = Shard(**values | {"faults": [Fault(*each) for each in values["faults"]]})
        found[shard.row, shard.first, shard.count, shard.code, shard.tests] = shard
    return list(found.values())


def counted(shards: Iterable[Shard], now: str, *, older: bool) -> dict[tuple[str, int], Shard]:
    """The shards that count, by row and first case: those of this code, and, if wanted, the last of any other.

    One of other tests than those of today tried something else, and never counts.
    """
    found: dict[tuple[str, int], Shard] = {}
    for shard in shards:
        row = ROWS.get(shard.row)
        if row is None or shard.tests != tests_of(row):
            continue
        if range(shard.first, shard.first + shard.count) not in row.shards():
            continue
        here = found.get((shard.row, shard.first))
        if shard.code == now or (older and (here is None or here.code != now)):
            found[shard.row, shard.first] = shard
    return found


def done(row: str, first: int, count: int, now: str) -> Shard:
    """Do the cases of a shard."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="soak_") as folder:
        trials = list(ROWS[row].run(Path(folder), range(first, first + count)))
    faults = [trial for trial in trials if trial is not None]
    seconds = round(time.monotonic() - began, 1)
    date = f"{datetime.now(UTC):%Y-%m-%d}"
    return Shard(row, first, count, now, tests_of(ROWS[row]), VERSION, date, len(trials), seconds, faults)


def run_shards(
    rows: Sequence[Row], known: Iterable[tuple[str, int]], now: str, jobs: int, until: float
) -> Iterator[Shard]:
    """Do what is still to be done, a shard of each row in turn, and begin none after a moment."""
    known = set(known)
    todo = [
        (row.name, cases.start, len(cases))
        for row in rows
        for cases in row.shards()
        if (row.name, cases.start) not in known
    ]
    todo.sort(key=lambda each: (each[1] / ROWS[each[0]].long, each[0]))
    todo.reverse()
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        under_way: set[Future[Shard]] = set()
        while todo or under_way:
            while todo and len(under_way) < jobs and time.monotonic() < until:
                under_way.add(pool.submit(done, *todo.pop(), now))
            if not under_way:
                return
            ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in ready:
                yield future.result()


def keep(shard: Shard, state: Path) -> None:
    """Write a shard down; a line is whole or not there."""
    state.parent.mkdir(exist_ok=True)
    with state.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(asdict(shard) | {"faults": [tuple(each) for each in shard.faults]}) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def table(shards: Iterable[Shard]) -> list[str]:
    """The table of all rows, and a line for each fault."""
    shards = list(shards)
    lines = [_line(HEADER), _line(["---"] * len(HEADER))]
    for row in ROWS.values():
        own = [shard for shard in shards if shard.row == row.name]
        trials, cases = sum(shard.trials for shard in own), sum(shard.count for shard in own)
        faults = [fault for shard in own for fault in shard.faults]
        of = f"{row.long:,}" if row.is_counted else f"all, in {cases} of {row.long} cases"
        found = [f"{sum(fault.kind == kind for fault in faults):,}" for kind in FAULTS]
        minutes = f"{sum(shard.seconds for shard in own) / 60:.1f}"
        last = f"`{row.name}:0` to `{row.name}:{row.long - 1}`"
        lines.append(_line((row.title, row.passes, f"{trials:,} {row.trial}", of, *found, last, minutes)))
    return lines


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def part(shards: Iterable[Shard], now: str) -> str:
    """The generated part of the page."""
    shards = list(shards)
    codes = sorted({shard.code for shard in shards} or {now})
    dates = sorted({shard.date for shard in shards} or {f"{datetime.now(UTC):%Y-%m-%d}"})
    span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    versions = ", ".join(sorted({shard.version for shard in shards} or {VERSION}))
    which = f"code `{codes[0]}`" if len(codes) == 1 else f"codes {', '.join(f'`{each}`' for each in codes)}"
    notes = [
        f"Of the runs that are killed, about one in {FRESH} is a fresh process, as a shell starts it; the others are",
        "forked from one that has all modules loaded, so that the kill finds them at work. Damaged files, of a few",
        f"kilobytes each, may take {MEMORY_MB:,} MiB and {SECONDS} seconds; what takes more is counted under *over",
        "memory* and *hang*. Minutes are those of a busy machine.",
    ]
    return "\n".join([f"Version {versions}, {which}, {span}, seed {SEED}.", "", *table(shards), "", *notes])


def page(text: str, generated: str) -> str:
    """The page with its table anew."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} has no place for the table: {BEGIN} … {END}")
    return f"{before}{BEGIN}\n\n{generated}\n\n{END}{after}"


def repeat(case: str) -> int:
    """Do one case, in a folder that is kept if it fails."""
    row, _, number = case.partition(":")
    folder = Path(tempfile.mkdtemp(prefix="soak_"))
    faults = [trial for trial in ROWS[row].run(folder, [int(number)]) if trial is not None]
    for fault in faults:
        sys.stdout.write(f"{fault.kind}: {fault.case}: {fault.said}\n")
    sys.stdout.write(f"{len(faults)} faults; what is left of it is in {folder}\n")
    return 1 if faults else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is still to be done, and return 1 if a case failed, 2 if some are left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"some of {', '.join(ROWS)}; all if none is named")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="shards at the same time")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no shard after this time")
    parser.add_argument("--older", action="store_true", help="shards of other code count too")
    parser.add_argument("--case", help="repeat one case, e.g. kills:17")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    given = parser.parse_args(arguments)
    unknown = {*given.rows, *([given.case.partition(":")[0]] if given.case else [])} - set(ROWS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: no such row; there are {', '.join(ROWS)}")
    keep_scratch_in_memory()
    if given.case:
        return repeat(given.case)
    rows = [ROWS[name] for name in given.rows or ROWS]
    now, until = code(), time.monotonic() + 60 * given.minutes
    known = counted(shards_in(STATE), now, older=given.older)
    for shard in run_shards(rows, known, now, given.jobs, until):
        keep(shard, STATE)
        known[shard.row, shard.first] = shard
        of = len(ROWS[shard.row].shards())
        have = sum(row == shard.row for row, _ in known)
        sys.stdout.write(f"{shard.row}: shard {have} of {of}, {shard.trials:,} trials, {len(shard.faults)} faults\n")
        sys.stdout.flush()
    own = [shard for shard in known.values() if ROWS[shard.row] in rows]
    for fault in (fault for shard in own for fault in shard.faults):
        sys.stdout.write(f"{fault.kind}: {fault.case}: {fault.said}\n")
    if given.write:
        PAGE.write_text(page(PAGE.read_text("utf-8"), part(known.values(), now)), encoding="utf-8")
    left = sum(len(row.shards()) for row in rows) - len(own)
    sys.stdout.write(
        f"{len(own)} shards done, {left} left; " + ("faults were found\n" if _failed(own) else "no fault\n")
    )
    return 1 if _failed(own) else 2 if left else 0


def _failed(shards: Iterable[Shard]) -> bool:
    return any(shard.faults for shard in shards)


if __name__ == "__main__":
    sys.exit(main())
