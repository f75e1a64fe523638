"""The mode-collapse family: whether a model keeps choosing the same thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import pandas as pd

from scoresheet.metrics.core import Column, Detail, Family, Given, Joined, Page, Report, Table
from scoresheet.metrics.families.mode_collapse.cells import counted_sheet, seen_choices
from scoresheet.metrics.families.mode_collapse.choice_table import declared_choices, with_targets
from scoresheet.metrics.families.mode_collapse.compare import differences_page, measured_columns, models_page
from scoresheet.metrics.families.mode_collapse.declared import Choices, observed_choices
from scoresheet.metrics.families.mode_collapse.measures import CELL, GINI, measured_cells
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.power import power_page
from scoresheet.metrics.families.mode_collapse.summary import RESULTS, SUMMARY, summarise_model
from scoresheet.metrics.families.mode_collapse.tree import weigh
from scoresheet.metrics.problems import Problem, UsageError, reject

PARENT: Final = Column(
    "parent",
    "The choices it was sampled under, from the root down, joined by → or /; empty at the root.",
    "label",
    ("parent_path",),
    required=False,
    both_sides=True,
)
QUESTION: Final = Column(
    "question", "The sheet of the outputs it holds for; empty: for all.", "label", ("for_sheet",), required=False
)
OPTION: Final = Column("option", "The option.", "key", ("choice", "category"))
LEVEL: Final = Column("level", "The level of the tree: 0 is the root.", "label", ("tree_level",), both_sides=True)


class ModeCollapse(Family[ModeCollapseOptions]):
    """Gini and entropy of repeated choices, per tree level and parent."""

    name = "mode-collapse"
    stem = "mode_collapse"
    title = "Mode collapse of repeated choices"
    method = (
        ("Cell", "One (sheet, level, parent path). Counts run over its declared options, those never chosen included."),
        ("Gini", "2·Σ i·y_i / (n·Σ y) − (n+1)/n, y ascending; at most (n−1)/n."),
        ("Entropy", "−Σ p log2 p in bits; normalised by log2 n. Entropy_MM adds (used − 1)/(2·N·ln 2)."),
        (
            "Incomplete",
            "Blank, 'incomplete', or a text that means none or two of the options: left out first, counted and listed.",
        ),
        (
            "Text to option",
            "Exact (case, accents, outer punctuation, list letters and articles ignored), alias, the only option "
            "mentioned, fuzzy if asked for. Whatever was not exact is on the page Mappings.",
        ),
        ("Bands", "Gini: low below 0.3, moderate below 0.6, high from 0.6. Entropy: low from 0.7, moderate from 0.4."),
        (
            "P_Value",
            "Chance that the chooser tested against (below) has at least this Gini at this N: exact where all outcomes "
            "can be listed, else from 10,000 seeded draws, (1 + reached)/(1 + draws).",
        ),
        (
            "Verdict",
            "The worse of the two bands; 'too few samples' where that is not low and the p-value is 5 % or more.",
        ),
        (
            "Interval",
            "Of the Gini that samples of this size have on average (an endless one has less): 95 % percentile "
            "bootstrap, 2,000 resamples, seeded, less what resampling adds to a Gini. Options never chosen may be "
            "drawn too: beside the samples they share one card more than there are options chosen just once.",
        ),
        (
            "Levels",
            "Level 0 is the model's score. A level is the mean over its cells; weighted, each cell counts by the share "
            "of its parent path, then the mean over sheets. All levels: the mean of the level values.",
        ),
    )
    options = ModeCollapseOptions
    inputs = (
        LEVEL,
        PARENT,
        Column("choice", "The option chosen.", "text", ("category",), required=False),
        Column(
            "response", "The model's free text; needs a table of options.", "text", ("raw_response",), required=False
        ),
        Column("count", "How many samples the row stands for; without the column, one.", "label", required=False),
        Column("corrected_category", "What a person corrected the choice to.", "text", required=False),
        Column(
            "is_flagged",
            "Whether the correction counts: true, yes, y, t or 1; without the column, every correction does.",
            "label",
            required=False,
        ),
    )
    references = (
        LEVEL,
        OPTION,
        PARENT,
        Column("aliases", "Other names of the option, joined by |.", "text", ("alias",), required=False),
        QUESTION,
    )
    needs_references = False
    tables = {  # noqa: RUF012 - never changed
        "target": Table(
            (
                LEVEL,
                OPTION,
                PARENT,
                Column("share", "Its share, or any weight of 0 or more.", "label", ("weight", "target")),
                QUESTION,
            )
        )
    }
    summary = SUMMARY
    detail = CELL
    units = tuple(column.name for column in CELL[1:])
    unit_is_row = False
    headline = GINI
    results = RESULTS

    def answer(self, options: ModeCollapseOptions) -> Callable[[], Page] | None:
        """Return what makes the table of --power."""
        return partial(power_page, options.power_gini, options.seed) if options.power else None

    def check(self, joined: Joined, options: ModeCollapseOptions, *, referenced: bool) -> None:
        """Refuse sheets without anything chosen, and free text without options to find in it."""
        if {"choice", "response"} <= joined.absent:
            reject(
                "missing-column",
                "no column choice (or category) and no column response (or raw_response); name yours with "
                "--column choice=HEADER, or --column response=HEADER if it is free text",
                effect="sheet skipped",
            )
        if "response" not in joined.absent and not referenced:
            reject(
                "needs-options",
                "free text (column response) can only be counted if the options are known; name a table with level, "
                "option and aliases as CHOICE_TABLE, or give the bare choices, no sentences, in a column choice",
            )

    def wants_survey(self, references: pd.DataFrame, options: ModeCollapseOptions) -> bool:
        """Without a table, the options are what the models chose."""
        return not len(references)

    def survey(self, joined: Joined, options: ModeCollapseOptions) -> Any:
        """Return the choices of a sheet."""
        return seen_choices(joined)

    def prepare(self, given: Given, options: ModeCollapseOptions) -> tuple[Choices, list[Problem]]:
        """Return the options of every cell."""
        if len(given.references):
            if options.observed != "run":
                raise UsageError("--observed is for runs without a table of options; leave it or CHOICE_TABLE out")
            choices, problems = declared_choices(given.references)
        elif options.target:
            raise UsageError("--target needs the options declared: name a table of them as CHOICE_TABLE")
        elif options.fuzzy:
            raise UsageError("--fuzzy needs the options declared: name a table of them as CHOICE_TABLE")
        else:
            choices = observed_choices(given.surveys, by=options.observed)
            problems = [Problem(kind="observed-options", message=_seen(options), effect="note")]
        if options.target:
            with_targets(choices, given.tables["target"])
        return choices, problems

    def facts(self, prepared: Any, options: ModeCollapseOptions) -> tuple[tuple[str, str], ...]:
        """Return where the options came from, and whom the choices were tested against."""
        source = _seen(options) if prepared.observed else "declared in the table whose hash is below"
        tested = "the shares of the --target table" if options.target else "the uniform chooser"
        return ("Options", source), ("Tested against", tested)

    def score(self, joined: Joined, prepared: Any, options: ModeCollapseOptions) -> Detail:
        """Return the measures of each cell of a sheet."""
        counted = counted_sheet(joined, prepared, options)
        weigh(counted)
        others = prepared.stranger(joined.sheet.name)
        if others and not prepared.mistaken(joined.sheet.name):
            message = f"the table has options for {others}: those of all of them were taken together"
            counted.problems.append(Problem(kind="unknown-question", message=message, effect="note"))
        for cell in counted.cells:
            place = f"level {cell.level}" + (f" under {cell.parent!r}" if cell.path else "")
            noted = ""
            if len(cell.options) < 2:
                noted, message = "one-option", f"{place}: only one option is known, so that there is nothing to measure"
            elif not cell.total:
                noted, message = "no-choices", f"{place}: no usable choice"
            elif cell.shares is None:
                noted, message = "no-target", f"{place}: the table of --target has no share for its options"
            if noted:
                counted.problems.append(Problem(kind=noted, message=message, effect="note", row=cell.first_row))
        table = measured_cells(joined.sheet.name, counted.cells, seed=options.seed)
        return Detail(joined.sheet, table, tuple(counted.problems), extra=counted)

    def summarise(self, model: str, details: Sequence[Detail], options: ModeCollapseOptions) -> Report:
        """Return the levels' means and the verdict at the root."""
        return summarise_model(model, details, options)

    def measured(self, reports: Sequence[Report], options: ModeCollapseOptions) -> tuple[Column, ...]:
        """Return the measures of all levels that any model has."""
        return measured_columns(reports)

    def brief(self, reports: Sequence[Report], options: ModeCollapseOptions) -> tuple[Column, ...]:
        """Return the verdict before the numbers it comes from."""
        shown = ("Verdict", "Gini", "CI_Low", "CI_High", "Normalized_Entropy", "Collapsed_Cells", "Cells")
        columns = {column.name: column for column in RESULTS}
        return tuple(columns[name] for name in shown)

    def compare(self, reports: Sequence[Report], options: ModeCollapseOptions) -> tuple[Page, ...]:
        """Return the models ranked, and their differences tested."""
        return models_page(reports), differences_page(reports, options.seed)


def _seen(options: ModeCollapseOptions) -> str:
    """Return what it means that no table of options was given."""
    among = {
        "run": "in the whole run, under whatever parent and question",
        "sheet": "in sheets of the same name, under whatever parent",
        "parent": "under the same parent in sheets of the same name",
    }[options.observed]
    wrong = "" if options.observed == "parent" else ", and one that belongs elsewhere counts as never chosen here"
    return (
        f"no table of options was given: the options of a cell are the choices seen at its level {among}. One that "
        f"nobody chose is missing{wrong}; declare the options to be sure"
    )
