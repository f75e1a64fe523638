"""What every command can be told besides its family's own options; the help text lives beside each setting."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from scoresheet.cli.input.limits import MIB, MOST_JSON_DEPTH, RATIO_FROM, Limits
from scoresheet.cli.run.allowance import SHARE, SMALL_MB, Allowance, memory_share
from scoresheet.cli.shared_values import FORMATS, JSON, MOST_GONE, TABLE
from scoresheet.metrics.messages import percent
from scoresheet.metrics.options import check_option, option
from scoresheet.metrics.records import dataclass

if TYPE_CHECKING:
    from scoresheet.cli.input.formats.types import ReadRules
    from scoresheet.cli.input.header_matching import Renamings
    from scoresheet.metrics.compare import Pairing
    from scoresheet.metrics.schema import Schema

LOCAL, DASK = "local", "dask"
AUTO: Final = "auto"  # the columns whose names can mean only this
READING: Final = (
    "sheet",
    "skip_sheet",
    "column",
    "model_column",
    "sheet_column",
    "header_row",
    "fill_down",
    "encoding",
    "reader",
    "limit",
)  # may change a number


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The common options of a run."""

    out: str = option(".", "Folder for the reports.", metavar="DIR", common=True)
    sheet: tuple[str, ...] = option(
        (), "Score only sheets whose name matches this pattern; may be repeated.", metavar="GLOB"
    )
    skip_sheet: tuple[str, ...] = option((), "Leave out sheets whose name matches; may be repeated.", metavar="GLOB")
    column: tuple[str, ...] = option(
        (),
        "Say which of your columns is which, e.g. Prediction=answer; may be repeated.",
        metavar="NAME=HEADER",
        common="Which of your columns is which.",
    )
    model_column: str = option(
        AUTO,
        "Column that names the model of each row; 'auto' knows model and model_name, '' uses none.",
        metavar="NAME",
    )
    sheet_column: str = option(
        AUTO, "Column that names the sheet of each row; 'auto' knows Sheet, '' uses none.", metavar="NAME"
    )
    header_row: int = option(
        0,
        "Row of the header, as a spreadsheet counts; 0 takes the first of twenty that has the needed columns.",
        minimum=0,
        metavar="N",
    )
    fill_down: bool = option(False, "An empty key cell has the value above it, as where cells were merged.")
    encoding: str = option(
        "", "Encoding of those CSV files that are not UTF-8 or UTF-16, e.g. gb18030.", metavar="NAME"
    )
    reader: str = option("calamine", "Reader of Excel files.", choices=("calamine", "openpyxl"))
    by: tuple[str, ...] = option(
        (),
        "Results also by the values of this column of yours; may be repeated.",
        metavar="COLUMN",
        common="Results also by the values of a column.",
    )
    keep: tuple[str, ...] = option(
        (), "Carry this column of yours to the CSV of scored units; may be repeated.", metavar="COLUMN"
    )
    min_coverage: float = option(
        0.0, "Exit 10 if less than this share of a model's rows got a score.", minimum=0, metavar="SHARE"
    )
    compare: bool = option(True, "Compare the models with each other; --no-compare only ranks them.")
    against: str = option("", "Compare each model with this one alone.", metavar="MODEL")
    baseline: str = option("", "An earlier results folder: the change of each model since, paired.", metavar="RESULTS")
    anyway: bool = option(False, "Compare with a baseline that was made with other options or by another version.")
    fail_if: tuple[str, ...] = option(
        (),
        "Exit 10 if this is so, e.g. 'S_Info<0.7', 'Model_A:Coverage<1', 'Status!=ok'; may be repeated.",
        metavar="CONDITION",
    )
    fail_if_worse: bool = option(
        False,
        f"Exit 10 if a model is shown to be worse than in the baseline, is gone, or over {percent(MOST_GONE)} of its "
        "units are.",
    )
    max_drop: float = option(
        math.inf, "Exit 10 if a model is worse than in the baseline by more than this.", minimum=0, metavar="NUMBER"
    )
    junit: str = option("", "Write the gates' verdicts to this file as JUnit XML.", metavar="FILE")
    limit: int = option(0, "Read only the first N rows of each sheet; 0 reads all.", minimum=0, metavar="N")
    workbooks: bool = option(
        True, "Workbooks, and what else people look at; --no-workbooks writes files for machines alone."
    )
    tables: bool = option(False, "Write every page of the workbooks as a CSV too, into the folder tables.")
    fresh: bool = option(False, "Score every model, also those that are unchanged since the last run into this folder.")
    dry_run: bool = option(
        False,
        "Read, join and score, show what would be reported, and write nothing.",
        common="Read and score, and write nothing.",
    )
    strict: bool = option(
        False,
        "Any problem but a mere note makes the exit code 3; not-separated counts too.",
        common="Exit 3 at any problem but a note.",
    )
    jobs: int = option(
        0,
        "Processes at the same time, for files or for the rows of a large one; 0 means one per processor.",
        minimum=0,
        metavar="N",
        common="Processes at the same time; 0: one per processor.",
    )
    engine: str = option(
        LOCAL,
        "What works on the models: processes of this machine, or a Dask cluster of -j workers on it.",
        choices=(LOCAL, DASK),
    )
    scheduler: str = option(
        "",
        "Have the models worked on by this Dask scheduler's workers, e.g. tcp://host:8786, at most -j at a time; "
        "also the file that it wrote its address to, if that ends in .json.",
        metavar="ADDRESS",
    )
    wait: float = option(
        0.0, "Seconds to wait for another run that holds the results folder.", minimum=0, metavar="SECONDS"
    )
    prune: bool = option(
        False, "Remove reports that earlier runs of this command wrote and this one does not, if they are unchanged."
    )
    raw_csv: bool = option(
        False, "Write text cells of CSVs as they are, without the apostrophe that keeps = + - @ from running."
    )
    max_file_mb: int = option(Limits.file_mb, "Mebibytes that a file may have.", minimum=1, metavar="N")
    max_expanded_mb: int = option(
        Limits.expanded_mb, "Mebibytes that a workbook or a packed file may have unpacked.", minimum=1, metavar="N"
    )
    max_ratio: int = option(
        Limits.ratio,
        f"How many times larger unpacking may make a file, beyond {RATIO_FROM // MIB} MiB.",
        minimum=1,
        metavar="N",
    )
    max_parts: int = option(Limits.parts, "Parts that a workbook's archive may have.", minimum=1, metavar="N")
    max_cells: int = option(
        Limits.cells, "Cells of a table, up to its last row and column; also lines of a file.", minimum=1, metavar="N"
    )
    max_columns: int = option(Limits.columns, "Columns of a table; in JSON, different keys.", minimum=1, metavar="N")
    max_sheets: int = option(
        Limits.sheets, "Sheets of a file, or that a column of it may name.", minimum=1, metavar="N"
    )
    max_models: int = option(Limits.models, "Models that a column of a file may name.", minimum=1, metavar="N")
    max_cell_chars: int = option(Limits.cell_chars, "Characters of a cell.", minimum=1, metavar="N")
    max_line_chars: int = option(Limits.line_chars, "Characters of a line of text.", minimum=1, metavar="N")
    max_json_depth: int = option(
        Limits.json_depth, "Lists and objects in each other, in JSON.", minimum=1, maximum=MOST_JSON_DEPTH, metavar="N"
    )
    max_problems: int = option(
        Limits.problems, "Rows of a model that may be without a score; each is listed.", minimum=0, metavar="N"
    )
    max_memory: int = option(
        0,
        f"Mebibytes of memory that reading and scoring one model may take; 0 shares {SHARE:.0%} of the machine's "
        "among those worked on at the same time.",
        minimum=0,
        metavar="N",
    )
    timeout: float = option(
        0.0,
        "Seconds that reading and scoring one model may take; 0 means an hour and more for files from "
        f"{SMALL_MB} MiB on, and a day for smaller ones.",
        minimum=0,
        metavar="SECONDS",
    )
    format: str = option(TABLE, "How the results are printed.", choices=FORMATS)
    json: bool = option(
        False, "Print the results as JSON: short for --format json.", common="Print the results as JSON."
    )
    quiet: bool = option(False, "Print nothing but errors and skipped input.")
    verbose: bool = option(
        False, "Print every problem, every ignored file and the audit.", common="Print every problem and ignored file."
    )
    progress: bool = option(True, "Progress on a terminal; --no-progress shows none.")
    log_file: str = option(
        "", "Append what happens to this file, with time and process: scores, problems, gates, the end.", metavar="FILE"
    )

    def __post_init__(self) -> None:
        for field in fields(self):
            check_option(field, getattr(self, field.name))
        if self.encoding:
            try:
                with suppress(UnicodeError):
                    b"a".decode(self.encoding)  # a codec that is no text encoding raises LookupError too
            except LookupError:
                raise ValueError(f"encoding {self.encoding}: no such encoding; try gb18030, big5 or cp1252") from None
        if not self.min_coverage <= 1:
            raise ValueError(f"min-coverage cannot be {self.min_coverage}; it is a share, from 0 to 1")
        self._check_together()
        if not self.out:
            raise ValueError("out cannot be empty; name a folder")

    def _check_together(self) -> None:
        """Raise ValueError if options say opposite things, or one needs another."""
        if self.json and self.format not in (TABLE, JSON):
            raise ValueError(f"format {self.format}: --json says otherwise; leave one of them out")
        if self.against and not self.compare:
            raise ValueError(f"against {self.against}: --no-compare says that none are compared; leave one of them out")
        for name in ("fail_if_worse", "anyway"):
            if getattr(self, name) and not self.baseline:
                raise ValueError(f"{name.replace('_', '-')} needs --baseline RESULTS, the folder of an earlier run")
        if not math.isinf(self.max_drop) and not self.baseline:
            raise ValueError("max-drop needs --baseline RESULTS, the folder of an earlier run")

    @property
    def on_dask(self) -> bool:
        """Whether the models are worked on by Dask workers."""
        return self.engine == DASK or bool(self.scheduler)

    @property
    def prints_json(self) -> bool:
        """Whether the answer is JSON."""
        return self.json or self.format == JSON

    def pairing(self) -> Pairing:
        """Return which models are to be compared with which."""
        from scoresheet.metrics.compare import Pairing

        return Pairing(self.against, self.compare)

    def signature(self) -> Iterator[str]:
        """Yield `name:value` for each setting of the reading that is not at its default: it may change a number."""
        for name in READING:
            value = getattr(self, name)
            if value != next(field.default for field in fields(self) if field.name == name):
                yield f"{name.replace('_', '-')}:{','.join(value) if isinstance(value, tuple) else value}"

    def read_rules(self, schema: Schema, renamed: Renamings, named: tuple[str, ...] = ()) -> ReadRules:
        """Return what the readers are told of the models' files; `named` are headers that the family's options name."""
        # help needs none of these, and they need pandas
        from scoresheet.cli.input.formats.types import ReadRules
        from scoresheet.cli.input.header_matching import NeededColumns
        from scoresheet.cli.input.splitting import MODEL_COLUMNS, SHEET_COLUMNS, unclaimed_names

        sheets = unclaimed_names((*SHEET_COLUMNS, *schema.sheet_columns), renamed)
        models = unclaimed_names(MODEL_COLUMNS if schema.splits_models else (), renamed)
        return ReadRules(
            header=NeededColumns(schema.of_sheet, renamed, named),
            header_row=self.header_row,
            fill_down=self.fill_down,
            paths=tuple(part.strip() for each in renamed for header in each.headers for part in header.split("|")),
            sheet_columns=_naming(self.sheet_column, sheets),
            model_columns=_naming(self.model_column, models),
            sheets=self.sheet,
            skip_sheets=self.skip_sheet,
            encoding=self.encoding or None,
            reader=self.reader,
            limit=self.limit or None,
            limits=self.limits(),
        )

    def limits(self) -> Limits:
        """Return how much of one input is read at most."""
        return Limits(**{field.name: getattr(self, f"max_{field.name}") for field in fields(Limits)})

    def allowance(self, tasks: int) -> Allowance:
        """Return what each of the workers that serve this many tasks may use."""
        return Allowance(
            memory_share(self.workers(tasks)) if not self.max_memory else self.max_memory * MIB, self.timeout
        )

    def workers(self, tasks: int) -> int:
        """Return how many worker processes serve this many tasks."""
        return max(1, min(tasks, self.jobs or processors()))

    def processes(self, tasks: int) -> int:
        """Return how many processes each of these tasks may use for its blocks."""
        return (self.jobs or processors()) // self.workers(tasks)


def _naming(given: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the headers that split tables: those that are known, the one that was named, or none."""
    return known if given == AUTO else (given,) if given else ()


def processors() -> int:
    """Return how many processors this process may use."""
    affinity: Any = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
