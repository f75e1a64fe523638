"""Discovery: which files are models and which are references, in sorted order, with every skip and its reason."""

from __future__ import annotations

import glob
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.formats.by_extension import is_table_file, table_stem
from scoresheet.cli.input.guard import CIRCLE, is_circular, real_path
from scoresheet.cli.input.manifests import is_results
from scoresheet.cli.input.patterns import matching_paths
from scoresheet.cli.write.names import file_key, file_stem
from scoresheet.metrics.problems import Effect, Problem
from scoresheet.metrics.records import dataclass


class Nowhere(Stop):
    """A path or a pattern that leads nowhere."""


@dataclass(frozen=True)
class Source:
    """A file to read: where it is, and how it is named in reports (relative to the folder given, with /)."""

    path: Path
    shown: str
    in_model_folder: bool = False  # and not a model, or several, by itself

    def size(self) -> int:
        """Return how many bytes it has; 0 if it cannot be looked at."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0


@dataclass(frozen=True)
class ModelInput:
    """The file or files of one model; `folder` means each file is a sheet."""

    name: str
    files: tuple[Source, ...]
    folder: bool = False
    only: str | None = None  # of its rows those whose model column says so; None: all are its own

    def size(self) -> int:
        """Return how many bytes its files have, as far as they can be looked at."""
        return sum(source.size() for source in self.files)

    @property
    def shown(self) -> str:
        """How the model's file or folder is named in reports."""
        if not self.folder:
            return self.files[0].shown
        folder = self.files[0].shown.rpartition("/")[0]
        # rows of one model may stand in files of no folder of their own
        return f"{folder}/" if folder and self.only is None else ", ".join(source.shown for source in self.files)


@dataclass
class Discovery:
    """What a place holds."""

    folder: str = ""  # as the user named it
    models: list[ModelInput] = field(default_factory=list)
    clashing: list[str] = field(default_factory=list)  # model names given by several inputs
    problems: list[Problem] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)  # what is no input, with the reason
    trec: bool = False  # whether TREC files are inputs
    lists: bool = False  # whether plain lists are


def discover_models(
    place: str,
    *,
    apart: Sequence[Path] = (),
    trec: bool = False,
    is_one: Callable[[Sequence[str]], bool] | None = None,
) -> Discovery:
    """Return the models of a folder, a file or a glob: a model per file, or per folder of tables.

    What is or holds one of `apart` (the results, the references, further tables) is no model, wherever it lies.
    `is_one` says whether files of such names are the sheets of one model: then the folder is that model.
    """
    found = Discovery(trec=trec)
    named = {real_path(other) for other in apart}
    for entry in _entries(place, found, apart):
        circle = _circle(entry, found)
        if circle:
            found.problems.append(_not_read(entry.shown, circle, "file skipped"))
        elif entry.path.is_dir():
            if any(other.is_relative_to(real_path(entry.path)) for other in named):
                found.ignored.append(f"{entry.shown}: the folder of results or references")
            elif is_results(entry.path):
                found.ignored.append(f"{entry.shown}: the results of an earlier run")
            else:
                _take_folder(entry, found)
        elif real_path(entry.path) in named and entry.path != Path(place):
            found.ignored.append(f"{entry.shown}: named as a table of references")
        elif _is_table(entry, found, named=entry.path == Path(place)):
            found.models.append(ModelInput(table_stem(entry.path), (entry,)))
    _set_apart_clashes(found)
    found.models.sort(key=lambda model: model.name)
    lone = all(not model.folder for model in found.models)
    if is_one and lone and Path(place).is_dir() and is_one([model.name for model in found.models]):
        _take_as_one(place, found)
    return found


def _take_as_one(place: str, found: Discovery) -> None:
    """Make the files of a folder the sheets of one model, as if the folder above had been named."""
    name = real_path(Path(place)).name
    files = sorted((source for model in found.models for source in model.files), key=lambda source: source.shown)
    message = f"{', '.join(source.shown for source in files)} are the sheets of one system, {name}"
    own = tuple(Source(file.path, f"{name}/{file.shown}", in_model_folder=True) for file in files)
    found.models = [ModelInput(name, own, folder=True)]
    found.folder = _parent(place.rstrip("/"))
    found.problems.append(Problem(kind="one-system", message=message, effect="note", file=f"{name}/"))


def discover_references(place: str, *, trec: bool = False, lists: bool = False) -> tuple[Discovery, list[Source]]:
    """Return every table file directly in a folder (or the file, or the glob's matches)."""
    found = Discovery(trec=trec, lists=lists)
    sources = []
    for entry in _entries(place, found, ()):
        if entry.path.is_dir():
            found.problems.append(_not_read(entry.shown, "a folder beside the references is not read"))
        elif _is_table(entry, found, named=entry.path == Path(place)):
            sources.append(entry)
    return found, sources


