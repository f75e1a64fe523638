"""The sentences of a run: its answer, what to look at first, and the remarks in workbooks."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from scoresheet.cli.report import own
from scoresheet.cli.report.tables import ci_label
from scoresheet.cli.report.text import show, show_interval
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family, Scores
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem


def answer_of(family: Family) -> Callable[..., tuple[list[str], tuple[str, ...]]]:
    """Return the function that answers a run's question, as `ranking` does."""
    return own(family, "answer") or partial(ranking, word=family.word)


def ranking(
    results: pd.DataFrame,
    measure: Measure,
    comparison: Comparison | None,
    units: str,
    ci: float,
    word: str = "model",
) -> tuple[list[str], tuple[str, ...]]:
    """Return the sentence that ranks the models by the headline, and the words to show in bold."""
    scored = results[results[measure.name].notna()].set_index("Model Name", drop=False)
    if scored.empty:
        return [f"No {word} could be scored."], ()
    if comparison is None or len(scored) == 1:
        name = scored.index[0]
        return [model_sentence(name, scored.loc[name].to_dict(), measure, ci)], (name,)
    if not measure.better:
        return [f"{count(len(scored), word)} were scored."], ()
    best, second = comparison.order[:2]
    value = show(scored.loc[best, measure.name], measure.format)
    place = "highest" if measure.better == "higher" else "lowest"
    lead = _lead(comparison.pair(best, second), measure, units, ci, len(scored))
    return [f"{best} scores {place} ({measure.label} {value}). {lead}"], (best, value)


def model_sentence(model: str, row: Mapping[Any, Any], measure: Measure, ci: float) -> str:
    """Return the value of a model with its interval, or the reason why it has none, and verdict."""
    interval = show_interval(row["CI_Low"], row["CI_High"], measure.format)
    reason = f"{ci_label(ci)} {interval}" if interval else row.get("Note")
    text = f"{model}: {measure.label} {show(row[measure.name], measure.format)}"
    text += f" ({reason})" if reason else ""
    return f"{text}, {row['Verdict']}." if row.get("Verdict") else f"{text}."


def _lead(pair: Any, measure: Measure, units: str, ci: float, models: int) -> str:
    """Return how clearly the best model leads the next one."""
    if pair is None or not pair["Shared"]:
        return f"The models share no {units}, so they are not compared."
    other = pair["Other_Model"]
    both = "both models" if models == 2 else f"it and {other} both"
    start = f"On the {pair['Shared']} {units} {both} answered"
    if pair["Note"]:
        return f"{start}: {pair['Note']}."
    low, high = pair["CI_Low"], pair["CI_High"]
    if pair["Difference"] < 0:  # where lower is better, the lead is the size of the difference
        low, high = -high, -low
    difference, p = show(abs(pair["Difference"]), measure.format), show(pair["P_Holm"], "p")
    interval = f"{ci_label(pair['Level'])} {show_interval(low, high, measure.format)}"
    tested = f"{interval}, p {p}" if p.startswith("<") else f"{interval}, p = {p}"
    if pair["P_Holm"] < 1 - ci:
        return f"{start} it leads {other} by {difference} ({tested})."
    return f"{start} its lead over {other} ({difference}) is not significant ({tested})."


def worst_unit(
    family: Family, model: str, scores: Scores, values: pd.DataFrame, folder: Path
) -> tuple[float, str] | None:
    """Return how bad the worst unit of a model is, and what to say of it; higher is worse.

    `values` are its measures averaged over runs, `folder` is that of the results, for the command
    that explains the unit.
    """
    find = own(family, "worst_unit") or partial(_worst_mean, family)
    found = find(model, scores, values)
    if not found:
        return None
    badness, sentence, sheet, unit = found  # the sheet is empty for all
    if family.explain is None:
        return badness, sentence
    sheet = sheet if values["Sheet"].nunique() > 1 else ""
    command = explain_command(folder, model, sheet, unit)
    return badness, f"{sentence} How it was computed:\n{command}"


def explain_command(folder: Path, model: str, sheet: str, unit: str) -> str:
    """Return the command line that explains a unit; the sheet is empty for all."""
    command = ["scoresheet", "explain", str(folder), "--model", model]
    return shlex.join([*command, *(["--sheet", sheet] if sheet else []), "--unit", unit])


def _worst_mean(
    family: Family, model: str, scores: Scores, values: pd.DataFrame
) -> tuple[float, str, str, str] | None:
    """Return the unit with the worst mean of the headline, over its sheets unless they differ."""
    measure = scores.measures[0]
    keys = ["Sheet", family.unit] if family.unit_by_sheet else [family.unit]
    means = values.groupby(keys)[measure.name].mean().dropna()
    if means.empty or not measure.better:
        return None
    word, sign = ("Highest", 1) if measure.better == "lower" else ("Lowest", -1)
    place: Any = (sign * means).idxmax()
    sheet, unit = place if family.unit_by_sheet else ("", place)
    value = show(means[place], measure.format)
    sentence = f"{word}: {unit}, {measure.label} {value} ({model})."
    return float(sign * means[place]), sentence, sheet, unit


def status_parts(
    problems: Sequence[Problem], scored: int, failed: int, word: str
) -> tuple[str, ...]:
    """Return the parts of the status line; zero counts are left out.

    >>> status_parts([Problem("empty", "row", "no words")], 2, 1, "model")
    ('2 models scored, 1 failed', '1 row not scored')
    """
    effects = [problem.effect for problem in problems]
    parts = [f"{count(scored, word)} scored" + (f", {failed} failed" if failed else "")]
    if "row" in effects:
        parts.append(f"{count(effects.count('row'), 'row')} not scored")
    if "note" in effects:
        parts.append(count(effects.count("note"), "note"))
    return tuple(parts)


def plural(noun: str) -> str:
    """Return the plural of a header or noun, as sentences use it.

    >>> plural("idiom"), plural("query")
    ('idioms', 'queries')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun if noun.endswith("s") else noun + "s"


def count(number: int, noun: str) -> str:
    """Return a number of things: 1 row, 2 rows."""
    return f"{number} {noun if number == 1 else plural(noun)}"


def remarks(problems: Sequence[Problem], family: Family, measure: Measure) -> tuple[str, ...]:
    """Return the small lines below the chart of a workbook."""
    lost = sum(problem.effect == "row" for problem in problems)
    first = f"{count(lost, 'row')} not scored: see Problems.  " if lost else ""
    if measure.bands:
        first += "Verdict: the band that holds the whole interval; empty if no band does."
    second = f"{family.formula} How it was computed: About."
    return (first.strip(), second) if first else (second,)
