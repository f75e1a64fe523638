"""How the measures of a query came about, for people: rank by rank."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.explanation import Block, Explainer, shown_number
from scoresheet.cli.report.page import Column
from scoresheet.metrics.families.diversity.context import DiversityContext
from scoresheet.metrics.families.diversity.explain import DiversityExplanation, explain_query, query_of_row
from scoresheet.metrics.families.diversity.inputs import RankingSheet
from scoresheet.metrics.families.diversity.measures import ALPHA_NDCG, ERR_IA, ILD, QUERY_KEY, S_RECALL, name_at
from scoresheet.metrics.families.diversity.options import DiversityOptions

_RANKS: Final = (
    Column("Rank", "The rank.", "count"),
    Column("Item", "The item.", "key"),
    Column("Adds", "Subtopics that no item above covers.", "text"),
    Column("Repeats", "Subtopics that one does.", "text"),
    Column("Gain", "What it is worth after what stands above it.", "score"),
    Column("Discount", "1 / log2(rank + 1).", "score"),
    Column("α-DCG", "Gain × discount, down to here.", "score"),
    Column("Ideal", "The same of the ideal ranking.", "score"),
    Column(ALPHA_NDCG.name, "α-DCG over ideal.", "score"),
    Column(ERR_IA.name, ERR_IA.about, "score"),
    Column(S_RECALL.name, S_RECALL.about, "score"),
    Column(ILD.name, ILD.about, "score"),
)


def _blocks(found: DiversityExplanation) -> list[Block]:
    if found.problem:
        return [Block("The query", (f"{found.query}: {found.problem}",))]
    shown = found.ranks[: found.cutoff]
    rows = tuple(
        (
            each.rank,
            each.item,
            ", ".join(each.adds),
            ", ".join(each.repeats),
            each.gain,
            each.discount,
            each.cumulative,
            each.ideal,
            each.alpha_ndcg,
            each.err_ia,
            each.s_recall,
            each.ild,
        )
        for each in shown
    )
    return [
        Block("What each rank adds", tuple(_rank_lines(found)), _RANKS, rows),
        Block(f"At {found.cutoff}", tuple(_lines(found))),
    ]


def _rank_lines(found: DiversityExplanation) -> list[str]:
    lines = []
    if found.subtopics:
        lines.append(
            f"{len(found.subtopics)} subtopics: {', '.join(found.subtopics)}; {found.relevant_items} relevant items"
        )
        worth = f"(1 - α)^(items above on it), α = {found.alpha:g}" + (", times its grade" if found.graded else "")
        lines.append(f"gain: each subtopic of an item is worth {worth}")
    if len(found.ranks) > found.cutoff:
        lines.append(f"ranks {found.cutoff + 1} to {len(found.ranks)} are in --json")
    return lines


def _lines(found: DiversityExplanation) -> list[str]:
    lines = []
    last = found.ranks[min(found.cutoff, len(found.ranks)) - 1]
    for measure in (ALPHA_NDCG, ERR_IA, S_RECALL, ILD):
        value = found.measures.get(name_at(measure, found.cutoff))
        if not isinstance(value, float) or value != value:  # noqa: PLR0124 - NaN
            continue
        made = f" = {shown_number(last.cumulative)} / {shown_number(last.ideal)}" if measure is ALPHA_NDCG else ""
        lines.append(f"{name_at(measure, found.cutoff)}{made} = {shown_number(value)}: {measure.about}")
    if found.ideal_by:
        lines.append(f"the ideal ranking: {found.ideal_by}")
    if found.ranks and len(found.ranks) < found.cutoff:
        lines.append(f"the list ends at rank {len(found.ranks)}; what is not there adds nothing")
    return lines


EXPLAINER: Final[Explainer[DiversityOptions, RankingSheet, DiversityContext, DiversityExplanation]] = Explainer(
    unit="query", keys=(QUERY_KEY,), explain=explain_query, blocks=_blocks, unit_of_row=query_of_row
)
