"""The results folder: locked for the run, staged beside the reports, replaced file by file, the manifest last."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.manifests import FOLDERS, MANIFEST, MARK, TOOL, is_kept
from scoresheet.cli.run.ownership import Listing, owned_listing, refuse_unlisted
from scoresheet.cli.signals import signals_ignored, stop_if_asked
from scoresheet.cli.write.csv_json import write_json
from scoresheet.cli.write.names import file_key
from scoresheet.metrics.records import dataclass

_LOCK: Final = ".scoresheet.lock"
_STAGE: Final = ".scoresheet-stage-"
_CHUNK: Final = 2**24  # bytes
Publish = Callable[[Sequence[str], Sequence[str], bytes], None]  # what was written, what was removed, the mark


@dataclass(frozen=True)
class EarlierReport:
    """A report of an earlier run that this one did not make."""

    name: str
    sha256: str  # as it was listed; '' if it was not
    changed: bool  # whether it is another than was listed, or cannot be told to be the same


class ResultsFolder:
    """A results folder that this run of a command holds, with what earlier runs of the command wrote there."""

    def __init__(self, path: Path, listing: Listing, stage: Path) -> None:
        self.path = path
        self.listing = listing
        self.stage = stage
        self.until_left = ExitStack()
        self.publish: Publish | None = None  # of a folder that stands for one elsewhere

    @property
    def is_whole(self) -> bool:
        """Whether the last run came to its end: the manifest is there, not the mark of a commit alone."""
        return (self.path / MANIFEST).is_file()

    def earlier_reports(self, files: Iterable[str]) -> list[EarlierReport]:
        """Return the reports that the command's own last manifest lists, if they are there and not among `files`."""
        reports = [_earlier_report(self.path, name, self.listing.hashes[name]) for name in self._others(files)]
        return [report for report in reports if report.changed or not is_kept(report.name)]

    def _others(self, files: Iterable[str]) -> list[str]:
        made = set(files)
        return [name for name in self.listing.hashes if name not in made and (self.path / name).is_file()]

    def _stale(self, files: Iterable[str]) -> list[str]:
        """Return what earlier runs kept for later ones and nobody can use any more; what was changed since stays."""
        kept = [name for name in self._others(files) if is_kept(name)]
        return [name for name in kept if not _earlier_report(self.path, name, self.listing.hashes[name]).changed]

    def commit(
        self,
        files: Sequence[str],
        manifest: Mapping[str, object],
        *,
        standing: Collection[str] = (),
        whole: Collection[str] = (),
        remove: Sequence[str] = (),
        keep_mark: bool = False,
    ) -> None:
        """Replace the reports by the staged ones; on any error the old ones are put back.

        Those that are `standing` are right as they are, and stay. Of workbooks that are not known to be `whole`, since
        they have the SHA-256 that they were written with, all parts are read.
        With `keep_mark` the folder stays the command's even if its manifest is taken away.
        """
        refuse_unlisted(self.path, files, self.listing)
        stale = self._stale([*files, *standing])
        try:
            _check_apart([*files, *standing, MANIFEST, MARK])
            for name in files:
                if name not in whole:
                    _check(self.stage / name)
            write_json(self.stage / MANIFEST, manifest)
            write_json(self.stage / MARK, self._mark(manifest, self._earlier_entries()))
            mark = (self.stage / MARK).read_bytes()
            for name in [*files, MANIFEST, MARK]:
                _sync(self.stage / name)
            stop_if_asked()
            # from here on a signal would find neither the old set nor the new: none is heard until the folder is left
            self.until_left.enter_context(signals_ignored())
            self._replace([*files, MANIFEST], [*remove, *stale])
        except OSError as error:
            raise unwritable(self.path, error) from error
        with suppress(OSError):  # a mark that stays as it is says nothing wrong
            if keep_mark:
                write_json(self.stage / MARK, self._mark(manifest, manifest["left"]))
                os.replace(self.stage / MARK, self.path / MARK)  # noqa: PTH105 - atomic by its documentation
            else:
                (self.path / MARK).unlink()
        if self.publish is not None:
            self.publish(files, [*remove, *stale], mark)

    def _mark(self, manifest: Mapping[str, object], left: object) -> dict[str, object]:
        """Return what the folder is known by without a manifest: the files of this run, and those of earlier ones."""
        return {"tool": TOOL, "command": self.listing.command, "outputs": manifest["outputs"], "left": left}

    def _earlier_entries(self) -> list[dict[str, str]]:
        """Return what was listed before; while files are being replaced, each may still be the old one."""
        return [
            {"file": name, "sha256": digest}
            for name, digests in self.listing.hashes.items()
            for digest in sorted(digests) or [""]
        ]

    def _replace(self, files: Sequence[str], remove: Sequence[str]) -> None:
        """Replace files in order; the old manifest goes first and the new comes last, so it vouches for a whole set."""
        kept = self.stage / "old"
        kept.mkdir()
        existed: dict[str, bool] = {}  # what was there before, once a copy of it is safe
        try:
            for folder in (self.path, kept):
                for name in [*files, *remove]:
                    (folder / name).parent.mkdir(exist_ok=True)
            for name in dict.fromkeys([MARK, MANIFEST, *remove, *files]):
                existed[name] = _backup(self.path / name, kept / name)
            os.replace(self.stage / MARK, self.path / MARK)  # noqa: PTH105 - atomic by its documentation
            _sync(self.path)
            for name in [MANIFEST, *remove]:
                (self.path / name).unlink(missing_ok=True)
            for name in files:
                os.replace(self.stage / name, self.path / name)  # noqa: PTH105 - atomic by its documentation
            for folder in {(self.path / name).parent for name in files}:
                _sync(folder)
        except OSError:
            for name, was_there in reversed(existed.items()):  # the manifest after all that it vouches for
                _restore(kept / name, self.path / name, was_there=was_there)
            raise
        finally:
            _remove_empty(self.path / name for name in FOLDERS)


