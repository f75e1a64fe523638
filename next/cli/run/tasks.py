"""The two functions that workers run: read one file, and score one model."""

import pickle
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.cli.input.discover import Source
from scoresheet.cli.input.mapping import ROW, Mapping
from scoresheet.cli.input.read import read_tables
from scoresheet.cli.input.tidy import load_table
from scoresheet.cli.registry import load_family
from scoresheet.cli.report import own
from scoresheet.cli.report.answers import worst_unit
from scoresheet.cli.report.books import Provenance, model_book
from scoresheet.cli.report.files import table_file, write_csv
from scoresheet.cli.report.workbook import write_workbook
from scoresheet.cli.run.baseline import change_since
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_folder import sha256_of
from scoresheet.metrics import summary
from scoresheet.metrics.family import Family, Scores
from scoresheet.metrics.problem import Problem, Refusal, located
from scoresheet.metrics.role import Table, normal

Paths = tuple[Path, ...]


@dataclass(frozen=True)
class Part:
    """The rows of one model in one table, in a file of their own; `units` are their codes."""

    model: str
    path: Path
    rows: int
    units: NDArray[np.int64]
    sheets: tuple[str, ...]


@dataclass(frozen=True)
class TableRead:
    """One table of a file: what was read as what, and its parts."""

    source: Source
    sheet: str
    worksheets: int
    mapping: Mapping
    parts: list[Part]

    def place(self, words: str) -> str:
        """Return the name of the file, folder or worksheet that the table was read from."""
        return self.source.place(words, self.sheet)


@dataclass
class FileRead:
    """What was read from one file."""

    source: Source
    problems: list[Problem]
    tables: list[TableRead] = field(default_factory=list)
    sha256: str = ""


def tables_of(files: Iterable[FileRead], name: str = "") -> list[TableRead]:
    """Return the tables of all files, or those of one name."""
    tables = [table for file in files for table in file.tables]
    return [table for table in tables if name in ("", table.mapping.table)]


def read_file(
    request: Request, name: str, given: dict[str, Paths], source: Source, start: str
) -> FileRead:
    """Read one file as a table of this name and write the rows of each model in it as a part.

    `given` are the parts of the tables that were read before; `start` begins the new paths.
    """
    family = load_family(request.family)
    try:
        content = read_tables(source, request.load)
    except Refusal as refusal:
        return FileRead(source, list(refusal.problems))
    file = FileRead(source, content.problems, sha256=sha256_of(source.path))
    rules = replace(request.load, given=tuple(given))
    count = len(content.tables)
    for number, sheet in enumerate(content.tables):
        table = _declaration(family, name, source, sheet)
        table = family.adapt(table, request.options) if family.adapt else table
        references = None
        if table.name == "outputs" and "references" in given:
            references = family.table("references").key, read_shared(given["references"])
        try:
            loaded = load_table(table, source, content, sheet, rules, references)
            parts = [
                _write_part(family, table, model, rows, Path(f"{start}-{number}-{i}.pkl"))
                for i, (model, rows) in enumerate(_by_model(loaded.frame(), source))
            ]
            file.tables.append(TableRead(source, sheet, count, loaded.mapping, parts))
            problems = loaded.problems
        except Refusal as refusal:
            problems = list(refusal.problems)
        file.problems += [located(p, source.name, sheet if count > 1 else "") for p in problems]
    return file


def _declaration(family: Family, name: str, source: Source, sheet: str) -> Table:
    """Return the declaration of a table: by its own name where a further table has it."""
    names = (normal(sheet), normal(source.stem))
    for table in family.tables if name == "outputs" else ():
        if table.by_name and normal(table.name) in names:
            return table
    return family.table(name)


def _by_model(long: pd.DataFrame, source: Source) -> list[tuple[str, pd.DataFrame]]:
    names = long["model"].unique() if "model" in long else [""]
    if len(names) < 2:
        return [(names[0] if len(names) else source.entry, long)]
    return [(name, long[long["model"] == name].reset_index(drop=True)) for name in names]


def _write_part(family: Family, table: Table, model: str, rows: pd.DataFrame, path: Path) -> Part:
    unit = family.unit_role
    units: Any = rows[unit].unique() if unit in rows else []
    for column in rows.columns if unit in rows and table.name == "outputs" else ():
        pairs = rows[[unit, column]].drop_duplicates() if column.startswith("by:") else units
        if len(pairs) > len(units):
            message = f"--by {column[3:]}: it is not the same in all rows of a {unit}"
            raise Refusal(Problem("by", "refused", message))
    path.write_bytes(pickle.dumps(rows))
    sheets = tuple(rows["sheet"].unique()) if "sheet" in rows else ("",)
    return Part(model, path, rows[ROW].nunique(), summary.codes_of(units), sheets)


