"""Discovery: the files that an argument names, each once, sorted by name."""

import difflib
import os
import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path

from scoresheet.metrics.problem import Problem, Refusal

MARK = ".scoresheet"  # a folder with a file of this name holds results
EXTENSIONS = {
    **dict.fromkeys((".csv", ".tsv", ".csv.gz", ".tsv.gz"), "csv"),
    **dict.fromkeys((".xlsx", ".xls", ".xlsb", ".ods"), "excel"),
    **dict.fromkeys((".json", ".json.gz"), "json"),
    **dict.fromkeys((".jsonl", ".jsonl.gz"), "jsonl"),
    ".parquet": "parquet",
}
TREC = {".run": "trec_run", ".trec": "trec_run", ".qrels": "trec_qrels"}
_NUMBER = r"\s+[+-]?[\d.]+(?:e[+-]?\d+)?"
_TREC_LINES = {
    "trec_run": re.compile(rf"\S+\s+\S+\s+\S+{_NUMBER}{_NUMBER}\s+\S+", re.IGNORECASE),
    "trec_qrels": re.compile(rf"\S+\s+\S+\s+\S+{_NUMBER}", re.IGNORECASE),
}
Entry = tuple[Path, tuple[str, ...]]  # a path and its names below the argument


@dataclass(frozen=True, slots=True)
class Source:
    """A file that is read as one or more tables.

    `name` is shown to the user: the path below the argument. `entry` is the name directly in the
    argument (@path), `folder` the name of the folder that holds the file (@folder), `stem` the
    whole file name without its table extension (@file). `format` is csv, excel, json, jsonl,
    parquet, trec_run, trec_qrels or list. A `nested` file is in a folder below the argument.
    """

    path: Path
    name: str
    entry: str
    folder: str
    stem: str
    format: str
    nested: bool

    def place(self, words: str, sheet: str) -> str:
        """Return the name that `@file`, `@folder`, `@sheet` or `@path` stands for, or several."""
        names = {
            "@file": self.stem,
            "@folder": self.folder,
            "@sheet": sheet or self.stem,
            "@path": self.entry,
        }
        return "/".join(names[word] for word in words.split())


@dataclass
class Discovery:
    """The files to read, sorted by name; what was ignored and why; what could not be followed."""

    sources: list[Source] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def discover(argument: str, *, trec: bool = False, lists: bool = False) -> Discovery:
    """Return the files of an argument: a file, a folder with all below it, or a pattern.

    `trec` also reads TREC runs and qrels, `lists` also a `.txt` file as a list. An argument that
    names nothing to read raises Refusal.
    """
    base, pattern = _base(argument)
    found = Discovery()
    entries = _walk(base, pattern, found) if base.is_dir() else [(base, (base.name,))]
    for path, parts in entries:
        name, nested = _shown("/".join(parts)), len(parts) > 1
        if not path.is_file():  # a pipe or a device
            message = "this is not a regular file, so it is not opened"
            found.problems.append(Problem("not-a-file", "skipped", message, name))
            continue
        extension, format_ = _format(path, trec=trec, lists=lists)
        stem = _shown(path.name[: len(path.name) - len(extension)])
        parent = path.parent if path.parent.name not in ("", "..") else path.parent.resolve()
        entry, folder = _shown(parts[0]) if nested else stem, _shown(parent.name)
        if format_:
            found.sources.append(Source(path, name, entry, folder, stem, format_, nested))
        else:
            found.ignored.append(f"{name} (not a table)")
    if not found.sources:
        there = ", ".join(found.ignored[:10]) + (" …" if found.ignored[10:] else "")
        there = there or ("see below" if found.problems else "it has no files")
        message = f"there is nothing to read in {_shown(argument)}: {there}"
        extensions = [*EXTENSIONS, *(TREC if trec else ()), *((".txt",) if trec or lists else ())]
        hint = f"files that end in {', '.join(extensions)} are read"
        nothing = Problem("nothing-to-read", "refused", message, hint=hint)
        raise Refusal(nothing, *found.problems)
    found.sources.sort(key=lambda source: source.name)
    return found


