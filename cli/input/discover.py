"""Discovery: which files are models and which are references, in sorted order, with every skip and its reason."""

from __future__ import annotations

import glob
import json
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.formats.by_extension import is_table_file
from scoresheet.metrics.problems import Problem


class Nowhere(Stop):
    """A path or a pattern that leads nowhere."""


@dataclass(frozen=True)
class Source:
    """A file to read: where it is, and how it is named in reports (relative to the folder given, with /)."""

    path: Path
    shown: str


@dataclass(frozen=True)
class ModelInput:
    """The file or files of one model; `folder` means each file is a sheet."""

    name: str
    files: tuple[Source, ...]
    folder: bool = False

    @property
    def shown(self) -> str:
        """How the model's file or folder is named in reports."""
        shown = self.files[0].shown
        return shown.rpartition("/")[0] + "/" if self.folder else shown


@dataclass
class Found:
    """What a place holds."""

    folder: str = ""  # as the user named it
    models: list[ModelInput] = field(default_factory=list)
    clashing: list[str] = field(default_factory=list)  # model names given by several inputs
    problems: list[Problem] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)  # what is no input, with the reason
    trec: bool = False  # whether TREC files are inputs


def discover_models(place: str, *, apart: Sequence[Path] = (), trec: bool = False) -> Found:
    """Return the models of a folder, a file or a glob: a model per file, or per folder of tables.

    What is or holds one of `apart` (the results, the references, further tables) is no model, wherever it lies.
    """
    found = Found(trec=trec)
    named = {other.resolve() for other in apart}
    for entry in _entries(place, found, apart):
        if entry.path.is_dir():
            if any(other.resolve().is_relative_to(entry.path.resolve()) for other in apart):
                found.ignored.append(f"{entry.shown}: the folder of results or references")
            elif is_results(entry.path):
                found.ignored.append(f"{entry.shown}: the results of an earlier run")
            else:
                _take_folder(entry, found)
        elif entry.path.resolve() in named and entry.path != Path(place):
            found.ignored.append(f"{entry.shown}: named as a table of references")
        elif _is_table(entry, found):
            found.models.append(ModelInput(entry.path.stem, (entry,)))
    _set_apart_clashes(found)
    found.models.sort(key=lambda model: model.name)
    return found


def is_results(folder: Path) -> bool:
    """Return whether a folder holds reports of ours: its manifest says so."""
    try:
        record = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and record.get("tool") == "scoresheet"


def discover_references(place: str, *, trec: bool = False) -> tuple[Found, list[Source]]:
    """Return every table file directly in a folder (or the file, or the glob's matches)."""
    found = Found(trec=trec)
    sources = []
    for entry in _entries(place, found, ()):
        if entry.path.is_dir():
            found.problems.append(_not_read(entry.shown, "a folder beside the references is not read"))
        elif _is_table(entry, found):
            sources.append(entry)
    return found, sources


def _entries(place: str, found: Found, apart: Sequence[Path]) -> list[Source]:
    """Return what a folder, a file or a pattern names, in sorted order."""
    path = Path(place)
    try:
        if path.is_dir():
            found.folder = place.rstrip("/") or "/"
            return [Source(path / name, name) for name in sorted(os.listdir(path))]  # noqa: PTH208 - names, not paths
        if path.exists() or path.is_symlink():
            found.folder = _parent(place)
            return [Source(path, path.name)]
        pattern = glob.has_magic(place)
        matches = sorted(glob.glob(place, recursive=True)) if pattern else []  # noqa: PTH207 - a user's pattern
    except (OSError, ValueError) as error:
        raise Stop(Exit.USAGE, f"{place}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if not matches:
        kind = "nothing matches" if pattern else "no such file or folder"
        raise Nowhere(Exit.USAGE, f"{place}: {kind}; name a folder, a file, or a quoted pattern such as 'runs/*.xlsx'")
    found.folder = os.path.commonpath([str(Path(match).parent) for match in matches]) or "."
    kept = []
    for match in matches:
        if any(Path(match).resolve().is_relative_to(other.resolve()) for other in apart):
            found.ignored.append(f"{match}: in the folder of results or references")
        else:
            kept.append(Source(Path(match), Path(os.path.relpath(match, found.folder)).as_posix()))
    return kept


def _parent(place: str) -> str:
    parent = str(Path(place).parent)
    return "" if parent == "." and not place.startswith("./") else parent


def _is_table(entry: Source, found: Found) -> bool:
    name = entry.path.name
    if entry.path.is_symlink() and not entry.path.exists():
        found.problems.append(_not_read(entry.shown, "a link that leads nowhere"))
        return False
    if name.startswith("~$"):
        found.ignored.append(f"{entry.shown}: a lock file of an open workbook")
    elif name.startswith("."):
        found.ignored.append(f"{entry.shown}: a dot file")
    elif not is_table_file(entry.path, trec=found.trec):
        found.ignored.append(f"{entry.shown}: not a table ({entry.path.suffix or 'no extension'})")
    else:
        return True
    return False


def _take_folder(entry: Source, found: Found) -> None:
    if entry.path.name.startswith("."):
        found.ignored.append(f"{entry.shown}: a dot folder")
        return
    files = []
    try:
        names = sorted(os.listdir(entry.path))  # noqa: PTH208 - names, not paths
    except OSError as error:
        message = f"the folder cannot be read: {error.strerror}"
        found.problems.append(
            Problem(kind="not-a-file", message=message, effect="file skipped", file=f"{entry.shown}/")
        )
        return
    for name in names:
        inner = Source(entry.path / name, f"{entry.shown}/{name}")
        if inner.path.is_dir():
            found.problems.append(_not_read(inner.shown, "a folder below a model's folder is not read"))
        elif _is_table(inner, found):
            files.append(inner)
    if files:
        found.models.append(ModelInput(entry.path.name, tuple(files), folder=True))
    else:
        found.ignored.append(f"{entry.shown}: a folder with no tables")


def _set_apart_clashes(found: Found) -> None:
    by_name: dict[str, list[ModelInput]] = defaultdict(list)
    for model in found.models:
        by_name[model.name.casefold()].append(model)
    for group in by_name.values():
        if len(group) == 1:
            continue
        shown = [model.shown for model in group]
        for model, file in zip(group, shown, strict=True):
            others = ", ".join(other for other in shown if other != file)
            message = f"gives the same model name as {others}, ignoring case; rename all but one"
            found.problems.append(Problem(kind="same-name", message=message, effect="file skipped", file=file))
            found.models.remove(model)
        found.clashing.append(group[0].name)


def _not_read(file: str, why: str) -> Problem:
    return Problem(kind="not-read", message=why, effect="note", file=file)
