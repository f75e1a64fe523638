"""A results folder that a URL names: a copy of what earlier runs left there is worked on, and goes back manifest last.

There is no lock on such a folder: stores have none. Two runs at a time would mix their reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.manifests import FOLDERS, MANIFEST, MARK
from scoresheet.cli.input.remote import RemotePlaces, Wanted
from scoresheet.cli.run.ownership import read_listing

_ANY_SIZE: Final = 2**62  # of files that we wrote


class RemoteResults:
    """A results folder elsewhere, and its copy here."""

    def __init__(self, place: str, places: RemotePlaces) -> None:
        self._places = places
        self._remote = places.opened(place)
        self.copy = places.folder_for(self._remote.shown, self._remote.path.rpartition("/")[2])
        try:
            self._take()
        except Stop:
            raise
        except Exception as error:  # noqa: BLE001 - what a file system raises is its own
            raise Stop(
                Exit.UNWRITABLE,
                f"{self._remote.shown}: cannot be read ({places.reason(error)}); existing reports are untouched",
            ) from None

    def _take(self) -> None:
        """Copy what earlier runs wrote, and let files of anybody else be seen."""
        files, path, shown = self._remote
        if not files.exists(path):
            return
        if not files.isdir(path):
            raise Stop(Exit.USAGE, f"{shown}: this is a file, and results need a folder; name another with -o")
        there = {name: f"{path}/{name}" for name in self._names("")}
        for folder in FOLDERS:
            if folder in there:
                there |= {f"{folder}/{name}": f"{path}/{folder}/{name}" for name in self._names(folder)}
        self._fetch({name: there[name] for name in (MANIFEST, MARK) if name in there})
        listings = [read_listing(self.copy / name) for name in (MANIFEST, MARK)]
        own = {name for listing in listings if listing for name in listing.hashes}
        for name in there:
            if name in FOLDERS or "/" in name:
                (self.copy / name.partition("/")[0]).mkdir(exist_ok=True)
        self._fetch({name: there[name] for name in there if name in own})
        for name in there:
            if not (self.copy / name).exists():
                (self.copy / name).touch()  # not ours: that it is there is all that matters

    def _names(self, folder: str) -> list[str]:
        files, path, _ = self._remote
        base = f"{path}/{folder}".rstrip("/")
        names = (str(info["name"]).rstrip("/").removeprefix(base).lstrip("/") for info in files.ls(base, detail=True))
        return [name for name in names if name and "/" not in name and name not in (".", "..")]

    def _fetch(self, wanted: dict[str, str]) -> None:
        copies = [Wanted(path, self.copy / name, _ANY_SIZE, None) for name, path in wanted.items()]
        failed = self._places.copy_all(self._remote.files, copies)
        for path, why in failed.items():
            name = path.relative_to(self.copy).as_posix()
            raise Stop(
                Exit.UNWRITABLE,
                f"{self._remote.shown}/{name}: cannot be read ({why}); existing reports are untouched",
            )

    def publish(self, files: Sequence[str], removed: Sequence[str], mark: bytes) -> None:
        """Upload what a run committed to the copy: the old manifest goes first, the new one comes last.

        From the first step to the last the mark says whose the folder is, as it does on a disk.
        """
        store, path, shown = self._remote
        try:
            store.makedirs(path, exist_ok=True)
            for folder in {name.rpartition("/")[0] for name in files if "/" in name}:
                store.makedirs(f"{path}/{folder}", exist_ok=True)
            store.pipe_file(f"{path}/{MARK}", mark)
            for name in (MANIFEST, *removed):
                if store.exists(f"{path}/{name}"):
                    store.rm_file(f"{path}/{name}")
            for name in (*files, MANIFEST):
                store.put_file(str(self.copy / name), f"{path}/{name}")
            if (self.copy / MARK).exists():
                store.put_file(str(self.copy / MARK), f"{path}/{MARK}")
            else:
                store.rm_file(f"{path}/{MARK}")
        except Exception as error:  # noqa: BLE001 - what a file system raises is its own
            raise Stop(
                Exit.UNWRITABLE,
                f"{shown}: the upload failed ({self._places.reason(error)}); if there is no {MANIFEST} there now, the "
                "reports are partly of this run and partly of the last: run again",
            ) from None
