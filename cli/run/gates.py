"""Gates: what a run must hold to, understood before anything is read and judged when all is scored; one home."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.header_matching import suggestion
from scoresheet.cli.report.page import Column
from scoresheet.cli.report.reporter import Reporter
from scoresheet.cli.run.plan import Outcome
from scoresheet.cli.run.results_table import MODEL, result_columns
from scoresheet.metrics.family import C, K, O, R
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.units import Value

FAIL_IF: Final = "--fail-if"
_WORDS: Final = ("label", "text", "key")  # kinds of columns that hold words
_OPERATORS: Final = ("<", "<=", ">", ">=", "==", "!=")
_FOR_WORDS: Final = ("==", "!=")
_OPERATOR: Final = "<=|>=|==|!=|<|>"
_MANY: Final = r"(?<=_)k(?=_)|(?<=@)k\Z"  # in a documented name: what a run has several of


@dataclass(frozen=True)
class Gate:
    """A condition on a column of the results that a run shall not meet."""

    text: str  # as it was given
    name: str  # the column, after the model that it is for, if it is for one
    operator: str
    limit: float | str


@dataclass(frozen=True)
class GateVerdict:
    """Whether one model holds to one gate."""

    gate: str  # as it was given
    model: str
    value: float | str | None  # None where it is undefined
    limit: float | str
    failed: bool
    why: str  # in words, without the model

    def sentence(self) -> str:
        """Return the verdict as one line."""
        return f"{self.model}: {self.why}"

    def record(self) -> dict[str, object]:
        """Return the verdict for machines."""
        return {
            "gate": self.gate,
            "model": self.model,
            "value": self.value,
            "limit": self.limit,
            "failed": self.failed,
            "why": self.why,
        }


@dataclass(frozen=True)
class ModelLine:
    """A model's line of the results, by column."""

    model: str
    values: Mapping[str, Value]
    failed: bool  # whether it has no results at all


def failed_only(verdicts: Iterable[GateVerdict]) -> list[GateVerdict]:
    """Return the verdicts of gates that did not hold."""
    return [verdict for verdict in verdicts if verdict.failed]


def parse_gates(texts: Sequence[str], reporter: Reporter[O, C, R, K], options: O) -> tuple[Gate, ...]:
    """Return the conditions of `--fail-if`; Stop if one can be none of this command's, whatever its models are."""
    now = result_columns(reporter.result_columns([], options).measures)
    columns = {column.name: column for column in (*reporter.documented.results, *now) if column.name != MODEL.name}
    return tuple(_parsed(text, columns) for text in texts)


def _parsed(text: str, columns: Mapping[str, Column]) -> Gate:
    splits = [
        (text[: found.start()].strip(), found.group(), text[found.end() :].strip())
        for found in re.finditer(_OPERATOR, text)
    ]
    if not splits or not splits[0][0] or not splits[-1][2]:
        raise Stop(
            Exit.USAGE,
            f"{FAIL_IF} {text!r}: a gate is a column of the results, one of {' '.join(_OPERATORS)}, and a number or a "
            f"word, such as '{next(iter(columns))}<0.7' or 'Status!=ok'",
        )
    for name, sign, limit in splits:
        column = next((found for tail in _tails(name) if (found := _possible(tail, columns))), None)
        if column is not None and limit:
            return Gate(text, name, sign, _limit(text, column, sign, limit))
    name = splits[0][0]
    hint = next((hint for tail in _tails(name) if (hint := suggestion(tail, list(columns)))), "")
    raise Stop(Exit.USAGE, f"{FAIL_IF} {text!r}: {name!r} can be no column of the results{hint or _listed(columns)}")


def _tails(name: str) -> list[str]:
    """Return what may be the column of a name: all of it, or what follows a model's name and a colon.

    >>> _tails("a:b:S_Info")
    ['a:b:S_Info', 'b:S_Info', 'S_Info']
    """
    parts = name.split(":")
    return [":".join(parts[start:]).strip() for start in range(len(parts))]


def _possible(name: str, columns: Mapping[str, Column]) -> Column | None:
    """Return the column that a name may stand for: itself, or one that a run may have several of."""
    if name in columns:
        return columns[name]
    for known, column in columns.items():
        parts = re.split(_MANY, known)
        if len(parts) > 1 and re.fullmatch(r"\d+".join(map(re.escape, parts)), name):
            return column
    return None


def _listed(columns: Mapping[str, Column]) -> str:
    return f"; there are {join_names(columns, most=12)}"


