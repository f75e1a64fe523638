"""Tables as users have them, read with the options that users type.

A table is a text (the header first, rows separated by `;` and cells by blanks, `_` for an empty
cell, `~` for a blank in a cell), columns by header, or a JSON file's rows. Several are given by
file name; a worksheet is `book.xlsx[May]`.
"""

import json
import math
import re
import shlex
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from scoresheet.cli.input.discover import Source, discover
from scoresheet.cli.input.frames import FileTables, Rules
from scoresheet.cli.input.grammar import parse_columns, parse_where
from scoresheet.cli.input.mapping import Mapping
from scoresheet.cli.input.read import read_tables
from scoresheet.cli.input.tidy import load_table
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Table


def tables_of(family: str) -> tuple[Table, ...]:
    """Return the tables that a family declares."""
    package = f"scoresheet.metrics.{family.replace('-', '_')}"
    module = import_module(package)
    declared = module if hasattr(module, "TABLES") else import_module(f"{package}.tables")
    return tuple(declared.TABLES)


NAMES = "sinfo mode-collapse diversity disagree entropy collective scores"
FAMILIES = {name: tables_of(name) for name in NAMES.split()}


class Loaded(NamedTuple):
    """The rows of one or more tables, what the first was read as, and what is worth a word."""

    long: pd.DataFrame
    mapping: Mapping
    problems: list[Problem]


Load = Callable[..., Loaded]
Rows = Callable[..., str]
Refused = Callable[..., list[Problem]]


def blocks(file: str) -> list[str]:
    """Return the cases of a file: a comment, then cases with an empty line between them."""
    text = (Path(__file__).parent / "cases" / file).read_text(encoding="utf-8")
    return text.replace(",\n {", ", {").strip().split("\n\n")[1:]


def parsed(lines: list[str]) -> tuple[Any, list[str]]:
    """Return the table or the tables of a case, and the options."""
    options = [line for line in lines if line.startswith("--")]
    files = [re.match(r"(\S+\.\w+(?:\[\w+\])?): (.*)", line) for line in lines]
    tables = {f[1]: json.loads(f[2]) if ".json" in f[1] else f[2] for f in files if f}
    return tables or " ".join(line for line in lines if line not in options), options


def frame_of(cells: Any) -> pd.DataFrame:
    """Return a table of text cells, of which the first row is row 2."""
    if isinstance(cells, str):
        header, *rows = (line.split() for line in cells.split(";"))
        texts = [["" if cell == "_" else cell.replace("~", " ") for cell in row] for row in rows]
        cells = {name: [row[place] for row in texts] for place, name in enumerate(header)}
    count = len(next(iter(cells.values())))
    return pd.DataFrame(cells, index=pd.Index(range(2, count + 2)), dtype=object)


def source_of(name: str) -> Source:
    """Return a source by its name below the argument."""
    *folders, file = name.split("/")
    stem = file.rpartition(".")[0]
    entry, folder = (folders[0], folders[-1]) if folders else (stem, "outputs")
    return Source(Path("outputs") / name, name, entry, folder, stem, "csv", bool(folders))


def rules_of(family: str, options: tuple[str, ...], given: tuple[str, ...]) -> Rules:
    """Return what options say, each a text as hints print them."""
    words = [word for option in options for word in shlex.split(option)]
    pairs = list(zip(words[::2], words[1::2], strict=True))
    last = dict(pairs)
    missing = last.get("--missing-values", "")
    return Rules(
        said=parse_columns([v for k, v in pairs if k == "--column"], FAMILIES[family]),
        where=parse_where(last.get("--where", "")),
        missing_values=tuple(missing.split(",")) if missing else (),
        match=last.get("--match", "exact"),
        extract=last.get("--extract", ""),
        by=tuple(v for k, v in pairs if k == "--by"),
        accept=frozenset(v for k, v in pairs if k == "--accept"),
        repeats=last.get("--repeats", "error"),
        given=given,
        records=last.get("--records", ""),
    )


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return the function that reads tables with options; several are put together."""

    def read_frame(name: str, cells: Any, rules: Rules) -> pd.DataFrame:
        if not name.endswith(".json"):
            return frame_of(cells)
        path = tmp_path / name
        path.write_text(json.dumps(cells), encoding="utf-8")
        (frame,) = read_tables(discover(str(path)).sources[0], rules).tables.values()
        return frame

    def read(
        family: str,
        data: Any,
        *options: str,
        table: str = "outputs",
        references: pd.DataFrame | None = None,
        given: tuple[str, ...] = (),
    ) -> Loaded:
        by_name = isinstance(data, dict) and any("." in name for name in data)
        files = data if by_name else {"table.csv": data}
        declared = next(t for t in FAMILIES[family] if t.name == table)
        given = (*given, "references") if references is not None else given
        rules = rules_of(family, options, given)
        key = next((t.key for t in FAMILIES[family] if t.name == "references"), "")
        joined = None if references is None else (key, references)
        contents: dict[str, FileTables] = defaultdict(FileTables)
        for name, cells in files.items():
            file, _, sheet = name.rstrip("]").partition("[")
            contents[file].tables[sheet] = read_frame(file, cells, rules)
        loaded = [
            load_table(declared, source_of(file), content, sheet, rules, joined)
            for file, content in contents.items()
            for sheet in content.tables
        ]
        long = pd.concat([one.frame() for one in loaded], ignore_index=True)
        return Loaded(long, loaded[0].mapping, [p for one in loaded for p in one.problems])

    return read


def text_of(value: Any) -> str:
    """Return a value of a tidy table in the notation of tables."""
    if isinstance(value, list):
        return "+".join(map(text_of, value))
    if isinstance(value, float):
        return "_" if math.isnan(value) else f"{value:g}"
    return str(value).replace(" ", "~") or "_"


def text_rows(long: pd.DataFrame, roles: str) -> str:
    """Return the rows of a tidy table as text, sorted."""
    found = long[roles.split()].itertuples(index=False, name=None)
    return "; ".join(sorted(" ".join(map(text_of, row)) for row in found))


@pytest.fixture
def rows(load: Load) -> Rows:
    """Return the function that gives the rows of tidy tables as text, sorted."""
    return lambda roles, *arguments, **named: text_rows(load(*arguments, **named).long, roles)


@pytest.fixture
def refused(load: Load) -> Refused:
    """Return the function that gives the problems of tables that are not read."""

    def read(*arguments: Any, **named: Any) -> list[Problem]:
        with pytest.raises(Refusal) as caught:
            load(*arguments, **named)
        return list(caught.value.problems)

    return read
