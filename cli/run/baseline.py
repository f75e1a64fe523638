"""The change of each model since an earlier run: paired, tested one-sided, with what has gone; and gates on it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.results_reading import EarlierResults
from scoresheet.cli.run.gates import GateVerdict
from scoresheet.cli.shared_values import MOST_GONE
from scoresheet.cli.write.cell_text import escape_control_characters
from scoresheet.metrics.compare import ComparedBy, ComparedUnits, PairedDifference, Pairing
from scoresheet.metrics.family import C, Family, K, O, P, R, S
from scoresheet.metrics.messages import join_names, percent, pluralize
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.confidence import significance_level
from scoresheet.metrics.stats.holm import holm

WORSE, MAX_DROP = "--fail-if-worse", "--max-drop"
_NOW, _BEFORE = "now", "before"

Units = Mapping[str, ComparedUnits | None]


@dataclass(frozen=True)
class Change:
    """One model now and in an earlier run."""

    model: str
    pair: PairedDifference | None  # now less before, in the headline; None where the model is not in both
    drop: float  # by how much it is worse, below 0 if it is better; NaN where the headline has no direction
    p_worse: float  # one-sided: chance of such a drop if nothing had changed
    p_holm: float  # after Holm's correction over the models
    units_before: int
    gone: tuple[str, ...]  # units that it had before and has no more
    gone_share: float
    is_lost: bool  # whether it had results before and has none now
    is_worse: bool  # whether the drop is shown
    finding: str


@dataclass(frozen=True)
class Baseline:
    """What has changed since an earlier run."""

    folder: str
    measure: str  # in which models are compared
    units: str
    directed: bool  # whether a change of it can be for the worse
    confidence: float
    changes: tuple[Change, ...]
    new_models: tuple[str, ...]
    differs: tuple[str, ...]  # what of the signatures is not the same

    @property
    def lost_models(self) -> list[str]:
        """The models that have gone."""
        return [change.model for change in self.changes if change.is_lost]

    def sentence(self) -> str:
        """Return what has changed, in a sentence or two."""
        models = [change for change in self.changes if not change.is_lost]
        worse = [change.model for change in models if change.is_worse]
        shown = f"worse is {join_names(worse, most=10)}" if worse else "no model is shown to be worse"
        if not self.directed:
            shown = f"{self.measure} has no direction, so that no model is worse by it"
        parts = [f"Since {self.folder}: of {pluralize(len(models), 'model')} in both, {shown}"]
        if self.lost_models:
            parts.append(f"gone: {join_names(self.lost_models, most=10)}")
        losing = [f"{change.model} ({change.gone_share:.1%})" for change in models if change.gone]
        if losing:
            parts.append(f"with units that are gone: {join_names(losing, most=10)}")
        if self.new_models:
            parts.append(f"new: {join_names(self.new_models, most=10)}")
        if self.differs:
            parts.append(f"made in other ways: {', '.join(self.differs)}")
        return "; ".join(parts) + "."


def signature_differences(ours: str, theirs: str) -> list[str]:
    """Return what two signatures do not have in common, in words.

    >>> signature_differences("sinfo|rouge:lin|v:1", "sinfo|v:2")
    ['rouge:lin and rouge:not said', 'v:1 and v:2']
    """
    first, second = (_parts(signature) for signature in (ours, theirs))
    said = []
    for name in dict.fromkeys((*first, *second)):
        one, other = first.get(name), second.get(name)
        if one == other:
            continue
        said.append(f"{name}:{one or 'not said'} and {name}:{other or 'not said'}")
    return said


def _parts(signature: str) -> dict[str, str]:
    command, *parts = signature.split("|")
    return {"command": command} | {part.partition(":")[0]: part.partition(":")[2] for part in parts}


def refuse_other_signature(earlier: EarlierResults, signature: str, *, anyway: bool) -> tuple[str, ...]:
    """Return what differs between a run and an earlier one; Stop if that was not allowed."""
    differs = signature_differences(signature, earlier.signature)
    if differs and not anyway:
        raise Stop(
            Exit.USAGE,
            f"{earlier.folder}: these results were made in another way: {'; '.join(differs)}. Make both in one way, or "
            "compare them with --anyway",
        )
    return tuple(differs)


def as_written(units: ComparedUnits | None) -> ComparedUnits | None:
    """Return units with keys and sheets as a CSV has them."""
    if units is None:
        return None
    keys, sheets = (tuple(map(escape_control_characters, names)) for names in (units.keys, units.sheets))
    return replace(units, keys=keys, sheets=sheets)


def changes_since(
    earlier: EarlierResults,
    now: Units,
    family: Family[O, P, C, S, R, K],
    options: O,
    differs: Sequence[str] = (),
    only: Collection[str] = (),
) -> Baseline:
    """Return the change of each model since an earlier run of the same family, or of those that are asked for."""
    if earlier.command.name != family.name:
        raise Stop(Exit.USAGE, f"{earlier.folder}: these are results of {earlier.command.name}, not of {family.name}")
    by = earlier.compared_by
    asked = [model for model in sorted(earlier.models) if not only or model in only]
    before = {model: earlier.compared_units(model) for model in asked if earlier.has_units(model)}
    for model, own in now.items():
        if own is not None and own.values.shape[1] != len(by.measures):
            raise Stop(
                Exit.USAGE,
                f"{earlier.folder}: {model} is measured in other columns than here, in {join_names(by.measures)}",
            )
    measure = by.headline
    pairs: dict[str, PairedDifference] = {}
    for model, own in before.items():
        if now.get(model) is None or own is None:
            continue
        found = family.compare_units({_NOW: now[model], _BEFORE: own}, by, options, Pairing(against=_BEFORE))
        pairs[model] = found.of_headline()[0]
        measure = found.headline
    one_sided = {model: _p_worse(pair, by) for model, pair in pairs.items()}
    corrected = dict(zip(one_sided, holm(list(one_sided.values())), strict=True))
    level = significance_level(options.ci)
    changes = []
    for model, own in before.items():
        gone, total = units_gone(own, now.get(model), family, by)
        share = sum(gone.values()) / total if total else 0.0
        pair, p_holm = pairs.get(model), corrected.get(model, math.nan)
        is_lost = now.get(model) is None
        drop = _drop(pair, by)
        is_worse = p_holm < level
        changes.append(
            Change(
                model,
                pair,
                drop,
                one_sided.get(model, math.nan),
                p_holm,
                total,
                _unit_names(gone),
                share,
                is_lost,
                is_worse,
                _finding(pair, drop, is_lost=is_lost, is_worse=is_worse),
            )
        )
    new = tuple(model for model, units in now.items() if model not in before and units is not None)
    return Baseline(
        str(earlier.folder), measure, by.units, by.better is not None, options.ci, tuple(changes), new, tuple(differs)
    )


def judge_changes(baseline: Baseline, *, fail_if_worse: bool, max_drop: float | None) -> list[GateVerdict]:
    """Return the verdicts on what has changed: models and units that are gone, drops that are shown or too large."""
    verdicts = []
    for change in baseline.changes:
        if fail_if_worse:
            verdicts += _worse(change, baseline)
        if max_drop is not None:
            verdicts.append(_dropped(change, baseline, max_drop))
    return verdicts


def _worse(change: Change, baseline: Baseline) -> list[GateVerdict]:
    model, folder = change.model, baseline.folder
    if change.is_lost:
        why = f"had results in {folder} and has none now ({WORSE})"
        return [GateVerdict(WORSE, model, "gone", "a model of the baseline", True, why)]
    named = f", such as {join_names(map(repr, change.gone))}" if change.gone else ""
    why = f"{change.gone_share:.1%} of what it had in {folder} is gone{named}; {percent(MOST_GONE)} may be ({WORSE})"
    gone = GateVerdict(WORSE, model, change.gone_share, MOST_GONE, change.gone_share > MOST_GONE, why)
    if not baseline.directed:
        return [gone]
    level = significance_level(baseline.confidence)
    p_value = None if math.isnan(change.p_holm) else change.p_holm
    chance = "p is undefined" if p_value is None else f"p {p_value:.2g} after Holm"
    why = f"{baseline.measure}: {change.finding} ({chance}; {WORSE} fails below {level:g})"
    return [gone, GateVerdict(WORSE, model, p_value, level, change.is_worse, why)]


def _dropped(change: Change, baseline: Baseline, most: float) -> GateVerdict:
    gate, rule = f"{MAX_DROP} {most:g}", f"{MAX_DROP} fails if it is worse by more than {most:g}"
    if math.isnan(change.drop):
        why = f"{baseline.measure} cannot be held against {baseline.folder} ({rule})"
        return GateVerdict(gate, change.model, None, most, True, why)
    pair = change.pair
    moved = "" if pair is None else f" from {pair.test.other_mean:.6g} to {pair.test.mean:.6g}"
    why = f"{baseline.measure} went{moved} on the {baseline.units} in both ({rule})"
    return GateVerdict(gate, change.model, change.drop, most, change.drop > most, why)


def _p_worse(pair: PairedDifference, by: ComparedBy) -> float:
    """Return the one-sided p-value of a drop: flipped signs, like dealt samples, are as often for it as against it."""
    drop = _drop(pair, by)
    if math.isnan(drop) or math.isnan(pair.test.p_value):
        return math.nan
    return pair.test.p_value / 2 if drop > 0 else 1 - pair.test.p_value / 2


def _drop(pair: PairedDifference | None, by: ComparedBy) -> float:
    if pair is None or by.better is None:
        return math.nan
    return -pair.test.difference if by.better == "higher" else pair.test.difference


def units_gone(
    before: ComparedUnits | None, now: ComparedUnits | None, family: Family[O, P, C, S, R, K], by: ComparedBy
) -> tuple[Counter[tuple[str, str]], int]:
    """Return which units are gone, and how many there were; without a sheet in common they go by their keys alone."""
    had, has = (Counter[tuple[str, str]]() if own is None else family.unit_counts(own, by) for own in (before, now))
    if not {sheet for sheet, _ in had} & {sheet for sheet, _ in has}:
        had, has = (_by_key(counts) for counts in (had, has))
    return had - has, had.total()


def _by_key(counts: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    found = Counter[tuple[str, str]]()
    for (_, key), number in counts.items():
        found["", key] += number
    return found


def _unit_names(units: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    r"""Return units as people know them, with their sheet where there are several; a key's first line is its name.

    >>> _unit_names([("one", "a"), ("two", "a")]), _unit_names([("one", "7\nlabel")])
    (('a (one)', 'a (two)'), ('7',))
    """
    every = list(units)
    several = len({sheet for sheet, _ in every}) > 1
    names = [(sheet, key.partition("\n")[0]) for sheet, key in every]
    return tuple(f"{name} ({sheet})" if several and name else name or sheet for sheet, name in names)


def _finding(pair: PairedDifference | None, drop: float, *, is_lost: bool, is_worse: bool) -> str:
    if is_lost:
        return "gone"
    if pair is None or math.isnan(pair.test.difference):
        return "nothing in common with before"
    if is_worse:
        return f"worse by {drop:.3f}, which is shown"
    if math.isnan(drop):
        return f"changed by {pair.test.difference:+.3f}; no direction is better"
    if drop > 0:
        return (
            f"lower by {drop:.3f}, which is not shown"
            if pair.test.difference < 0
            else (f"higher by {drop:.3f}, which is not shown")
        )
    return "not worse"
