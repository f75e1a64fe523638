"""The results folder of a command: its owner, its lock, its manifest, how reports are replaced.

A run writes into a staging folder inside the results folder, and a commit puts the files in place.
Each report is always wholly old or wholly new; the manifest exists only if all belong together.
"""

import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from filelock import FileLock, Timeout

from scoresheet.cli.input.discover import MARK
from scoresheet.cli.input.grammar import few, usage
from scoresheet.cli.run.signals import deferred_signals
from scoresheet.metrics.problem import Problem, Refusal

LOCK = ".scoresheet.lock"
STAGING = ".scoresheet-staging-"
MANIFEST = "manifest.json"
OURS = {"schema": 1, "tool": "scoresheet"}  # in every manifest
MAX_BYTES = 50_000_000


class WriteFailed(Exception):  # noqa: N818
    """Results could not be written; the message says which and why."""


class Busy(WriteFailed):
    """Another run still holds the results folder."""


@dataclass
class ResultsFolder:
    """A results folder that this run holds.

    Files in `staging` become reports of the same name at the commit, files in `parts` are dropped.
    `previous` is the manifest of the last run, None if there is none that can be trusted.
    """

    path: Path
    command: str
    inputs: Sequence[os.stat_result]
    staging: Path
    parts: Path
    marked: bool = False
    previous: dict[str, Any] | None = None

    def commit(self, manifest: dict[str, Any], *, keep: Collection[str] = ()) -> None:
        """Replace the reports by the staged ones and write the manifest.

        Reports of the last run that are neither staged nor in `keep` are removed if unchanged.
        Until the old manifest is removed, an error or a signal leaves all reports as they were.
        From then on signals wait, and an error leaves each report either old or new.
        """
        with _write_errors(self.path):
            outputs = self._checked_outputs()
            listed: dict[str, str] = (self.previous or {}).get("outputs", {})
            kept = {n: listed[n] for n in listed if n in keep and (self.path / n).is_file()}
            stale = [n for n in listed.keys() - {*outputs, *keep} if self._has(n, listed[n])]
            for name in [*outputs, *stale] if os.name == "nt" else ():
                with suppress(FileNotFoundError), (self.path / name).open("r+b"):
                    pass  # Windows would refuse later, if the report is open in Excel
            folders = {(self.path / name).parent for name in [*outputs, *stale]}
            for folder in folders:
                folder.mkdir(parents=True, exist_ok=True)
            data = {**manifest, **OURS, "outputs": kept | outputs}
            text = json.dumps(data, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False)
            for name, content in ((MANIFEST, text), (MARK, self.command)):
                # Bytes of a file name that are not UTF-8 become JSON escapes.
                (self.parts / name).write_bytes(f"{content}\n".encode(errors="backslashreplace"))
                _flush(self.parts / name)
        with deferred_signals(), _write_errors(self.path, "; run again, some reports may be new"):
            (self.parts / MARK).replace(self.path / MARK)
            (self.path / MANIFEST).unlink(missing_ok=True)
            _flush(self.path)
            for name in outputs:
                (self.staging / name).replace(self.path / name)
            for name in stale:
                (self.path / name).unlink()
            for folder in folders:
                _flush(folder)
            for folder in folders - {self.path}:
                with suppress(OSError):  # of a model that is gone, the folder is empty
                    folder.rmdir()
            (self.parts / MANIFEST).replace(self.path / MANIFEST)
            _flush(self.path)

    def _checked_outputs(self) -> dict[str, str]:
        """Return the hash of every staged file, flushed, or refuse to put it in its place."""
        outputs = {}
        for file in sorted(path for path in self.staging.rglob("*") if not path.is_dir()):
            name = file.relative_to(self.staging).as_posix()
            if file.suffix == ".xlsx" and not _is_whole(file):
                raise WriteFailed(f"{name} was not written correctly")
            _flush(file)
            outputs[name] = sha256_of(file)
        present = [name for name in outputs if os.path.lexists(self.path / name)]
        problems = [_refused(self.path / n, why) for n in outputs if (why := self.obstacle(n))]
        problems += [_not_ours(self.path, present)] if present and not self.marked else []
        if problems:
            raise Refusal(*problems)
        return outputs

    def obstacle(self, name: str) -> str:
        """Return why a file of this name must not be written or removed, or an empty text."""
        target = self.path / name
        for place in [*reversed(target.parents), target][len(self.path.parts) :]:
            try:
                status = place.lstat()
            except (FileNotFoundError, ValueError):
                break
            if not (stat.S_ISREG if place == target else stat.S_ISDIR)(status.st_mode):
                return "is not a regular file, or is reached through a link"
            if any(os.path.samestat(status, other) for other in self.inputs):
                return "is an input of this run"
        return ""

    def _has(self, name: str, digest: str) -> bool:
        with suppress(OSError, ValueError):
            return not self.obstacle(name) and sha256_of(self.path / name) == digest
        return False

    def check_owner(self) -> None:
        """Find out whether this command wrote the folder; refuse a folder of anybody else."""
        for name in (MARK, LOCK):
            if why := self.obstacle(name):
                raise Refusal(_refused(self.path / name, why))
        owner, manifest = "", self.path / MANIFEST
        with suppress(FileNotFoundError), (self.path / MARK).open("rb") as file:
            owner = file.read(200).decode(errors="replace").strip()
        if owner not in ("", self.command):
            raise Refusal(_refused(self.path, f"holds the results of {owner}"))
        if not owner and os.path.lexists(manifest):
            raise Refusal(_not_ours(self.path, [MANIFEST]))
        self.marked = bool(owner)
        self.previous = read_manifest(manifest, owner) if owner else None

    @property
    def notes(self) -> list[Problem]:
        """Return the note that the last run's manifest was lost or damaged, if it was."""
        message = "is missing or damaged: reports of models that are gone are not removed"
        lost = Problem("manifest", "note", message, file=str(self.path / MANIFEST))
        return [lost] if self.marked and self.previous is None else []


