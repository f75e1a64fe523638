"""The same inputs under other time zones, languages, hash seeds and numbers of workers: the same bytes."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from scoresheet.cli.exits import Exit
from tests.helpers.files import digests, write_book, write_csv
from tests.helpers.runs import COMMAND, Result, environment, forked, surround
from tests.soak.cases import CORRUPT, HANG, TRACEBACK, Fault, Row, Trials, case_name
from tests.soak.studies import COMMANDS, MODELS, OUTS, inputs_of, write_study

PATIENCE = 120.0
PLAIN: Mapping[str, str | None] = {"PYTHONHASHSEED": "0", "TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": None}
CHANGES: Sequence[tuple[Sequence[str], Mapping[str, str | None]]] = (
    (("-o", "res", "-j", "2"), {}),
    (("-o", "res"), {"PYTHONHASHSEED": "12345"}),
    (("-o", "res"), {"TZ": "Asia/Tokyo"}),
    (("-o", "res"), {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "PYTHONUTF8": "1"}),
    (("-o", "elsewhere/results", "-v"), {}),
)
READ_WHEN_USED = {"TZ"}  # others are read when Python starts


def _write(root: Path, command: str) -> None:
    """Models of several kinds, with problems of several kinds."""
    write_study(root, command, "old")
    rows = [list(row) for row in MODELS[command]("Peru")]
    write_book(root / OUTS / "book.xlsx", {"perm1": rows, "perm2": rows[:2], "blank": []})
    write_csv(root / OUTS / "folder" / "one.csv", rows)
    write_csv(root / OUTS / "folder" / "two.csv", [*rows, ["", *rows[1][1:]]])


def _scored(root: Path, command: str, options: Sequence[str], changes: Mapping[str, str | None]) -> Result | None:
    """How a run ended in such surroundings, in a process of its own; None for one that does not end."""
    _write(root, command)
    words = [*inputs_of(command), *options]
    if changes.keys() <= READ_WHEN_USED:
        with forked(root, *words, prepare=functools.partial(surround, dict(changes))) as child:
            child.join(PATIENCE)
            hangs = child.is_alive()
        return None if hangs else Result(child.exitcode or 0, "", (root / ".stderr").read_text("utf-8"))
    try:
        done = subprocess.run(
            [*COMMAND, *words], cwd=root, env=environment(**changes), capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return Result(done.returncode, "", done.stderr.decode("utf-8", "backslashreplace"))


def repeated(folder: Path, numbers: Sequence[int]) -> Trials:
    """Score the study of a command plainly, and then in each of the other surroundings."""
    for number in numbers:
        command = COMMANDS[number]
        wanted: dict[str, str] = {}
        for place, (options, changes) in enumerate((((*CHANGES[1][0], "-j", "1"), PLAIN), *CHANGES)):
            case = f"{case_name(SURROUNDINGS.name, number)}, {' '.join((*options, *map(str, changes.items())))}"
            root = folder / f"{command}_{place}"
            root.mkdir()
            ended = _scored(root, command, options, changes)
            # 3: `collective` takes one sheet of predictions, and names the second
            if ended is None or ended.code not in (Exit.OK, Exit.PARTIAL) or "Traceback" in ended.err:
                yield Fault(HANG if ended is None else TRACEBACK, case, ended.err[-2000:] if ended else "it hangs")
                continue
            found = digests(root / options[1])
            wanted = wanted or found
            differing = sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
            yield Fault(CORRUPT, case, f"other bytes: {differing}") if differing else None


SURROUNDINGS = Row(
    "surroundings",
    "the same input twice: TZ, LANG, hash seed, -j, another folder",
    "byte-identical",
    "runs",
    1,
    len(COMMANDS),
    1,
    repeated,
    is_counted=False,
)
