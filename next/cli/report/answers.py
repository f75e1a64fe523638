"""The answer in one to three sentences, and what to look at first."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from scoresheet.cli.report.numbers import show, show_interval
from scoresheet.cli.report.tables import ci_label
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family
from scoresheet.metrics.measure import Measure


def estimate_text(row: Mapping[Any, Any], measure: Measure, ci: float) -> str:
    """Return a value with its interval, or with the reason why it has none."""
    text = f"{measure.label} {show(row[measure.name], measure.format)}"
    interval = show_interval(row["CI_Low"], row["CI_High"], measure.format)
    if interval:
        return f"{text} ({ci_label(ci)} {interval})"
    return f"{text} ({row['Note']})" if row.get("Note") else text


def answer(
    family: Family,
    results: pd.DataFrame,
    measure: Measure,
    comparison: Comparison | None,
    units: str,
    ci: float,
) -> tuple[list[str], tuple[str, ...]]:
    """Return the sentences that answer the run's question, and the words to show in bold."""
    scored = results[results[measure.name].notna()]
    if scored.empty:
        return [f"No {family.word} could be scored."], ()
    rows = scored.set_index("Model Name", drop=False)
    if comparison is None or len(scored) == 1:
        row = rows.iloc[0].to_dict()
        name, verdict = row["Model Name"], row.get("Verdict") or ""
        sentence = f"{name}: {estimate_text(row, measure, ci)}"
        return [f"{sentence}, {verdict}." if verdict else f"{sentence}."], (name,)
    best = comparison.order[0]
    value = show(rows.loc[best, measure.name], measure.format)
    if not measure.better:
        return [f"{len(scored)} {family.word}s were scored."], ()
    word = "highest" if measure.better == "higher" else "lowest"
    sentences = [f"{best} scores {word} ({measure.label} {value})."]
    pair = comparison.pair(best, comparison.order[1])
    sentences[0] += " " + _lead(pair, measure, units, ci, len(scored))
    return sentences, (best, value)


def _lead(pair: Any, measure: Measure, units: str, ci: float, models: int) -> str:
    """Return how clearly the best model leads the next one."""
    if pair is None or not pair["Shared"]:
        return f"The models share no {units}, so they are not compared."
    both = "both models" if models == 2 else f"it and {pair['Other_Model']} both"
    start = f"On the {pair['Shared']} {units} {both} answered"
    if pair["Note"]:
        return f"{start}: {pair['Note']}."
    difference = show(abs(pair["Difference"]), measure.format)
    p = show(pair["P_Holm"], "p")
    tested = ", ".join(
        [
            f"{ci_label(pair['Level'])} {_magnitude(pair, measure)}",
            f"p {p}" if p.startswith("<") else f"p = {p}",
        ]
    )
    if pair["P_Holm"] < 1 - ci:
        return f"{start} it leads {pair['Other_Model']} by {difference} ({tested})."
    lead = f"its lead over {pair['Other_Model']} ({difference})"
    return f"{start} {lead} is not significant ({tested})."


def _magnitude(pair: Any, measure: Measure) -> str:
    low, high = pair["CI_Low"], pair["CI_High"]
    if pair["Difference"] < 0:
        low, high = -high, -low
    return show_interval(low, high, measure.format)


def worst_unit(
    units: Mapping[str, pd.DataFrame], unit: str, measure: Measure
) -> tuple[str, str, float] | None:
    """Return model, unit and value of the unit with the worst mean over its sheets."""
    found: list[tuple[float, str, str]] = []
    sign = -1 if measure.better == "lower" else 1
    for model, frame in units.items():
        means = frame.groupby(unit)[measure.name].mean().dropna()
        if len(means):
            worst = int((sign * means).argmin())
            found.append((sign * float(means.iloc[worst]), model, str(means.index[worst])))
    if not found:
        return None
    value, model, place = min(found)
    return model, place, sign * value


def status_parts(counts: Mapping[str, int], word: str) -> tuple[str, ...]:
    """Return the parts of the status line; zero counts are left out.

    >>> status_parts({"scored": 2, "failed": 0, "rows": 1, "notes": 0}, "model")
    ('2 models scored', '1 row not scored')
    """
    scored = f"{_count(counts['scored'], word)} scored"
    first = f"{scored}, {counts['failed']} failed" if counts["failed"] else scored
    parts = [first]
    if counts["rows"]:
        parts.append(f"{_count(counts['rows'], 'row')} not scored")
    if counts["notes"]:
        parts.append(_count(counts["notes"], "note"))
    return tuple(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def plural(noun: str) -> str:
    """Return the plural of a header or noun, as sentences use it.

    >>> plural("idiom"), plural("query")
    ('idioms', 'queries')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun if noun.endswith("s") else noun + "s"


def counts_line(results: pd.DataFrame, units: int, unit: str, word: str, version: str) -> str:
    """Return the line under the title of a workbook."""
    scored, rows = int(results["Scored"].fillna(0).sum()), int(results["Rows"].fillna(0).sum())
    parts = [f"{_count(len(results), word)}, {units} {unit}"]
    parts.append(f"{scored} of {rows} rows scored")
    return "  ·  ".join([*parts, f"scoresheet {version}"])


def remarks(problems: Sequence[Any], family: Family, measure: Measure) -> tuple[str, ...]:
    """Return the small lines below the chart of a workbook."""
    lost = sum(problem.effect == "row" for problem in problems)
    first = []
    if lost:
        verb = "was" if lost == 1 else "were"
        first.append(f"{_count(lost, 'row')} {verb} not scored: see Problems.")
    if measure.bands:
        first.append("Verdict: the band that holds the whole interval; empty if no band does.")
    second = f"{family.formula} How it was computed: About."
    return tuple(part for part in ("  ".join(first), second) if part)
