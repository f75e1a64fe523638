"""An adapter: a family of the old contract under the new one, until it has moved in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from scoresheet.cli.report.page import Column, Page
from scoresheet.cli.report.reporter import DocumentedColumns, Line, ModelPages, Numbers, Reporter, ResultColumns
from scoresheet.metrics import core
from scoresheet.metrics.family import Comparison, Family, Given, ModelResult, ParsedSheet, ScoredSheet, Sheet
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import Noted, ProblemKind
from scoresheet.metrics.schema import InputColumn, Schema, TableSchema
from scoresheet.metrics.units import Units


@dataclass(frozen=True, kw_only=True)
class OldParsed(ParsedSheet):
    joined: core.Joined | None
    survey: Any = None
    surveyed: Any = None

    def reduced(self) -> OldParsed:
        return replace(self, joined=None, survey=self.surveyed(self.joined), surveyed=None)


@dataclass(frozen=True, kw_only=True)
class OldScored(ScoredSheet):
    detail: core.Detail


@dataclass(frozen=True, kw_only=True)
class OldResult(ModelResult[OldScored]):
    report: core.Report

    def slim(self) -> OldResult:
        report = replace(self.report, pages=(), units=None, text="", pictures=())
        return replace(self, sheets=(), report=report)


@dataclass(frozen=True, kw_only=True)
class OldComparison(Comparison):
    pages: tuple[Page, ...] = ()


def _column(column: core.Column) -> InputColumn:
    kind: Any = column.kind
    return InputColumn(column.name, column.about, kind, column.aliases, column.required, column.both_sides)


def _schema(columns: Sequence[core.Column], *, keeps_others: bool = False, built_in: str = "") -> TableSchema:
    return TableSchema(tuple(map(_column, columns)), keeps_others, built_in)


class OldFamily(Family[Any, OldParsed, Any, OldScored, OldResult, OldComparison]):
    """An old family."""

    measures = ()

    def __init__(self, old: core.Family[Any], kinds: Mapping[str, ProblemKind]) -> None:
        self.old = old
        self.name = old.name
        self.options = old.options
        self.problem_kinds = kinds
        self.schema = Schema(
            outputs=_schema(old.inputs, keeps_others=old.keeps_others),
            references=_schema(old.references) if old.references else None,
            references_required=old.needs_references,
            tables={
                name: _schema(table.columns, keeps_others=table.keeps_others, built_in=table.built_in)
                for name, table in old.tables.items()
            },
            reads_trec=old.reads_trec,
            by_sheet=self._of_sheet,
        )

    def _of_sheet(self, name: str) -> TableSchema:
        table = self.old.table_of(name)
        return _schema(table.columns, keeps_others=table.keeps_others)

    def require(self, options: Any) -> None:
        self.old.require(options)

    def two_pass(self, options: Any, *, referenced: bool) -> bool:
        return self.old.wants_survey(pd.DataFrame(index=range(int(referenced))), options)

    def parse(self, sheet: Sheet, options: Any, *, referenced: bool) -> Noted[OldParsed]:
        old = core.Sheet(sheet.model, sheet.name, sheet.frame, sheet.source)
        joined = core.Joined(old, [()] * len(sheet.frame), {}, sheet.unusable_rows, sheet.absent)
        joined = replace(joined, reading=self.old.check(joined, options, referenced=referenced))
        return Noted(
            OldParsed(
                name=sheet.name,
                rows=len(sheet.frame),
                used_columns=frozenset(map(str, sheet.frame.columns)).difference(self.old.unused_columns(joined)),
                joined=joined,
                surveyed=lambda each: self.old.survey(each, options),
            )
        )

    def context(self, given: Given[OldParsed], options: Any) -> Noted[Any]:
        surveys = [sheet.survey for sheet in given.sheets]
        prepared, problems = self.old.prepare(core.Given(given.references, given.tables, surveys), options)
        return Noted(prepared, tuple(problems))

    def score(self, parsed: OldParsed, context: Any, options: Any) -> Noted[OldScored]:
        assert parsed.joined is not None
        detail = self.old.score(parsed.joined, context, options)
        scored = OldScored(name=parsed.name, rows=parsed.rows, units=Units(), detail=detail)
        return Noted(scored, detail.problems)

    def combine(self, sheets: Sequence[OldScored], context: Any, options: Any) -> Noted[OldResult]:
        details = [sheet.detail for sheet in sheets]
        report = self.old.summarise(details[0].sheet.model, details, options)
        result = OldResult(
            sheets=tuple(sheets),
            measures=report.measures,
            rows=report.rows,
            scored=report.scored,
            computed=report.computed,
            has_score=report.status != "unscored",
            alerts=report.alerts,
            report=report,
        )
        return Noted(result, report.problems)

    def compare(self, results: Mapping[str, OldResult], options: Any) -> OldComparison:
        return OldComparison()


class OldReporter(Reporter[Any, Any, OldResult, OldComparison]):
    """What an old family shows."""

    def __init__(self, old: core.Family[Any]) -> None:
        self.old = old
        self.stem = old.stem
        self.title = old.title
        self.documented = DocumentedColumns(old.results, old.summary, old.detail)

    def method(self, context: Any, options: Any) -> tuple[Line, ...]:
        return (*self.old.method, *self.old.facts(context, options))

    def result_columns(self, results: Sequence[OldResult], options: Any) -> ResultColumns:
        reports = [result.report for result in results]
        measures = self.old.measured(reports, options)
        low, high = (next(column for column in measures if column.name == name) for name in ("CI_Low", "CI_High"))
        return ResultColumns(measures, self.old.headlined(options), self.old.brief(reports, options), (low, high))

    def model_pages(self, model: str, result: OldResult, options: Any) -> ModelPages:
        details = [sheet.detail for sheet in result.sheets]
        columns = self.old.detailed(details, options)
        names = [column.name for column in columns]
        shown = details if self.old.page_per_sheet else []
        assert result.report.summary is not None
        return ModelPages(
            summary=result.report.summary,
            sheets=tuple(Page(each.sheet.name, each.table.reindex(columns=names), columns) for each in shown),
            more=result.report.pages,
            markdown=result.report.text,
            pictures=result.report.pictures,
        )

    def numbers(self, result: OldResult, options: Any) -> Numbers:
        return result.report.numbers

    def unit_table(self, result: OldResult, options: Any) -> pd.DataFrame:
        if result.report.units is not None:
            return result.report.units
        details = [sheet.detail for sheet in result.sheets]
        names = list(self.old.united(details, options))
        frames = []
        for detail in details:
            own = detail.table.reindex(columns=names)
            own.insert(0, "Sheet", [detail.sheet.name] * len(own))
            frames.append(own)
        return pd.concat(frames)

    def run_pages(
        self, comparison: OldComparison, results: Mapping[str, OldResult | None], options: Any
    ) -> tuple[Page, ...]:
        reports = [result.report if result else core.Report.empty(model) for model, result in results.items()]
        return self.old.compare(reports, options)

    def failed_gates(self, results: Mapping[str, OldResult], options: Any) -> list[str]:
        return self.old.gate([result.report for result in results.values()], options)

    def standalone_page(self, options: Any) -> Callable[[], Page] | None:
        return self.old.answer(options)


__all__ = ["Column", "OldFamily", "OldReporter", "Options"]