def read_parts(paths: Paths) -> pd.DataFrame:
    """Return the rows of some parts as one table."""
    frames: list[pd.DataFrame] = [pickle.loads(path.read_bytes()) for path in paths]
    return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)


# Tables that all models share are read once by each worker.
read_shared = lru_cache(maxsize=8)(read_parts)


def model_tables(given: dict[str, Paths], model: "ModelInput") -> dict[str, pd.DataFrame]:
    """Return the tables that the scores of a model are made from."""
    tables = {name: read_shared(paths) for name, paths in given.items()}
    return tables | {"outputs": read_parts(model.paths)}


def survey_model(family: str, paths: Paths) -> pd.DataFrame:
    """Return what a family needs to know of one model to score any of them."""
    survey = load_family(family).survey
    return survey(read_parts(paths)) if survey else pd.DataFrame()


@dataclass
class ModelInput:
    """One model: its parts, whether some of its input was skipped, and what its reports say of it.

    `problems` are those of its files, `read_as` are the lines of its own mapping. `kept` is where
    its units are kept for the comparison.
    """

    name: str
    parts: list[Part] = field(default_factory=list)
    partial: bool = False
    problems: list[Problem] = field(default_factory=list)
    read_as: tuple[str, ...] = ()
    kept: Path = Path()

    @property
    def paths(self) -> Paths:
        """Return the files of its parts."""
        return tuple(part.path for part in self.parts)


@dataclass
class ModelResult:
    """The result of one model, small enough to travel back: its scores without the units.

    `units` are the codes of its units, `compared` is what the comparison needs. `worst` is how bad
    the worst unit is, and what to say of it.
    """

    model: str
    scores: Scores
    units: NDArray[np.int64]
    compared: Any
    worst: tuple[float, str] | None
    breakdowns: list[dict[str, Any]]
    change: dict[str, Any] | None


def score_model(
    request: Request,
    given: dict[str, Paths],
    made: Provenance,
    audited: int,
    model: ModelInput,
    report: Path,
) -> ModelResult | Refusal:
    """Score one model and write its reports; or return why not.

    `audited` rows are scored again by other means; `report` is the path of the reports without
    extension.
    """
    family, tables = load_family(request.family), model_tables(given, model)
    expected = None
    if "references" in tables:
        expected = tables["references"][family.table("references").key].nunique()
    try:
        scores = summary.summarize(
            family.score(tables, request.options),
            family,
            ci=request.ci,
            aggregate=request.aggregate,
            expected=expected,
        )
        if family.audit:
            family.audit(scores.units, request.options, audited, request.seed)
    except Refusal as refusal:
        return refusal
    if model.partial and scores.results["Status"] in ("ok", "low coverage"):
        scores.results["Status"] = "partial"
    write_csv(scores.units, report.with_name(f"{report.name}.csv"))
    names = ["Sheet", family.unit, *family.texts, *(m.name for m in scores.measures)]
    scores.units[[n for n in names if n in scores.units]].to_pickle(model.kept)
    for name, table in scores.tables.items():
        report.mkdir(exist_ok=True)
        write_csv(table, report / table_file(name))
    if not request.no_workbooks:
        made = replace(made, mapping=model.read_as)
        book = model_book(family, model.name, scores, [*model.problems, *scores.problems], made)
        write_workbook(book, report.with_name(f"{report.name}.xlsx"))
    if words := own(family, "report"):
        text = words(model.name, scores, request.ci)
        report.with_name(f"{report.name}.md").write_text(text, encoding="utf-8", newline="\n")
    values = summary.average_runs(scores.units, family.unit, scores.measures)
    return ModelResult(
        model.name,
        replace(scores, units=pd.DataFrame(), tables={}),
        summary.codes_of(summary.unit_keys(values, family)),
        summary.compared_rows(scores.units, family, scores.measures),
        worst_unit(family, model.name, scores, values, Path(request.out)),
        _breakdowns(model.name, scores, family, request),
        change_since(request, model.name, scores) if request.baseline else None,
    )


def _breakdowns(
    model: str, scores: Scores, family: Family, request: Request
) -> list[dict[str, Any]]:
    """Return the headline measure for each value of each --by column."""
    measure = scores.measures[0]
    rows = []
    for header in request.load.by:
        for value, units in scores.units.groupby(f"By {header}", sort=True):
            if family.estimate:
                mean = family.estimate(units, request.options, request.ci)
            else:
                averaged = summary.average_runs(units, family.unit, scores.measures)
                mean = summary.estimate_means(
                    averaged, (measure,), family, ci=request.ci, aggregate=request.aggregate
                )[measure]
            row: dict[str, Any] = {"Model Name": model, "By": header, "Value": str(value)}
            counted = units[units[family.scored or measure.name].notna()]
            row |= {"Units": summary.unit_keys(counted, family).nunique(), measure.name: mean.value}
            rows.append({**row, "CI_Low": mean.low, "CI_High": mean.high, "Note": mean.note})
    return rows
