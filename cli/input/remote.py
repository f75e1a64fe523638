"""Places that a URL names: what is to be read there is copied to a folder of this run first, and keeps its name.

Readers, guards and reports see files as always. fsspec is not loaded, and no connection opened, unless a URL is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.scratch import new_folder
from scoresheet.cli.urls import HIDDEN, is_remote, secrets_in, without_secrets
from scoresheet.metrics.problems import MissingExtra, Problem
from scoresheet.metrics.records import dataclass

if TYPE_CHECKING:
    from scoresheet.cli.input.discover import Discovery
    from scoresheet.cli.input.limits import Limits

_EXTRA: Final = "remote"
_MAGIC: Final = re.compile(r"[*?\[]")
_AT_A_TIME: Final = 8  # copies
_PIECE: Final = 2**20  # bytes read at once
_BEGINNING: Final = 2**16  # bytes of a file that is too large: enough to see what kind it is of
_BAD_SEGMENTS: Final = ("", ".", "..")


class Remote(NamedTuple):
    """A place on a file system of fsspec."""

    files: Any  # the file system
    path: str  # as that file system writes it
    shown: str


class Wanted(NamedTuple):
    """A file that is to be copied."""

    path: str  # on its file system
    copy: Path
    most: int  # bytes
    size: int | None  # as it was listed


@dataclass
class Mirror:
    """A copy of what is to be read of a place: its path, and what could not be copied, with the reason."""

    place: str
    unread: dict[str, str] = field(default_factory=dict)


@dataclass
class RemotePlaces:
    """The places of one run that URLs name. A place is known by the URL as it is shown."""

    _urls: dict[str, str] = field(default_factory=dict)  # as shown → as given
    _mirrors: dict[str, Mirror] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)  # local path → the URL that it stands for

    def shown(self, text: str) -> str:
        """Return a value that may be a URL as it may be shown; the place is known by that name from then on."""
        if not is_remote(text):
            return text
        harmless = without_secrets(text)
        if self._urls.setdefault(harmless, text) != text:
            raise Stop(Exit.USAGE, f"{harmless}: two places would be shown by this name; give them without credentials")
        return harmless

    def named(self, text: str) -> str:
        """Return a text with URLs in the place of the copies that stand for them."""
        for path in sorted(self._names, key=len, reverse=True):
            text = text.replace(path, self._names[path])
        return text

    def local(self, place: str, limits: Limits, *, trec: bool = False) -> str:
        """Return a place as it can be read: what a URL names is copied first, as far as a run could read it."""
        if not is_remote(place):
            return place
        if place not in self._mirrors:
            self._mirrors[place] = self._mirrored(self.opened(place), limits, trec=trec)
        return self._mirrors[place].place

    def within(self, place: str, other: str) -> Path | None:
        """Return where a place lies in the copy of another that holds it; None if it does not."""
        if not is_remote(place) or not is_remote(other) or other not in self._mirrors:
            return None
        for path, url in self._names.items():
            if Path(self._mirrors[other].place).is_relative_to(path) and f"{place.rstrip('/')}/".startswith(f"{url}/"):
                return Path(path, *filter(None, place.removeprefix(url).split("/")))
        return None

    def rename(self, found: Discovery, place: str) -> Discovery:
        """Return what was found in a copy under the names that it has where it is, with what could not be copied."""
        mirror = self._mirrors.get(place)
        if mirror is None:
            return found
        problems = [
            Problem(kind="not-read", message=f"could not be copied: {why}", effect="file skipped", file=name)
            for name, why in sorted(mirror.unread.items())
        ]
        return replace(
            found,
            folder=self.named(found.folder),
            ignored=[self.named(line) for line in found.ignored],
            problems=[*found.problems, *problems],
        )

    def opened(self, place: str) -> Remote:
        """Return a place on its file system; Stop if nothing here can reach such a place."""
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise MissingExtra(without_secrets(place), _EXTRA) from None
        try:
            files, path = url_to_fs(self._urls.get(place, place), use_listings_cache=False)
        except ImportError as error:
            raise Stop(Exit.USAGE, f"{without_secrets(place)}: a package is missing to reach it: {error}") from None
        except Exception as error:  # noqa: BLE001 - what a file system raises is its own
            raise Stop(Exit.USAGE, f"{without_secrets(place)}: cannot be reached ({self.reason(error)})") from None
        return Remote(files, str(path).rstrip("/") or "/", without_secrets(place).rstrip("/"))

    def reason(self, error: BaseException) -> str:
        """Return why something failed, without credentials."""
        said = " ".join(str(error).split()) or type(error).__name__
        for shown, url in self._urls.items():
            for part in (url, *secrets_in(url)):
                said = said.replace(part, shown if part == url else HIDDEN)
        return said[:300]

    def folder_for(self, url: str, name: str) -> Path:
        """Return a new folder of this run that stands for what a URL names, and has a name of its own."""
        folder = new_folder() / (name if name not in _BAD_SEGMENTS and "\0" not in name else "files")
        folder.mkdir()
        self._names[str(folder)] = url
        self._names[str(folder.parent)] = url.rpartition("/")[0]
        return folder

    def copy_all(self, files: Any, wanted: Iterable[Wanted]) -> dict[Path, str]:
        """Copy files, some at a time, and return why some could not be."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_AT_A_TIME) as threads:
            return dict(pair for pair in threads.map(lambda each: self._copied(files, each), wanted) if pair)

    def _copied(self, files: Any, wanted: Wanted) -> tuple[Path, str] | None:
        """Copy one file; of one that is too large its beginning, at its size, so that it is refused as such."""
        try:
            too_large = wanted.size is not None and wanted.size > wanted.most
            left = _BEGINNING if too_large else wanted.most + 1
            with files.open(wanted.path, "rb") as stream, wanted.copy.open("wb") as copy:
                while left and (piece := stream.read(min(left, _PIECE))):
                    left -= copy.write(piece)
                if too_large:
                    copy.truncate(wanted.size)
        except Exception as error:  # noqa: BLE001 - what a file system raises is its own
            wanted.copy.unlink(missing_ok=True)
            return wanted.copy, self.reason(error)
        return None

    def _mirrored(self, remote: Remote, limits: Limits, *, trec: bool) -> Mirror:
        """Return a copy of what a run could read of a place: its tables, and of others that they are there."""
        files, path, shown = remote
        copying = _Copying(self, files, limits, trec=trec)
        try:
            if _MAGIC.search(path):
                return self._of_pattern(remote, copying)
            if files.isdir(path):
                folder = self.folder_for(shown, path.rpartition("/")[2])
                copying.take_folder(path, folder, depth=1)
                return self._finished(copying, str(folder), folder)
            is_there = files.exists(path)
            size = files.info(path).get("size") if is_there else None
        except Stop:
            raise
        except Exception as error:  # noqa: BLE001 - what a file system raises is its own
            raise Stop(Exit.USAGE, f"{shown}: cannot be read ({self.reason(error)})") from None
        if not is_there:
            raise _nowhere(shown, "no such file or folder")
        bare = shown.removesuffix(f"?{HIDDEN}")
        folder = self.folder_for(bare.rpartition("/")[0], bare.rpartition("/")[0].rpartition("/")[2])
        name = bare.rpartition("/")[2]
        if not _is_name(name):
            raise Stop(Exit.USAGE, f"{shown}: no file can have this name here; rename it")
        copying.take_file(path, folder / name, size, named=True)
        mirror = self._finished(copying, str(folder / name), folder)
        if mirror.unread:
            raise Stop(Exit.USAGE, f"{shown}: cannot be read ({mirror.unread[name]})")
        return mirror

    def _of_pattern(self, remote: Remote, copying: _Copying) -> Mirror:
        files, path, shown = remote
        parts, names = path.split("/"), shown.split("/")
        first = next(number for number, part in enumerate(parts) if _MAGIC.search(part))
        pattern = parts[first:]
        url = "/".join(names[: len(names) - len(pattern)])
        base = "/".join(parts[:first])
        folder = self.folder_for(url, parts[first - 1] if first else "")
        matches = files.glob(path, detail=True)
        for match, info in sorted(matches.items()):
            inner = copying.path_in(folder, match, base)
            if inner is None:
                continue
            inner.parent.mkdir(parents=True, exist_ok=True)
            if info["type"] == "directory":
                inner.mkdir(exist_ok=True)
                copying.take_folder(match, inner, depth=0)
            else:
                copying.take_file(match, inner, info.get("size"))
        if not matches:
            raise _nowhere(shown, "nothing matches")
        return self._finished(copying, str(folder.joinpath(*pattern)), folder)

    def _finished(self, copying: _Copying, place: str, folder: Path) -> Mirror:
        failed = self.copy_all(copying.files, copying.wanted)
        unread = {path.relative_to(folder).as_posix(): why for path, why in failed.items()}
        return Mirror(place, unread | copying.unnamed)