@contextmanager
def open_results(
    folder: Path, command: str, *, wait: float, inputs: Sequence[Path]
) -> Iterator[ResultsFolder]:
    """Open a results folder for one run of a command and hold its lock.

    Raises Refusal if the folder cannot be used, Busy if another run holds it after `wait` seconds,
    and WriteFailed if the system does not let us write. A refused folder is not touched.
    """
    try:
        path = Path(os.path.realpath(folder))
        with suppress(FileNotFoundError, PermissionError):  # mkdir will say more
            if not stat.S_ISDIR(path.stat().st_mode):
                raise Refusal(_refused(folder, "is not a folder"))
    except (OSError, ValueError) as error:  # a link in a circle, a name that is too long
        raise Refusal(_refused(folder, f"cannot be used: {error}")) from error
    known = [file.stat() for file in inputs if file.exists()]
    temporary = path / (STAGING + secrets.token_hex(8))
    results = ResultsFolder(path, command, known, temporary / "reports", temporary / "parts")
    lock = FileLock(path / LOCK)
    with _write_errors(path):
        results.check_owner()  # before the lock, which is a file in the folder
        path.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=max(0.0, wait))
    try:
        with _write_errors(path):
            results.check_owner()
            for left in path.glob(STAGING + "*"):  # of runs that were killed
                shutil.rmtree(left, ignore_errors=True)  # does nothing to a link
            results.staging.mkdir(parents=True)
            results.parts.mkdir()
        yield results
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        lock.release()


@contextmanager
def _write_errors(path: Path, state: str = "") -> Iterator[None]:
    try:
        yield
    except Timeout as error:
        raise Busy(f"{path}: another run still uses this folder") from error
    except OSError as error:
        name = Path(os.fsdecode(error.filename2 or error.filename or path)).name
        raise WriteFailed(f"{path}: {name}: {error.strerror or error}{state}") from error


def check_single(path: Path, start: bytes) -> None:
    """Refuse to replace a file outside of results folders that does not start as ours do."""
    if not os.path.lexists(path):
        return
    if path.is_file():
        with _write_errors(path.parent), path.open("rb") as file:
            if file.read(len(start)) == start:
                return
    raise usage(f"{path} is not a file that scoresheet wrote, so it is not replaced")


def write_single(path: Path, content: bytes) -> None:
    """Write a file outside of results folders, which is always wholly old or wholly new."""
    part = path.with_name(f".{path.name}.part")
    with _write_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        with part.open("xb") as file:
            file.write(content)
        part.replace(path)


def _is_whole(workbook: Path) -> bool:
    with suppress(zipfile.BadZipFile, zlib.error, EOFError), zipfile.ZipFile(workbook) as book:
        return book.testzip() is None
    return False


def _not_ours(path: Path, names: Sequence[str]) -> Problem:
    message = f"has files that this command did not write and would replace: {few(names)}"
    return _refused(path, message, "not-ours")


def _refused(path: Path, message: str, kind: str = "results-folder") -> Problem:
    hint = "choose a different folder with --out"
    return Problem(kind, "refused", message, file=str(path), hint=hint)


def read_manifest(path: Path, command: str = "") -> dict[str, Any] | None:
    """Return the manifest, or None if it is missing, damaged or not one of this command."""
    ours = OURS | ({"command": command} if command else {})
    with suppress(OSError, ValueError, RecursionError, LookupError, AttributeError, TypeError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:  # a pipe may never end
            data: dict[str, Any] = json.loads(path.read_bytes())
            outputs = data["outputs"].items() if ours.items() <= data.items() else [("", "")]
            if all(_is_output(name, digest) for name, digest in outputs):
                return data
    return None


def _is_output(name: str, digest: Any) -> bool:
    path = PurePath(name)
    below = path.parts and ".." not in path.parts and not path.is_absolute() and not path.drive
    return bool(below and path.as_posix() == name and re.fullmatch("[0-9a-f]{64}", str(digest)))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flush(path: Path) -> None:
    """Make the content of a file, or the names in a folder, survive a loss of power."""
    on_windows = os.name == "nt"
    if on_windows and path.is_dir():
        return  # Windows cannot open folders, and flushes only files opened for writing
    descriptor = os.open(path, os.O_RDWR if on_windows else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise  # some network file systems cannot flush folders
    finally:
        os.close(descriptor)