def _base(argument: str) -> Entry:
    """Return the file or folder to start from, and the pattern below it, if there is one."""
    path, hint = Path(argument), ""
    message = f"there is no file or folder {_shown(argument)}"
    try:
        if path.exists():
            return path, ()
        literal = list(takewhile(lambda part: not set(part) & set("*?["), path.parts))
        base = Path(*literal)
        if len(literal) < len(path.parts) and base.is_dir():
            return base, path.parts[len(literal) :]
        if path.is_symlink():
            message = f"{_shown(argument)} is a link that leads nowhere or to itself"
        missing = next(place for place in (base, *base.parents) if place.parent.is_dir())
        names = [place.name for place in missing.parent.iterdir() if place != path]
        for near in difflib.get_close_matches(missing.name, names, 1):
            hint = f"did you mean {_shown(str(missing.parent / near))}?"
    except (OSError, ValueError):  # a name that no file can have
        hint = ""
    raise Refusal(Problem("no-such-path", "refused", message, hint=hint))


def _walk(base: Path, pattern: tuple[str, ...], found: Discovery) -> Iterator[Entry]:
    """Yield each file once; links are followed after all that is not a link."""
    seen: set[Path] = set()
    pending, links = deque[Entry]([(base, ())]), deque[Entry]()
    while pending or links:
        path, parts = (pending or links).popleft()
        name = _shown("/".join(parts))
        try:
            is_folder, real = path.is_dir(), path.resolve(strict=True)
            entries = sorted(path.iterdir()) if is_folder and real not in seen else []
            circle = real in seen and path.parent.resolve().is_relative_to(real)
        except (OSError, RuntimeError):  # RuntimeError: links in a circle before Python 3.13
            is_folder, real, entries, circle = False, path, [], True
        if circle:
            message = "this is a link that leads nowhere or back to itself, or a closed folder"
            found.problems.append(Problem("link", "skipped", message, name))
        elif real in seen:
            found.ignored.append(f"{name} (a link to {_shown(real.name)}, which is read already)")
        elif not is_folder:
            yield path, parts
        seen.add(real)
        for entry in entries:
            below = (*parts, entry.name)
            if entry.name.startswith((".", "~$")):
                found.ignored.append(f"{_shown('/'.join(below))} (hidden, or a lock file)")
            elif (entry / MARK).is_file():
                found.ignored.append(f"{_shown('/'.join(below))} (results of scoresheet)")
            elif _matches(below, pattern, below=entry.is_dir()):
                (links if entry.is_symlink() else pending).append((entry, below))


def _matches(parts: tuple[str, ...], pattern: tuple[str, ...], *, below: bool = False) -> bool:
    """Return whether a path or a folder above it matches, or `below`, whether one below it can."""
    if not pattern or (below and not parts):
        return True
    if pattern[0] == "**":
        deeper = below or bool(parts[1:] and _matches(parts[1:], pattern))
        return deeper or _matches(parts, pattern[1:])
    here = bool(parts) and fnmatchcase(parts[0], pattern[0])
    return here and _matches(parts[1:], pattern[1:], below=below)


def _format(path: Path, *, trec: bool, lists: bool) -> tuple[str, str]:
    """Return the table extension of a file and its format, or two empty texts."""
    name = path.name.lower()
    extension = next((e for e in EXTENSIONS if name.endswith(e) and name != e), "")
    if extension:
        return extension, EXTENSIONS[extension]
    extension = path.suffix.lower()
    if trec and extension in (*TREC, ".txt", ""):
        line = ""
        if path.stat().st_size and os.access(path, os.R_OK):  # without a size it may never end
            with path.open("rb") as file:
                line = file.read(2**16).decode("utf-8", "replace").strip().partition("\n")[0]
        known = [name for name, fields in _TREC_LINES.items() if fields.fullmatch(line)]
        if known or extension in TREC:
            return extension, known[0] if known else TREC[extension]
    return (extension, "list") if lists and extension == ".txt" else ("", "")


def _shown(name: str) -> str:
    """Return a name as text: NFC, and with a mark for bytes that are not UTF-8."""
    return unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "replace"))