@contextmanager
def locked_results(path: Path, command: str, *, wait: float, publish: Publish | None = None) -> Iterator[ResultsFolder]:
    """Hold a results folder for a run: lock it, sweep what a killed run left, stage inside it, leave it clean.

    Stop if the folder is another's.
    """
    held = ExitStack()
    made: list[Path] = []
    try:
        made += [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / _LOCK)
        lock.acquire(timeout=wait)
    except Timeout:
        raise Stop(
            Exit.BUSY, f"{path}: another run holds this folder; try again, or wait for it with --wait 60"
        ) from None
    except (OSError, NotImplementedError) as error:
        _remove_empty(made)
        raise unwritable(path, error) from error
    try:
        listing = owned_listing(path, command)  # only now nobody else writes here
        for left in path.glob(f"{_STAGE}*"):
            shutil.rmtree(left, ignore_errors=True)
        try:
            stage = Path(tempfile.mkdtemp(prefix=_STAGE, dir=path))
        except OSError as error:
            raise unwritable(path, error) from error
        folder = ResultsFolder(path, listing, stage)
        folder.publish = publish
        held.push(folder.until_left)
        try:
            yield folder
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    finally:
        with held:
            with suppress(OSError):
                (path / _LOCK).unlink()  # while it is held: who waits sees that it is gone and takes a new one
            lock.release()
            if sys.platform == "win32":  # there no file can be removed while somebody has it open
                with suppress(OSError):
                    (path / _LOCK).unlink()
            _remove_empty(made)


def unwritable(path: Path, error: BaseException) -> Stop:
    """Return the error for a results folder that cannot be written."""
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return Stop(Exit.UNWRITABLE, f"{path}: the results cannot be written ({reason}); existing reports are untouched")


def _earlier_report(folder: Path, name: str, listed: frozenset[str]) -> EarlierReport:
    try:
        digest = sha256(folder / name)
    except OSError:
        digest = ""  # what cannot be read cannot be told to be ours
    changed = digest not in listed
    return EarlierReport(name, min(listed, default="") if changed else digest, changed)


def _check_apart(files: Iterable[str]) -> None:
    """Raise OSError if some file system would take one report for another: one of them would be lost."""
    first: dict[str, str] = {}
    for name in files:
        if (key := file_key(name)) in first:
            raise OSError(f"{first[key]} and {name} would be one file, here or elsewhere; rename a model or a sheet")
        first[key] = name


def _check(path: Path) -> None:
    """Raise OSError if a staged workbook is not whole."""
    if path.suffix != ".xlsx":
        return
    try:
        with zipfile.ZipFile(path) as archive:
            for part in archive.infolist():
                with archive.open(part) as stream:
                    while stream.read(_CHUNK):
                        pass  # its length and checksum are compared with the directory's at the end
            names = re.findall(r'<sheet name="([^"]*)"', archive.read("xl/workbook.xml").decode())
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
        raise OSError(f"{path.name} was not written whole: {error}") from error
    if not names or len({name.casefold() for name in names}) < len(names):
        raise OSError(f"{path.name} was not written whole: {names}")


def _sync(path: Path) -> None:
    """Have the disk hold what was written; Windows does that for files open for writing, and for no folder."""
    if sys.platform == "win32" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _backup(path: Path, copy: Path) -> bool:
    if not path.exists():
        return False
    try:
        os.link(path, copy)
    except OSError:
        shutil.copy2(path, copy)  # a file system without hard links
    return True


def _restore(copy: Path, path: Path, *, was_there: bool) -> None:
    with suppress(OSError):  # the error that led here is the one to report
        if was_there:
            os.replace(copy, path)  # noqa: PTH105 - atomic by its documentation
        else:
            path.unlink(missing_ok=True)


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()  # fails, rightly, if anything is in it
