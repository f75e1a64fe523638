"""Gates: conditions on the results, decided once for all reports and the exit code."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from scoresheet.cli.input.grammar import COMPARISONS, few, nearest, usage
from scoresheet.metrics.family import Family
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.stats import FEWEST

NUMBERS = ("Coverage", "Answered", "Rows", "Scored", "Units", "Change")
TEXTS = ("Status", "Verdict")
NEW = "not in the baseline"
_GRAMMAR = re.compile(r"(.+)(<=|>=|==|!=|<|>)([^<>=!]+)", re.DOTALL)


@dataclass(frozen=True)
class Gate:
    """One condition for one model, decided: a failed one ends the command with exit 10."""

    condition: str
    state: Literal["passed", "failed", "undecided"]
    model: str
    value: float | str | None = None
    limit: float | str | None = None
    note: str = ""

    def __str__(self) -> str:
        value = f"{self.value:.6g}" if isinstance(self.value, float) else self.value or ""
        note = f"({self.note})" if self.note else ""
        name = f"{self.condition.removeprefix(f'{self.model}:')}: {self.model}"
        return " ".join(filter(None, [name, value, note]))


@dataclass(frozen=True)
class Condition:
    """A condition of --fail-if: a column of the results or an end of its interval, and a limit.

    `word` is the limit as it was typed.
    """

    text: str
    model: str
    name: str
    end: str
    operator: str
    limit: float | str
    word: str

    def column(self, headline: str) -> str:
        """Return the column of the results that the condition names."""
        stem = "CI" if self.name == headline and self.end else self.name
        return f"{stem}_{self.end.capitalize()}" if self.end else stem


def parse_condition(text: str, family: Family, options: Any = None) -> Condition:
    """Return a condition, or refuse one that names no column of the family's results.

    >>> from scoresheet.cli.registry import load_family
    >>> parse_condition("gpt:4:S_Info.high < 0.7", load_family("sinfo")).model
    'gpt:4'
    """
    found = _GRAMMAR.fullmatch(text)
    if not found:
        raise usage(
            f"--fail-if {text}: it must be NAME, one of {' '.join(COMPARISONS)}, and a limit"
        )
    named, sign, limit = (part.strip() for part in found.groups())
    model, _, name = named.rpartition(":")
    stem, _, end = name.rpartition(".")
    name, end = (stem, end) if end in ("low", "high") else (name, "")
    numbers, texts = _columns(family, options)
    # the measures of some families have the names of the user's own headers
    if name not in numbers + texts and "measure" not in family.outputs.role_names:
        raise _unknown(text, name, numbers + texts)
    try:
        number = float(limit)
    except ValueError:
        number = math.nan
    if math.isnan(number) and (name in numbers or end or sign not in ("==", "!=")):
        raise usage(f"--fail-if {text}: {limit} is not a number")
    return Condition(text, model, name, end, sign, limit if math.isnan(number) else number, limit)


def _columns(family: Family, options: Any) -> tuple[list[str], list[str]]:
    """Return the columns that a condition can name: numbers, and others that the screen shows."""
    cutoffs = re.findall(r"\d+", str(getattr(options, "cutoffs", "")))
    names = [measure.name for measure in family.measures]
    names = [f"{name}@{cutoff}" for name in names for cutoff in cutoffs] or names
    shown = [n for n in family.shown if n[-1] != "@" and n not in ("Headline", "CI", "To_Best")]
    return [*names, *NUMBERS], [*TEXTS, *shown]


def _unknown(text: str, name: str, known: Sequence[str]) -> Exception:
    near = nearest(name, known)
    hint = f"did you mean {near}?" if near else f"there are {', '.join(dict.fromkeys(known))}"
    return usage(f"--fail-if {text}: {name} is not a column of the results", hint)


def check_conditions(
    conditions: Sequence[Condition],
    results: pd.DataFrame,
    measures: Sequence[Measure],
    unchanged: str,
) -> Iterator[Gate]:
    """Yield a gate for each condition and model; `unchanged` says why there is no `Change`."""
    rows = {str(row["Model Name"]): row for row in results.to_dict("records")}
    for condition in conditions:
        column = condition.column(measures[0].name)
        if column not in results and condition.name != "Change":
            raise _unknown(condition.text, condition.name, [str(name) for name in results])
        if condition.model and condition.model not in rows:
            near = nearest(condition.model, list(rows))
            note = f"no such model, {f'did you mean {near}?' if near else f'only {few([*rows])}'}"
            yield Gate(condition.text, "failed", condition.model, None, condition.limit, note)
        for model, row in rows.items():
            if condition.model in ("", model):
                yield _decide(condition, model, row, column, unchanged)


def _decide(
    condition: Condition, model: str, row: Mapping[Any, Any], column: str, unchanged: str
) -> Gate:
    value, limit = row.get(column, math.nan), condition.limit
    state: Literal["passed", "failed", "undecided"]
    if value == "" or pd.isna(value):
        note = _why_undecided(condition, row, unchanged)
        state, value = "undecided" if note else "failed", None
        reason = str(row.get("Change_Note") or "") if condition.name == "Change" else ""
        return Gate(condition.text, state, model, value, limit, note or reason or "undefined")
    if isinstance(value, str):
        limit = condition.word
    elif isinstance(limit, str):
        raise usage(f"--fail-if {condition.text}: {column} is a number")
    else:
        value = float(value)
    state = "failed" if COMPARISONS[condition.operator](value, limit) else "passed"
    detectable = row.get("Change_Detectable", math.nan) if condition.name == "Change" else math.nan
    note = "" if pd.isna(detectable) else f"smallest detectable difference {detectable:.3g}"
    return Gate(condition.text, state, model, value, limit, note)


def _why_undecided(condition: Condition, row: Mapping[Any, Any], unchanged: str) -> str:
    """Return why an empty value is not a failure: units are too few, or there is no baseline."""
    if row["Status"] in ("failed", "unscored"):
        return ""
    if condition.name == "Change":
        undefined = pd.isna(row.get("Change", math.nan)) and row.get("Change_Note") != NEW
        return unchanged or ("" if undefined else str(row["Change_Note"]))
    note = str(row.get("Note") or "")
    few = row.get("Units", math.inf) < FEWEST or "are needed" in note
    defined = condition.end and not pd.isna(row.get(condition.name, math.nan))
    return (note or f"no interval: fewer than {FEWEST} units") if few and defined else ""
