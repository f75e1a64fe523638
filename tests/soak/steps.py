"""Every single write, fsync, rename, link and removal of a run: killed just before it, or made to fail.

What Python writes goes through `io.FileIO` at last, and what it does to names through a few functions of `os`; in a
forked run both are replaced by ones that count, in the run and in its workers together.
"""

from __future__ import annotations

import builtins
import errno
import functools
import gc
import io
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.report.page import Column, Page, PageTable
from scoresheet.cli.report.problems_page import problems_page
from scoresheet.cli.run.results_folder import locked_results, unwritable
from scoresheet.cli.write.about import About
from scoresheet.cli.write.csv_json import write_csv
from scoresheet.cli.write.workbook import Workbook, write_workbook
from tests.helpers.files import sha256, snapshot
from tests.helpers.runs import LOCK, SAID, forked
from tests.soak.cases import CORRUPT, HANG, TRACEBACK, Fault, Row, Trials, case_name
from tests.soak.interrupted import PATIENCE, Ended, Ground
from tests.soak.studies import COMMANDS, RES, words_of
from tests.soak.wholeness import OWN, Reports, not_exactly, not_whole, reports_in

NAMED = ("fsync", "replace", "link", "unlink", "rmdir", "mkdir")  # of os
NEEDS_ROOM = ("write", "fsync", "link", "mkdir")  # what a full disk refuses
KILLED, FULL, BROKEN = "kill", "no space", "I/O error"

Before = Callable[[int, str], None]  # hears the number and the name of each call before it is done