class _Copying:
    """What is to be copied of a place; folders, and files that no run reads, are there at once, empty."""

    def __init__(self, places: RemotePlaces, files: Any, limits: Limits, *, trec: bool) -> None:
        from scoresheet.cli.input.limits import MIB

        self.files = files
        self._places = places
        self.wanted: list[Wanted] = []
        self.unnamed: dict[str, str] = {}  # what has no name that a file can have here
        self._most, self._trec = limits.file_mb * MIB, trec

    def take_folder(self, path: str, folder: Path, *, depth: int) -> None:
        """Take what is in a folder, and in those below it down to a depth."""
        from scoresheet.cli.input.manifests import LARGEST_MANIFEST, MANIFEST, MARK, is_results

        entries = {}
        for info in self.files.ls(path, detail=True):
            inner = self.path_in(folder, str(info["name"]), path)
            if inner is not None and inner != folder:
                entries[inner] = info
        for name in (MANIFEST, MARK):
            if (info := entries.get(folder / name)) and info["type"] != "directory":
                copy = Wanted(str(info["name"]), folder / name, LARGEST_MANIFEST, info.get("size"))
                self._places.copy_all(self.files, [copy])
        if is_results(folder):
            return  # they are no models
        for inner, info in sorted(entries.items()):
            if info["type"] != "directory":
                self.take_file(str(info["name"]), inner, info.get("size"))
                continue
            inner.mkdir(exist_ok=True)
            if depth:
                self.take_folder(str(info["name"]).rstrip("/"), inner, depth=depth - 1)

    def take_file(self, path: str, copy: Path, size: int | None, *, named: bool = False) -> None:
        """Take a file: whole if it can be a table by its name, else that it is there."""
        from scoresheet.cli.input.formats.by_extension import EXTENSIONS, TREC_EXTENSIONS
        from scoresheet.cli.input.formats.text_files import extension_of

        if named or self._trec or extension_of(copy) in EXTENSIONS | TREC_EXTENSIONS:
            self.wanted.append(Wanted(path, copy, self._most, size))
        else:
            copy.touch()

    def path_in(self, folder: Path, path: str, base: str) -> Path | None:
        """Return where a file below `base` is to stand in a folder; None if its name could lead out of it: noted."""
        inner = path.rstrip("/").removeprefix(base.rstrip("/")).lstrip("/")
        names = inner.split("/") if inner else []
        if all(map(_is_name, names)):
            return folder.joinpath(*names)
        self.unnamed[inner] = "no file can have this name here; rename it"
        return None


def _is_name(name: str) -> bool:
    """Return whether a name is that of a file in a folder, on any system, and no way out of it."""
    return name not in _BAD_SEGMENTS and not set("\0\\") & set(name) and not re.match("[A-Za-z]:", name)


def _nowhere(shown: str, what: str) -> Stop:
    from scoresheet.cli.input.discover import Nowhere

    return Nowhere(
        Exit.USAGE, f"{shown}: {what}; name a folder, a file, or a quoted pattern such as 's3://bucket/runs/*.xlsx'"
    )
