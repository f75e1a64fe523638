"""What was read as what: how each role of a table is filled, and the table on its way."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from scoresheet.cli.input.cells import Look, describe, look
from scoresheet.cli.input.discover import Source
from scoresheet.cli.input.grammar import PLACES, Said, few, join_names
from scoresheet.metrics.problem import Problem
from scoresheet.metrics.role import Table

# Columns that every tidy table has next to its roles.
ROW, FILE, WORKSHEET, PART, ASKED = "row", "file", "worksheet", "part", "asked"


@dataclass(frozen=True)
class Filling:
    """How one role of a table is filled.

    `header`: the cells of one column; `headers`: of several columns; `place`: the name of the
    file, folder or worksheet; `names`: headers, or parts of them, are the values; `cells`: the
    cells below those headers; `none`: left empty. `source` is what was typed where a header alone
    does not say it, `shown` how people read a place, `values` those of a place or of each header.
    """

    role: str
    how: Literal["header", "headers", "place", "names", "cells", "none"]
    headers: tuple[str, ...] = ()
    source: str = ""
    shown: str = ""
    values: tuple[str, ...] = ()
    said: bool = False
    own_name: bool = False

    def phrase(self) -> str:
        """Return how the role was filled, as the mapping line shows it.

        >>> Filling("judge", "names", ("kim", "lee")).phrase()
        'judge ← headers kim, lee'
        """
        if self.own_name and not self.source:
            return self.role
        headers = few(self.headers)
        source = {
            "header": self.source or headers,
            "headers": headers,
            "names": f"headers {headers}" + (f" ({self.source})" if self.source else ""),
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
        return {
            "header": self.source or "".join(self.headers),
            "headers": self.source,
            "names": "" if self.source else named_headers(self.headers),
            "place": self.source if self.said or self.role == "model" else "",
            "cells": self.source or "@cells",
            "none": "@none",
        }[self.how]


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
class Reading:
    """One table on its way from the cells of a file to the long table of a family.

    `cells` are those of the file by header, `rows` the number of each row. While the columns are
    mapped, `taken` has the headers that have a use and `refused` the roles that have a problem.
    `columns` are those of the long table.
    """

    declared: Table
    source: Source
    sheet: str
    cells: dict[str, list[Any]]
    rows: list[int]
    fills: dict[str, Filling] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    asked: str = ""
    values: tuple[str, ...] = ()
    columns: dict[str, list[Any]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.columns[ROW])

    @property
    def mapping(self) -> Mapping:
        """Return what was read as what."""
        fillings = tuple(
            self.fills[name] for name in self.declared.role_names if name in self.fills
        )
        unused = tuple(header for header in self.free() if header not in self.values)
        return Mapping(self.declared.name, fillings, unused, self.values, self.asked)

    def free(self) -> list[str]:
        """Return the headers that no role has taken."""
        return [header for header in self.cells if header not in self.taken]

    def opened(self) -> list[str]:
        """Return the roles that nothing fills and that headers can fill as values."""
        return [
            role.name for role in self.declared.roles if role.open and role.name not in self.fills
        ]

    def look(self, header: str) -> Look:
        """Return what a column holds."""
        return look(header, self.cells[header])

    def header(self, role: str) -> str:
        """Return the column that a role was read from, empty if it is not one column."""
        filling = self.fills.get(role)
        return filling.headers[0] if filling and filling.how == "header" else ""

    def fill(self, filling: Filling) -> None:
        """Fill a role; its headers are no longer free."""
        role, headers, values = filling.role, filling.headers, filling.values
        if filling.how == "header":
            own_name = self.declared.role(role).is_named(headers[0])
            filling = replace(filling, own_name=own_name)
        elif filling.how == "names" and not values:  # headers, or the numbers of steps of a walk
            is_walk = self.declared.walk and role == self.declared.walk[0]
            steps = tuple(map(str, range(len(headers))))
            filling = replace(filling, values=steps if is_walk else headers)
        self.fills[role] = filling
        for header in headers:
            self.taken.setdefault(header, role)

    def place(self, role: str, words: str, template: str = "", source: str = "") -> Filling:
        """Return how a role is filled with the name of the file, folder or worksheet."""
        path = "folder name" if self.source.nested else "file name"
        shown = " and ".join({**PLACES, "@path": path}[word] for word in words.split())
        value = self.source.place(words, self.sheet)
        shown += f" {template}" if template else ""
        return Filling(role, "place", (), source or words, shown, (value,))

    def option(self, role: str, source: str) -> str:
        """Return the option that fills a role from a source."""
        return Said(self.declared.name, role, source).option

    def refuse(
        self, kind: str, role: str, message: str, *hint: str, columns: Sequence[str] = ()
    ) -> None:
        """Add a problem: an advice and its options, what these columns hold, what was read."""
        self.refused.add(role)
        width = max(map(len, columns), default=0)
        details = [f"{name:<{width}}  {describe(name, self.cells[name])}" for name in columns]
        if read := " · ".join(filling.phrase() for filling in self.fills.values()):
            details.append(f"read so far: {read}")
        if left := ", ".join(f"{name} ({self.look(name)[0]})" for name in self.free()[:12]):
            details.append(f"not used: {left}")
        hints = "\n".join(hint)
        self.problems.append(Problem(kind, "skipped", message, hint=hints, details=tuple(details)))

    def note(self, kind: str, message: str, column: str = "", row: int = 0) -> None:
        """Add a note."""
        self.problems.append(Problem(kind, "note", message, column=column, row=row))

    def take(self, rows: Sequence[int]) -> None:
        """Keep some rows of the long table, by their positions."""
        self.columns = {name: [cells[at] for at in rows] for name, cells in self.columns.items()}

    def lose(self, lost: Collection[int], kind: str, message: str, column: str = "") -> None:
        """Leave out rows of the long table, by their positions, each of which is a problem."""
        rows = dict.fromkeys(self.columns[ROW][at] for at in sorted(lost))
        self.problems += [Problem(kind, "row", message, row=row, column=column) for row in rows]
        self.take([at for at in range(len(self)) if at not in lost])

    def change(self, column: str, function: Callable[[str], str]) -> None:
        """Apply a function to each different text of a column of the long table."""
        changed = {text: function(text) for text in set(self.columns[column])}
        self.columns[column] = [changed[text] for text in self.columns[column]]

    def frame(self) -> pd.DataFrame:
        """Return the long table as pandas keeps it, texts as Python objects."""
        roles = [role.name for role in self.declared.roles if role.kind == "number"]
        numeric = {ROW: int, PART: int, **dict.fromkeys((*roles, *self.values), float)}
        texts = {name: cells for name, cells in self.columns.items() if name not in numeric}
        frame = pd.DataFrame(texts, dtype=object)
        for name in filter(self.columns.__contains__, numeric):
            frame[name] = np.array(self.columns[name], dtype=numeric[name])
        return frame
