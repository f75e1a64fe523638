"""A sheet of rankings, parsed: the rankings of its queries, and what it says of items beside them."""

from __future__ import annotations

from dataclasses import replace

from scoresheet.metrics.families.diversity.constants import BY_TEXT
from scoresheet.metrics.families.diversity.inline_judgments import InlineJudgments, inline_judgments
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.rankings import Ranking, rankings_in, stand_in_for_score
from scoresheet.metrics.families.diversity.schema import RANK, SCORE, SUBTOPICS
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import Noted, Problem, note, reject
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True, kw_only=True)
class RankingSheet(ParsedSheet):
    """The rankings of a sheet, and what stands beside them."""

    rankings: tuple[Ranking, ...]
    ranking_problems: tuple[Problem, ...]  # said when the sheet is scored, with those of its queries
    inline: InlineJudgments
    has_subtopics: bool  # whether there is a column for judgments

    def reduced(self) -> RankingSheet:
        """Return what stands beside the rankings: judgments and texts are pooled over all models."""
        return replace(self, rankings=(), ranking_problems=())


def pools_inline(options: DiversityOptions, *, referenced: bool) -> bool:
    """Return whether judgments or texts beside the rankings count; pooled, so that each model is held to the same."""
    return not referenced or options.distance == BY_TEXT


def parse_sheet(sheet: Sheet, options: DiversityOptions, *, referenced: bool) -> Noted[RankingSheet]:
    """Return the rankings of a sheet; one that says in no way which item comes first is refused."""
    if {RANK.name, SCORE.name} <= sheet.absent:
        reject(
            "missing-column",
            "no column rank and no column score to order the items by; the first row has "
            f"{join_names(sheet.headers, most=12)}; name yours with {flag(f'column {RANK.name}=HEADER')} or "
            f"{flag(f'column {SCORE.name}=HEADER')}",
            effect="sheet skipped",
        )
    inline = InlineJudgments()
    if pools_inline(options, referenced=referenced):
        inline = inline_judgments(
            sheet, are_used=not referenced, max_grade=options.max_grade, separator=options.separator
        )
    rankings, problems = rankings_in(sheet, options.rules().depth)
    return Noted(
        RankingSheet(
            name=sheet.name,
            rows=len(sheet.table),
            rankings=rankings,
            ranking_problems=problems,
            inline=inline,
            has_subtopics=SUBTOPICS.name not in sheet.absent,
        ),
        _other_order(sheet),
    )


def _other_order(sheet: Sheet) -> tuple[Problem, ...]:
    """Return a note where a column orders the items that is not called as one that does."""
    header = stand_in_for_score(sheet)
    if not header or RANK.name not in sheet.absent:
        return ()
    return (note("ordered-by", f"there is no rank and no score; the items are ordered by {header!r}, largest first"),)