def _limit(text: str, column: Column, sign: str, limit: str) -> float | str:
    """Return a limit as what the column holds; Stop if it cannot be compared with that."""
    if column.kind in _WORDS:
        if sign not in _FOR_WORDS:
            raise Stop(
                Exit.USAGE, f"{FAIL_IF} {text!r}: {column.name} holds words, which are only {' or '.join(_FOR_WORDS)}"
            )
        return limit
    try:
        number = float(limit)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Stop(Exit.USAGE, f"{FAIL_IF} {text!r}: {column.name} holds numbers, and {limit!r} is none")
    return number


def judge_lines(gates: Sequence[Gate], columns: Sequence[Column], lines: Sequence[ModelLine]) -> list[GateVerdict]:
    """Return the verdicts of conditions on results; Stop if a column or a model turns out not to be there."""
    known = {column.name: column for column in columns if column.name != MODEL.name}
    verdicts = []
    for gate in gates:
        model, column = _resolved(gate, known, [line.model for line in lines])
        verdicts += [_judged(gate, column, line) for line in lines if model in ("", line.model)]
    return verdicts


def _resolved(gate: Gate, columns: Mapping[str, Column], models: Sequence[str]) -> tuple[str, Column]:
    """Return the model that a gate is for, '' for all, and its column; of the models that fit the longest counts."""
    fitting = [model for model in models if gate.name.startswith(f"{model}:")]
    for model in sorted(fitting, key=len, reverse=True):
        if column := columns.get(gate.name[len(model) + 1 :].strip()):
            return model, column
    if gate.name in columns:
        return "", columns[gate.name]
    tail = next((tail for tail in _tails(gate.name) if tail in columns), None)
    if tail is not None:
        model = gate.name.removesuffix(tail).rstrip().removesuffix(":")
        hint = suggestion(model, list(models)) or f"; there are {join_names(models, most=12)}"
        raise Stop(Exit.USAGE, f"{FAIL_IF} {gate.text!r}: no model here is called {model!r}{hint}")
    hint = next((hint for tail in _tails(gate.name) if (hint := suggestion(tail, list(columns)))), _listed(columns))
    raise Stop(Exit.USAGE, f"{FAIL_IF} {gate.text!r}: these results have no column {gate.name!r}{hint}")


def _judged(gate: Gate, column: Column, line: ModelLine) -> GateVerdict:
    rule = f"fails if {column.name}{gate.operator}{gate.limit if isinstance(gate.limit, str) else f'{gate.limit:g}'}"
    value = line.values.get(column.name)
    if line.failed:
        return GateVerdict(gate.text, line.model, None, gate.limit, True, f"failed, so that it has no results ({rule})")
    if value is None or value == "" or value != value:  # noqa: PLR0124 - NaN
        return GateVerdict(gate.text, line.model, None, gate.limit, True, f"{column.name} is undefined ({rule})")
    shown = value if isinstance(value, str) else f"{value:.6g}"
    failed = _is_met(value, gate.operator, gate.limit)
    return GateVerdict(gate.text, line.model, value, gate.limit, failed, f"{column.name} is {shown} ({rule})")


def _is_met(value: Value, sign: str, limit: float | str) -> bool:
    """Return whether a condition is met; words are equal or not, and nothing else.

    >>> _is_met(0.5, "<", 0.7), _is_met("high", "!=", "high")
    (True, False)
    """
    if isinstance(value, str) or isinstance(limit, str):
        return (str(value) == str(limit)) == (sign == "==")
    return {
        "<": value < limit,
        "<=": value <= limit,
        ">": value > limit,
        ">=": value >= limit,
        "==": value == limit,
        "!=": value != limit,
    }[sign]


def judge_coverage(outcomes: Sequence[Outcome[R]], least: float) -> list[GateVerdict]:
    """Return the verdicts on the share of rows that got a score."""
    if not least:
        return []
    verdicts = []
    for outcome in outcomes:
        share = outcome.coverage
        failed = not share >= least  # written so that no coverage at all is too little
        rows = f"{f'{share:.1%}' if outcome.rows else 'none'} of its rows got a score"
        why = f"{rows}, less than {least:.1%}" if failed else f"{rows}, {least:.1%} are enough"
        value = None if math.isnan(share) else share
        verdicts.append(GateVerdict(f"--min-coverage {least:g}", outcome.model, value, least, failed, why))
    return verdicts


def judge_alerts(results: Mapping[str, R]) -> list[GateVerdict]:
    """Return a verdict for each alert, or that there is none."""
    gate, limit = "--fail-on alert", "no alert"
    verdicts = []
    for model, result in results.items():
        verdicts += [GateVerdict(gate, model, alert, limit, True, alert) for alert in result.alerts]
        if not result.alerts:
            verdicts.append(GateVerdict(gate, model, "no alert", limit, False, "has no alert"))
    return verdicts
