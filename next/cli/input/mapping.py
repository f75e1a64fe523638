"""What was read as what: the mapping of one table's columns to a family's roles."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from scoresheet.cli.input.cells import kind
from scoresheet.cli.input.grammar import Said, has_two_readings, join_names, pattern_of
from scoresheet.cli.input.source import Source
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Table

How = Literal["header", "headers", "place", "names", "pattern", "cells", "file word", "none"]


@dataclass(frozen=True)
class Filling:
    """How one role of a table is filled.

    `header`: the cells of one column; `headers`: of several columns; `place`: the name of a file,
    folder or worksheet; `names`: headers are the values; `pattern`: parts of headers are; `cells`:
    the cells below those headers; `file word`: found in the file's name; `none`: left empty.
    `source` is what was typed where a header alone does not say it, `shown` how people read it.
    """

    role: str
    how: How
    headers: tuple[str, ...] = ()
    source: str = ""
    shown: str = ""
    said: bool = False
    own_name: bool = False

    def phrase(self) -> str:
        """Return how the role was filled, as the mapping line shows it.

        >>> Filling("judge", "names", ("kim", "lee")).phrase()
        'judge ← headers kim, lee'
        """
        if self.how == "header" and self.own_name and not self.source:
            return self.role
        few = ", ".join(self.headers[:6]) + (", …" if len(self.headers) > 6 else "")
        source = {
            "header": self.source or few,
            "headers": few,
            "names": f"headers {few}",
            "pattern": f"headers {few} ({self.source})",
            "place": self.shown or self.source,
            "cells": "their cells",
            "file word": "file name",
            "none": "nothing",
        }[self.how]
        return f"{self.role} ← {source}"

    def typed(self) -> str:
        """Return the source as --column takes it; empty for what needs no saying.

        >>> Filling("judge", "names", ("kim", "lee")).typed()
        '@header:kim,lee'
        """
        names = join_names(self.headers)
        if self.how == "place":
            by_default = self.role == "sheet" and not self.said
            return "" if by_default else self.source
        sources = {
            "header": self.source or (self.headers[0] if self.headers else ""),
            "headers": self.source or names,
            "names": f"@header:{names}",
            "cells": self.source or "@cells",
            "none": "@none",
        }
        return sources.get(self.how, "")


@dataclass(frozen=True)
class Place:
    """The file and worksheet that a table was read from."""

    source: Source
    sheet: str = ""

    def value(self, word: str) -> str:
        """Return the name that `@file`, `@folder`, `@sheet` or `@path` stands for."""
        names = {
            "@file": self.source.stem,
            "@folder": self.source.folder,
            "@sheet": self.sheet or self.source.stem,
            "@path": self.source.entry,
        }
        return "/".join(names[part] for part in word.split())

    def read(self, filling: Filling) -> str:
        """Return the value of a role that is filled from a place: a name, or a part of it."""
        word, _, template = filling.source.partition(":")
        value = self.value(word)
        if not template:
            return value
        pattern = pattern_of(template)[0]
        match = pattern.fullmatch(value)
        if not match:
            message, hint = (
                f"the name {value} does not fit {template}",
                "rename it, or move it away",
            )
            raise Refusal(Problem("places", "skipped", message, hint=hint, file=self.source.name))
        if has_two_readings(pattern, value):
            message = f"the name {value} fits {template} in more than one way"
            hint = "rename it so that it fits in one way"
            raise Refusal(Problem("two-ways", "skipped", message, hint=hint, file=self.source.name))
        return str(match[filling.role])


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
        parts = [filling.phrase() for filling in self.fillings]
        if self.values:
            few = ", ".join(self.values[:6]) + (", …" if len(self.values) > 6 else "")
            parts.append(f"values ← {few}")
        if self.asked:
            parts.append(f"shown: {self.asked}")
        if self.unused:
            parts.append(f"not used: {', '.join(self.unused)}")
        return parts

    def strict_notes(self) -> list[Problem]:
        """Return what --strict does not let pass: a guess by a word, a column without a use."""
        notes = [
            Problem("word", "note", f"{f.role} was read from {f.headers[0]}, because of its name")
            for f in self.fillings
            if f.how == "header" and not f.said and not f.own_name
        ]
        unused = [f"column {header} is not used" for header in self.unused]
        return notes + [Problem("not-used", "note", message) for message in unused]


def column_option(table: Table, role: str, source: str) -> str:
    """Return the option that fills a role of a table from a source, as it can be typed."""
    prefix = "" if table.name == "outputs" else f"{table.name}."
    return f"--column {shlex.quote(f'{prefix}{role}={source}')}"


@dataclass
class Draft:
    """A mapping in the making: what is filled, which headers are free, what is wrong."""

    table: Table
    frame: pd.DataFrame
    said: tuple[Said, ...]
    fills: dict[str, Filling] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    asked: str = ""
    values: tuple[str, ...] = ()

    def free(self) -> list[str]:
        """Return the headers that no role has taken."""
        return [header for header in self.frame.columns if header not in self.taken]

    def kind_of(self, header: str) -> str:
        """Return in one word what a column holds."""
        return kind(self.frame[header])

    def fill(self, filling: Filling) -> None:
        """Fill a role; its headers are no longer free."""
        self.fills[filling.role] = filling
        for header in filling.headers:
            self.taken.setdefault(header, filling.role)

    def refuse(
        self, kind: str, role: str, message: str, hint: str = "", details: Sequence[str] = ()
    ) -> None:
        """Add a problem of this table, with what was read so far."""
        self.refused.add(role)
        read = " · ".join(f.phrase() for f in self.fills.values())
        left = ", ".join(f"{h} ({self.kind_of(h)})" for h in self.free()[:12])
        notes = [f"read so far: {read}"] if read else []
        notes += [f"not used: {left}"] if left else []
        self.problems.append(
            Problem(kind, "skipped", message, hint=hint, details=(*details, *notes))
        )

    def option(self, role: str, source: str) -> str:
        """Return the option that fills a role from a source, as it can be typed."""
        return column_option(self.table, role, source)