def _circle(entry: Source, found: Discovery) -> str:
    """Return why a link that might have been a model's folder is none; '' if it is no link in a circle.

    One that has the name of a table goes on as a model, which fails when it is to be read.
    """
    if not entry.path.is_symlink() or _is_passed_over(entry.path):
        return ""
    if is_circular(entry.path):
        return "" if is_table_file(entry.path, trec=found.trec) else f"{CIRCLE}; remove it, or mend it"
    if entry.path.is_dir() and real_path(entry.path.parent).is_relative_to(real_path(entry.path)):
        return "a link to the folder that it stands in, or to one above it; remove it"
    return ""


def _entries(place: str, found: Discovery, apart: Sequence[Path]) -> list[Source]:
    """Return what a folder, a file or a pattern names, in sorted order."""
    path = Path(place)
    if is_circular(path):
        raise Stop(Exit.USAGE, f"{place}: {CIRCLE}; name a folder, a file, or a quoted pattern such as 'runs/*.xlsx'")
    try:
        if path.is_dir():
            found.folder = place.rstrip("/") or "/"
            return [Source(path / name, name) for name in sorted(os.listdir(path))]  # noqa: PTH208 - names, not paths
        if path.exists() or path.is_symlink():
            found.folder = _parent(place)
            return [Source(path, path.name)]
        pattern = glob.has_magic(place)
        matches, repeated = matching_paths(place) if pattern else ([], [])
    except (OSError, ValueError) as error:
        raise Stop(Exit.USAGE, f"{place}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if not matches:
        kind = "nothing matches" if pattern else "no such file or folder"
        raise Nowhere(Exit.USAGE, f"{place}: {kind}; name a folder, a file, or a quoted pattern such as 'runs/*.xlsx'")
    found.folder = os.path.commonpath([str(Path(match).parent) for match in matches]) or "."
    kept = []
    for match in matches:
        if any(real_path(Path(match)).is_relative_to(real_path(other)) for other in apart):
            found.ignored.append(f"{match}: in the folder of results or references")
        else:
            kept.append(Source(Path(match), _below(match, found.folder)))
    why = "a link to a folder that is read already, and counts once"
    found.problems += [_not_read(_below(link, found.folder), why) for link in repeated]
    return kept


def _below(path: str, folder: str) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def _parent(place: str) -> str:
    parent = str(Path(place).parent)
    return "" if parent == "." and not place.startswith("./") else parent


def _is_table(entry: Source, found: Discovery, *, named: bool = False) -> bool:
    name = entry.path.name
    readable = is_table_file(entry.path, trec=found.trec, named=named, lists=found.lists)
    circular = is_circular(entry.path)
    if entry.path.is_symlink() and not entry.path.exists() and not circular:
        found.problems.append(_not_read(entry.shown, "a link that leads nowhere"))
        return False
    if name.startswith("~$"):
        found.ignored.append(f"{entry.shown}: a lock file of an open workbook")
    elif name.startswith("."):
        found.ignored.append(f"{entry.shown}: a dot file")
    elif not readable and circular:
        found.problems.append(_not_read(entry.shown, CIRCLE))
    elif not readable:
        found.ignored.append(f"{entry.shown}: not a table ({entry.path.suffix or 'no extension'})")
    else:
        return True
    return False


def _take_folder(entry: Source, found: Discovery) -> None:
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
        inner = Source(entry.path / name, f"{entry.shown}/{name}", in_model_folder=True)
        if inner.path.is_dir():
            found.problems.append(_not_read(inner.shown, "a folder below a model's folder is not read"))
        elif _is_table(inner, found):
            files.append(inner)
    if files:
        found.models.append(ModelInput(entry.path.name, tuple(files), folder=True))
    else:
        found.ignored.append(f"{entry.shown}: a folder with no tables")


def _set_apart_clashes(found: Discovery) -> None:
    by_name: dict[str, list[ModelInput]] = defaultdict(list)
    for model in found.models:
        by_name[file_key(model.name)].append(model)
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
    _set_apart_same_reports(found)


def _set_apart_same_reports(found: Discovery) -> None:
    """Leave out models whose names differ and whose reports' would not: made safe, one can be what another is."""
    by_report: dict[str, list[ModelInput]] = defaultdict(list)
    for model in found.models:
        by_report[file_key(file_stem(model.name))].append(model)
    for group in (group for group in by_report.values() if len(group) > 1):
        for model in group:
            others = ", ".join(other.shown for other in group if other is not model)
            message = f"its reports would have the same name as those of {others}; rename all but one"
            found.problems.append(Problem(kind="same-name", message=message, effect="file skipped", file=model.shown))
            found.models.remove(model)
        found.clashing += [model.name for model in group]


def _is_passed_over(path: Path) -> bool:
    return path.name.startswith((".", "~$"))


def _not_read(file: str, why: str, effect: Effect = "note") -> Problem:
    return Problem(kind="not-read", message=why, effect=effect, file=file)
