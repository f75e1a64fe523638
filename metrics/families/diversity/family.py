"""The diversity family: rankings that cover what users meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from scoresheet.metrics.core import Column, Detail, Family, Given, Joined, Page, Report, Table
from scoresheet.metrics.families.diversity.columns import (
    GRADES,
    HIGH,
    IDEAL,
    ITEMS,
    LOW,
    MEASURES,
    QUERIES,
    QUERY,
    SUBTOPICS,
    at_cutoffs,
    defined_by,
    measured_at,
)
from scoresheet.metrics.families.diversity.given import Ready, prepared
from scoresheet.metrics.families.diversity.in_line import refuse_large_grades, survey_sheet
from scoresheet.metrics.families.diversity.method import METHOD, facts_of
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.scoring import scored_sheet
from scoresheet.metrics.families.diversity.summary import (
    comparisons_page,
    headline_name,
    summarise_model,
    summary_columns,
    systems_page,
)
from scoresheet.metrics.problems import Problem, reject

ITEM: Final = Column("item", "The item.", "label", ITEMS, both_sides=True)
SUBTOPIC: Final = Column("subtopic", "The subtopic, aspect or intent.", "label", SUBTOPICS)
ANY_QUERY: Final = Column("query", "The query; empty: all queries.", "label", QUERIES, required=False, both_sides=True)


class Diversity(Family[DiversityOptions]):
    """Eight measures of diversity of rankings."""

    name = "diversity"
    stem = "diversity"
    title = "Diversity of rankings"
    method = METHOD
    options = DiversityOptions
    inputs = (
        Column("query", "The query.", "label", QUERIES, both_sides=True),
        ITEM,
        Column("rank", "Its rank, 1 on top.", "label", ("position",), required=False),
        Column("score", "Its score, used where there is no rank.", "label", required=False),
        Column("subtopics", "Subtopics it is relevant to, joined by |, in line.", "text", required=False),
        Column(
            "relevance", "Its grade for these subtopics; empty: 1.", "label", GRADES, required=False, both_sides=True
        ),
        Column("text", "Its text, for --distance text.", "text", required=False),
        Column("trec_rank", "The rank field of a TREC run file, which does not order it.", "label", required=False),
    )
    references = (
        Column("query", "The query.", "key", QUERIES),
        SUBTOPIC,
        ITEM,
        Column("relevance", "The grade; above 0 is relevant. Without the column: 1.", "label", GRADES, required=False),
    )
    needs_references = False
    reads_trec = True
    tables = {  # noqa: RUF012 - never changed
        "targets": Table((ANY_QUERY, SUBTOPIC, Column("share", "Its share.", "label", ("weight", "target")))),
        "intents": Table(
            (ANY_QUERY, SUBTOPIC, Column("weight", "Its probability.", "label", ("probability", "share")))
        ),
        "features": Table(
            (
                Column("item", "The item; every other column with numbers is a feature.", "key", ITEMS),
                Column("text", "Its text, for --distance text.", "text", required=False),
            ),
            keeps_others=True,
        ),
    }
    summary = summary_columns(DiversityOptions())
    detail = (*QUERY, *at_cutoffs(("k",)), IDEAL)
    units = tuple(column.name for column in detail[1:])
    unit_is_row = False
    headline = at_cutoffs((10,), [column for column in MEASURES if column.name == "alpha_nDCG"])[0]
    results = (*at_cutoffs(DiversityOptions().ranks()), LOW, HIGH)

    def check(self, joined: Joined, options: DiversityOptions, *, referenced: bool) -> None:
        """Refuse sheets that say in no way which item comes first, or grade as nobody can mean it."""
        if {"rank", "score"} <= joined.absent:
            reject(
                "missing-column",
                "no column rank and no column score to order the items by; name yours with --column rank=HEADER",
                effect="sheet skipped",
            )
        if not referenced:
            refuse_large_grades(joined, options.max_grade)

    def wants_survey(self, references: pd.DataFrame, options: DiversityOptions) -> bool:
        """Judgments and texts in line are pooled over all models, so that each is held to the same."""
        return not len(references) or options.distance == "text"

    def survey(self, joined: Joined, options: DiversityOptions) -> Any:
        """Return the judgments and texts in line."""
        return survey_sheet(joined)

    def prepare(self, given: Given, options: DiversityOptions) -> tuple[Ready, list[Problem]]:
        """Return the topics and what distances are made of."""
        return prepared(given, options)

    def facts(self, prepared: Any, options: DiversityOptions) -> tuple[tuple[str, str], ...]:
        """Return what this run's definition, grades, judgments and distances are."""
        return facts_of(prepared, options)

    def score(self, joined: Joined, prepared: Any, options: DiversityOptions) -> Detail:
        """Return the measures of each query."""
        detail = scored_sheet(joined, prepared, options)
        if not prepared.in_line and "subtopics" not in joined.absent:
            message = "the column subtopics was not used: judgments come from the references"
            noted = Problem(kind="in-line-judgments", message=message, effect="note", column="subtopics")
            return Detail(detail.sheet, detail.table, (*detail.problems, noted), extra=detail.extra)
        return detail

    def summarise(self, model: str, details: Sequence[Detail], options: DiversityOptions) -> Report:
        """Return the means over queries and sheets."""
        return summarise_model(model, details, options)

    def headlined(self, options: DiversityOptions) -> Column:
        """Return α-nDCG at rank 10, or at the largest cut-off."""
        return next(column for column in measured_at(options) if column.name == headline_name(options))

    def measured(self, reports: Sequence[Report], options: DiversityOptions) -> tuple[Column, ...]:
        """Return every measure at every cut-off."""
        return (*measured_at(options), LOW, HIGH)

    def brief(self, reports: Sequence[Report], options: DiversityOptions) -> tuple[Column, ...]:
        """Return a few measures at the headline's cut-off."""
        columns = {column.name: column for column in self.measured(reports, options)}
        k = options.headline_rank()
        shown = (f"alpha_nDCG@{k}", "CI_Low", "CI_High", f"S_Recall@{k}", f"ERR_IA@{k}", f"ILD@{k}")
        return tuple(columns[name] for name in shown)

    def detailed(self, details: Sequence[Detail], options: DiversityOptions) -> tuple[Column, ...]:
        """Return the columns of a query."""
        return (*defined_by(options.definition, QUERY), *measured_at(options), IDEAL)

    def united(self, details: Sequence[Detail], options: DiversityOptions) -> tuple[str, ...]:
        """Return the same for the CSV, without the sheet."""
        return tuple(column.name for column in (*QUERY[1:], *measured_at(options)))

    def compare(self, reports: Sequence[Report], options: DiversityOptions) -> tuple[Page, ...]:
        """Return the systems with intervals, and their differences tested."""
        return systems_page(reports, options), comparisons_page(reports, options)