class Counter:
    """Counts the calls of a run and of its workers."""

    def __init__(self, before: Before) -> None:
        self.before = before
        self.count: Any = multiprocessing.get_context("fork").Value("i", 0)

    def __call__(self, name: str) -> None:
        with self.count.get_lock():
            self.count.value += 1
            number = self.count.value
        self.before(number, name)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Count in this process within, and in those that it forks."""
        before = {name: getattr(os, name) for name in NAMED}, builtins.open
        try:
            self.install()
            yield
        finally:
            for name, original in before[0].items():
                setattr(os, name, original)
            builtins.open = io.open = before[1]

    def install(self) -> None:
        """Count in this process from now on, and in those that it forks."""
        for name in NAMED:
            setattr(os, name, self._counted(name, getattr(os, name)))
        counter = self

        class Raw(io.FileIO):
            def write(self, data: Any) -> int:
                counter("write")
                return super().write(data)

        opened = functools.partial(_opened, Raw, io.open)
        builtins.open = io.open = opened

    def _counted(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def called(*arguments: Any, **keywords: Any) -> Any:
            self(name)
            return original(*arguments, **keywords)

        return called


def _opened(  # noqa: PLR0917 - as open has them
    raw: type[io.FileIO],
    original: Callable[..., Any],
    file: Any,
    mode: str = "r",
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    closefd: bool = True,
    opener: Any = None,
) -> Any:
    """A file opened as `open` does it, whose writes are counted."""
    if not set(mode) & set("wax+") or isinstance(file, int):
        return original(file, mode, buffering, encoding, errors, newline, closefd, opener)
    bare = raw(file, mode.replace("b", "").replace("t", ""), closefd, opener)
    stream: Any = io.BufferedRandom(bare) if "+" in mode else io.BufferedWriter(bare)
    return stream if "b" in mode else io.TextIOWrapper(stream, encoding, errors, newline)


def killing(fatal: int) -> Before:
    """Kills the whole run just before one of its calls."""

    def before(number: int, _name: str) -> None:
        if number == fatal:
            os.killpg(os.getpgrp(), signal.SIGKILL)

    return before


def failing(fatal: int, how: str) -> Before:
    """Lets one call fail; a disk that is full stays so, for all that needs room."""

    def before(number: int, name: str) -> None:
        if number == fatal if how == BROKEN else number >= fatal and name in NEEDS_ROOM:
            code = errno.EIO if how == BROKEN else errno.ENOSPC
            raise OSError(code, os.strerror(code))

    return before


@dataclass
class Folder:
    """A results folder by itself: one report, written and committed as a run does it, without any scoring."""

    root: Path
    old: Reports
    new: Reports

    @classmethod
    def made(cls, root: Path, *, empty: bool = False) -> Folder:
        """A folder with its old report, or with nothing in it yet."""
        root.mkdir()
        found = []
        for word in ("new", "old"):
            shutil.rmtree(root / RES, ignore_errors=True)
            _commit(root, word)
            found.append(reports_in(root / RES))
        if empty:
            shutil.rmtree(root / RES)
            (root / "kept").mkdir()
        else:
            shutil.copytree(root / RES, root / "kept")
        return cls(root, {} if empty else found[1], found[0])

    def restore(self) -> None:
        """Let the old reports be there, and nothing else."""
        shutil.rmtree(self.root / RES, ignore_errors=True)
        shutil.copytree(self.root / "kept", self.root / RES)

    def taken(self) -> str:
        """What is wrong if another command wants the folder: it may have one without reports, and no other."""
        before = self._but_the_lock()
        if all(name.startswith(OWN) for name in before):
            return ""
        try:
            with locked_results(self.root / RES, "entropy", wait=0):
                return "another command may take the folder"
        except Stop as stop:
            if stop.code != Exit.USAGE or "scoresheet sinfo" not in str(stop):
                return f"another command was told: {stop}"
        return "" if self._but_the_lock() == before else "another command has touched the folder"

    def _but_the_lock(self) -> dict[str, bytes | str]:
        return {name: content for name, content in snapshot(self.root / RES).items() if name != LOCK}

    def failed(self, before: Before) -> Ended:
        """How a run ended some of whose calls fail; nobody dies, so that it may be in this process."""
        with Counter(before).installed():
            try:
                _commit(self.root, "new")
            except Stop as stop:
                return Ended(int(stop.code), str(stop))
        return Ended(0, "")

    def stepped(self, before: Before) -> tuple[Ended, int]:
        """How a run ended that replaces the reports and whose calls are heard, and how many it made."""
        counter = Counter(before)
        child = multiprocessing.get_context("fork").Process(target=_commit_alone, args=(self.root, counter))
        child.start()
        child.join(PATIENCE)
        if child.is_alive():
            child.kill()
            return Ended(None, "it hangs"), 0
        return Ended(child.exitcode, (self.root / SAID[1]).read_text("utf-8")), counter.count.value

    def again(self) -> Ended:
        """How the next run ended."""
        try:
            _commit(self.root, "new")
        except Stop as stop:
            return Ended(int(stop.code), str(stop))
        return Ended(0, "")


def _commit(root: Path, word: str) -> None:
    """Write a report, a workbook and a CSV, and a table of this state alone, and commit them."""
    names = ["m.csv", "m.xlsx", f"{word}.csv"]
    with locked_results(root / RES, "sinfo", wait=0) as folder:
        try:
            for name in names:
                _write_report(folder.stage / name, word)
        except OSError as error:
            raise unwritable(folder.path, error) from error  # as those do who write reports
        outputs = [{"file": name, "sha256": sha256(folder.stage / name)} for name in names]
        remove = [report.name for report in folder.earlier_reports(names)]
        manifest = {"tool": "scoresheet", "command": "sinfo", "outputs": outputs, "left": []}
        folder.commit(names, manifest, remove=remove)


def _write_report(path: Path, word: str) -> None:
    texts = [f"{word} {number}" for number in range(200)]
    page = Page("s", PageTable({"Value": texts}), (Column("Value", "The value.", "text"),))
    if path.suffix == ".xlsx":
        write_workbook(path, Workbook("t", [], problems_page([]), About([]), [page]))
    else:
        write_csv(path, ["Value"], [[text] for text in texts])


def _commit_alone(root: Path, counter: Counter) -> None:
    """Be a run in a process group of its own that replaces the reports."""
    os.setsid()
    sys.stderr = (root / SAID[1]).open("w", encoding="utf-8")
    counter.install()
    try:
        _commit(root, "new")
    except Stop as stop:
        os._exit(int(stop.code))


@dataclass
class Command:
    """A whole run of a command, in the same way."""

    ground: Ground

    @classmethod
    def made(cls, root: Path, command: str) -> Command:
        """A folder with the old reports of a study."""
        made = cls(Ground(root, command))
        shutil.rmtree(made.root / RES)
        assert made.ground.run("old").code == 0
        shutil.copytree(root / RES, root / "kept")
        return made

    @property
    def root(self) -> Path:
        return self.ground.root

    @property
    def old(self) -> Reports:
        return self.ground.reports["old"]

    @property
    def new(self) -> Reports:
        return self.ground.reports["new"]

    def restore(self) -> None:
        """Let the old reports be there, and nothing else, and the new models."""
        shutil.rmtree(self.root / RES)
        shutil.copytree(self.root / "kept", self.root / RES)
        self.ground.put("new")

    def stepped(self, before: Before) -> tuple[Ended, int]:
        """How a run ended that replaces the reports and whose calls are heard, and how many it made."""
        counter = Counter(before)
        words = words_of(self.ground.command, "-j", "1")
        with forked(self.root, *words, prepare=counter.install) as child:
            child.join(PATIENCE)
        hangs = child.exitcode == -signal.SIGKILL and not counter.count.value
        said = (self.root / SAID[1]).read_text("utf-8", "replace")
        return Ended(None if hangs else child.exitcode, said), counter.count.value

    def failed(self, before: Before) -> Ended:
        """How a run ended some of whose calls fail, in itself or in its workers."""
        return self.stepped(before)[0]

    def again(self) -> Ended:
        """How the next run ended."""
        return self.ground.run("new")


def _grounds(folder: Path, number: int) -> list[Folder | Command]:
    """Case 0 is a results folder by itself, with reports and without; the others are the commands."""
    if not number:
        return [Folder.made(folder / "folder"), Folder.made(folder / "empty", empty=True)]
    return [Command.made(folder / COMMANDS[number - 1], COMMANDS[number - 1])]


def _calls(ground: Folder | Command) -> int:
    """How many calls a run makes that nothing happens to; it must do what it does without being counted."""
    ground.restore()
    ended, calls = ground.stepped(lambda _number, _name: None)
    assert (ended.code, not_exactly(ground.root / RES, ground.new)) == (0, ""), ended.said
    assert calls > 20, "hardly anything was counted: the test tests nothing"
    return int(calls)


def killed_at_each_call(folder: Path, numbers: Sequence[int]) -> Trials:
    """Kill a run before each of its calls; then every report is old or new, and the next run sweeps."""
    for number in numbers:
        for ground in _grounds(folder, number):
            for call in range(1, _calls(ground) + 1):
                yield _killed_at(ground, call, f"{case_name(STEPS.name, number)}, {ground.root.name}, call {call}")


def _killed_at(ground: Folder | Command, call: int, case: str) -> Fault | None:
    ground.restore()
    ended, _ = ground.stepped(killing(call))
    if ended.code is None:
        return Fault(HANG, case, ended.said)
    wrong = not_whole(ground.root / RES, ground.old, ground.new)
    if not wrong and isinstance(ground, Folder):
        wrong = ground.taken()
    if wrong or ended.code not in (0, -signal.SIGKILL):
        return Fault(CORRUPT, case, f"exit {ended.code}: {wrong or ended.said}")
    fault = ground.again().fault(case, (0,))
    left = not_exactly(ground.root / RES, ground.new)
    return fault or (Fault(CORRUPT, case, f"after the next run: {left}") if left else None)


def failed_at_each_call(folder: Path, numbers: Sequence[int]) -> Trials:
    """Let each call fail in two ways: the old reports are all there and the code is 5, or it did no harm at all."""
    for number in numbers:
        ground = _grounds(folder, number)[0]
        calls = _calls(ground)
        for how in (FULL, BROKEN):
            case = f"{case_name(ERRORS.name, number)}, {how} at call"
            with _silent_leftovers():
                found = [_failed_at(ground, call, how, f"{case} {call}") for call in range(1, calls + 1)]
            refused = sum(code == Exit.UNWRITABLE for _, code in found)
            assert refused > calls // 4, f"hardly a {how} was met: the test tests nothing"
            yield from (fault for fault, _ in found)


@contextmanager
def _silent_leftovers() -> Iterator[None]:
    """Say nothing of archives that are left half written and cannot be closed either: that was what was tried."""
    before, sys.unraisablehook = sys.unraisablehook, lambda _unraisable: None
    try:
        yield
        gc.collect()
    finally:
        sys.unraisablehook = before


def _failed_at(ground: Folder | Command, call: int, how: str, case: str) -> tuple[Fault | None, int | None]:
    ground.restore()
    ended = ground.failed(failing(call, how))
    fault = ended.fault(case, (0, Exit.UNWRITABLE))
    if fault or "Traceback" in ended.said or "bug" in ended.said:
        return fault or Fault(TRACEBACK, case, ended.said), ended.code
    wanted = ground.new if ended.code == 0 else ground.old
    found = reports_in(ground.root / RES)
    if found != wanted or (ended.code and not _has_manifest(ground.root / RES)):
        differing = sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
        return Fault(CORRUPT, case, f"exit {ended.code}: {differing or 'no manifest'}"), ended.code
    return None, ended.code


def _has_manifest(folder: Path) -> bool:
    return (folder / "manifest.json").is_file()


STEPS = Row(
    "steps",
    "SIGKILL at each write, fsync, link, rename and removal of a run",
    "the same",
    "kills",
    1,
    1 + len(COMMANDS),
    1,
    killed_at_each_call,
    is_counted=False,
)
ERRORS = Row(
    "errors",
    "no space from each such call on, and an I/O error at each",
    "the old reports are untouched and the exit code is 5, or the new ones are whole and it is 0",
    "errors",
    1,
    1 + len(COMMANDS),
    1,
    failed_at_each_call,
    is_counted=False,
)
