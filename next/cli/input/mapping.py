"""What was read as what: a table as it was read, its mapping to roles, its long form."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from scoresheet.cli.input.cells import Look, describe, look
from scoresheet.cli.input.grammar import PLACES, Said, few, join_names
from scoresheet.cli.input.source import Source
from scoresheet.metrics.problem import Problem
from scoresheet.metrics.role import Table

# Columns that every tidy table has next to its roles.
ROW, FILE, WORKSHEET, PART, ASKED = "row", "file", "worksheet", "part", "asked"
How = Literal["header", "headers", "place", "names", "pattern", "cells", "none"]


@dataclass(frozen=True)
class Place:
    """The file and worksheet that a table was read from, and the positions of its columns."""

    source: Source
    sheet: str = ""
    columns: Sequence[int] = ()

    def value(self, words: str) -> str:
        """Return the name that `@file`, `@folder`, `@sheet` or `@path` stands for, or several."""
        names = {
            "@file": self.source.stem,
            "@folder": self.source.folder,
            "@sheet": self.sheet or self.source.stem,
            "@path": self.source.entry,
        }
        return "/".join(names[word] for word in words.split())

    def shown(self, words: str) -> str:
        """Return how people call the place that is read."""
        path = "folder name" if self.source.nested else "file name"
        return " and ".join({**PLACES, "@path": path}[word] for word in words.split())


@dataclass(frozen=True)
class Raw:
    """A table as it was read: its cells by header, the row of each in the file, the file."""

    cells: dict[str, list[Any]]
    rows: list[int]
    place: Place


@dataclass(frozen=True)
class Filling:
    """How one role of a table is filled.

    `header`: the cells of one column; `headers`: of several columns; `place`: a `value` in the
    name of the file, folder or worksheet; `names`: headers are the values; `pattern`: parts of
    headers are; `cells`: the cells below those headers; `none`: left empty. `source` is what was
    typed where a header alone does not say it, `shown` how people read it.
    """

    role: str
    how: How
    headers: tuple[str, ...] = ()
    source: str = ""
    shown: str = ""
    value: str = ""
    said: bool = False
    own_name: bool = False

    def phrase(self) -> str:
        """Return how the role was filled, as the mapping line shows it.

        >>> Filling("judge", "names", ("kim", "lee")).phrase()
        'judge ← headers kim, lee'
        """
        if self.own_name and not self.source:
            return self.role
        source = {
            "header": self.source or few(self.headers),
            "headers": few(self.headers),
            "names": f"headers {few(self.headers)}",
            "pattern": f"headers {few(self.headers)} ({self.source})",
            "place": self.shown,
            "cells": "their cells",
            "none": "nothing",
        }[self.how]
        return f"{self.role} ← {source}"

    def typed(self) -> str:
        """Return the source as --column takes it; empty for what needs no saying.

        >>> Filling("judge", "names", ("kim", "lee")).typed()
        '@header:kim,lee'
        """
        sources = {
            "header": self.source or "".join(self.headers),
            "headers": self.source,
            "names": named_headers(self.headers),
            "place": self.source if self.said or self.role == "model" else "",
            "cells": self.source or "@cells",
            "none": "@none",
        }
        return sources.get(self.how, "")


@dataclass(frozen=True)
class Mapping:
    """What was read as what in one table. `values` are columns without a role that are values."""

    table: str
    fillings: tuple[Filling, ...]
    unused: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    asked: str = ""

    def filling(self, role: str) -> Filling | None:
        """Return how a role is filled, if it is."""
        return next((f for f in self.fillings if f.role == role and f.how != "none"), None)

    def phrases(self) -> list[str]:
        """Return the parts of the line that says what was read as what."""
        further = {
            "values ← ": few(self.values),
            "shown: ": self.asked,
            "not used: ": ", ".join(self.unused),
        }
        said = [f"{what}{names}" for what, names in further.items() if names]
        return [*(filling.phrase() for filling in self.fillings), *said]

    def strict_notes(self) -> list[Problem]:
        """Return what --strict does not let pass: a guess by a word, a column without a use."""
        notes = [
            Problem("word", "note", f"{f.role} was read from {f.headers[0]}, because of its name")
            for f in self.fillings
            if f.how == "header" and not f.said and not f.own_name
        ]
        unused = [f"column {header} is not used" for header in self.unused]
        return notes + [Problem("not-used", "note", message) for message in unused]


def named_headers(headers: Sequence[str]) -> str:
    """Return the source that takes these headers as values."""
    return f"@header:{join_names(headers)}"


@dataclass
class Draft:
    """A mapping in the making: what is filled, which headers are taken, what is wrong."""

    table: Table
    raw: Raw
    fills: dict[str, Filling] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    asked: str = ""
    values: tuple[str, ...] = ()

    def free(self) -> list[str]:
        """Return the headers that no role has taken."""
        return [header for header in self.raw.cells if header not in self.taken]

    def look(self, header: str) -> Look:
        """Return what a column holds."""
        return look(header, self.raw.cells[header])

    def fill(self, filling: Filling) -> None:
        """Fill a role; its headers are no longer free."""
        if filling.how == "header":
            own_name = self.table.role(filling.role).is_named(filling.headers[0])
            filling = replace(filling, own_name=own_name)
        self.fills[filling.role] = filling
        for header in filling.headers:
            self.taken.setdefault(header, filling.role)

    def fill_place(self, role: str, words: str) -> None:
        """Fill a role with the name of the file, folder or worksheet."""
        place = self.raw.place
        self.fill(Filling(role, "place", (), words, place.shown(words), place.value(words)))

    def option(self, role: str, source: str) -> str:
        """Return the option that fills a role from a source."""
        return Said(self.table.name, role, source).option

    def refuse(
        self, kind: str, role: str, message: str, *hint: str, columns: Sequence[str] = ()
    ) -> None:
        """Add a problem: an advice and its options, what these columns hold, what was read."""
        self.refused.add(role)
        width = max(map(len, columns), default=0)
        details = [f"{name:<{width}}  {describe(name, self.raw.cells[name])}" for name in columns]
        if read := " · ".join(filling.phrase() for filling in self.fills.values()):
            details.append(f"read so far: {read}")
        if left := ", ".join(f"{name} ({self.look(name).kind})" for name in self.free()[:12]):
            details.append(f"not used: {left}")
        hints = "\n".join(hint)
        self.problems.append(Problem(kind, "skipped", message, hint=hints, details=tuple(details)))


@dataclass
class Long:
    """The long table of a family, one list per column, and what is worth a word."""

    table: Table
    raw: Raw
    mapping: Mapping
    columns: dict[str, list[Any]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.columns[ROW])

    def take(self, rows: Sequence[int]) -> None:
        """Keep some rows, by their positions."""
        self.columns = {name: [cells[at] for at in rows] for name, cells in self.columns.items()}

    def header(self, role: str) -> str:
        """Return the column that a role was read from, empty if it is not one column."""
        filling = self.mapping.filling(role)
        return filling.headers[0] if filling and filling.how == "header" else ""

    def option(self, role: str, source: str) -> str:
        """Return the option that fills a role from a source."""
        return Said(self.table.name, role, source).option

    def note(self, kind: str, message: str, column: str = "", row: int = 0) -> None:
        """Add a note."""
        self.problems.append(Problem(kind, "note", message, column=column, row=row))

    def change(self, column: str, function: Callable[[str], str]) -> None:
        """Apply a function to each different text of a column."""
        changed = {text: function(text) for text in set(self.columns[column])}
        self.columns[column] = [changed[text] for text in self.columns[column]]

    def lose(self, lost: Collection[int], kind: str, message: str, column: str = "") -> None:
        """Leave out rows, by their positions, each of which is a problem."""
        rows = dict.fromkeys(self.columns[ROW][at] for at in sorted(lost))
        self.problems += [Problem(kind, "row", message, row=row, column=column) for row in rows]
        self.take([at for at in range(len(self)) if at not in lost])

    def frame(self) -> pd.DataFrame:
        """Return the table as pandas keeps it, texts as Python objects."""
        roles = [role.name for role in self.table.roles if role.kind == "number"]
        numeric = {ROW: int, PART: int, **dict.fromkeys((*roles, *self.mapping.values), float)}
        texts = [name for name in self.columns if name not in numeric]
        rows = list(zip(*(self.columns[name] for name in texts), strict=True))
        frame = pd.DataFrame(rows, columns=texts, dtype=object)
        for name in filter(self.columns.__contains__, numeric):
            frame[name] = np.array(self.columns[name], dtype=numeric[name])
        return frame
