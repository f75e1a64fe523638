"""Shift: each condition held against the clean one on the samples that both have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from scoresheet.metrics.families.collective.conditions import SampleGroup
from scoresheet.metrics.families.collective.names import normalize_name
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Problem, note
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.confidence import significance_level
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.mcnemar import mcnemar_p
from scoresheet.metrics.stats.means import mean

LOWER: Final = "lower"  # what is shown of a condition
HIGHER: Final = "higher"
NO_DIFFERENCE: Final = "no difference shown"
NOTHING_SHARED: Final = "no sample in common"


@dataclass(frozen=True)
class Shift:
    """What a condition does to the collective, on the samples that it shares with the clean one."""

    condition: str
    shared: int
    accuracy: float  # under the condition, over the shared samples; NaN where nothing is known of them
    clean: float  # under the clean one, over the same samples
    p_value: float  # McNemar's, of the difference
    p_holm: float  # the same, corrected over the conditions
    finding: str

    @property
    def delta(self) -> float:
        """The accuracy less the clean one."""
        return self.accuracy - self.clean


def shifts_from(clean: SampleGroup, others: Mapping[str, SampleGroup], *, confidence: float) -> tuple[Shift, ...]:
    """Return every other condition against the clean one."""
    place = {sample: position for position, sample in enumerate(clean.samples)} if others else {}
    found = []
    for name, group in others.items():
        own = [position for position, sample in enumerate(group.samples) if sample in place]
        before = clean.collective[[place[group.samples[position]] for position in own]]
        after = group.collective[own]
        if not own or not group.has_predictions:
            finding = NOTHING_SHARED if group.has_predictions else ""
            found.append(Shift(name, len(own), math.nan, math.nan, math.nan, math.nan, finding))
            continue
        p = mcnemar_p(int((after & ~before).sum()), int((before & ~after).sum()))
        found.append(Shift(name, len(own), float(after.mean()), float(before.mean()), p, math.nan, ""))
    return _corrected(found, significance_level(confidence))


def _corrected(shifts: Sequence[Shift], level: float) -> tuple[Shift, ...]:
    corrected = holm([shift.p_value for shift in shifts])
    return tuple(
        Shift(
            shift.condition,
            shift.shared,
            shift.accuracy,
            shift.clean,
            shift.p_value,
            p,
            shift.finding if math.isnan(p) else _finding(shift.delta, p < level),
        )
        for shift, p in zip(shifts, corrected, strict=True)
    )


def _finding(delta: float, shown: bool) -> str:
    if not shown:
        return NO_DIFFERENCE
    return LOWER if delta < 0 else HIGHER


def robustness(shifts: Sequence[Shift]) -> float:
    """Return the mean accuracy under shifted conditions over the clean one, on the samples that each shares with it."""
    known = [shift for shift in shifts if not math.isnan(shift.accuracy)]
    clean = mean(shift.clean for shift in known)
    return mean(shift.accuracy for shift in known) / clean if clean > 0 else math.nan


def attacks(shifts: Sequence[Shift], name: str) -> tuple[Shift, ...]:
    """Return the conditions that are attacks: those whose name begins with this one.

    >>> strong = Shift("Adversarial (0.03)", 9, 0.5, 0.9, 0.1, 0.1, "")
    >>> attacks([strong], "adversarial") == (strong,), attacks([strong], "fgsm")
    (True, ())
    """
    return tuple(shift for shift in shifts if normalize_name(shift.condition).startswith(normalize_name(name)))


def notes_on_samples(clean: str, group: SampleGroup, others: Mapping[str, SampleGroup], *, sheet: str) -> list[Problem]:
    """Return a note if conditions have other samples than the clean one."""
    own = set(group.samples) if others else set()
    differing = [
        f"{name} has {len(own & set(other.samples)):,} of the {len(own):,}"
        + (f" and {more:,} others" if (more := len(set(other.samples) - own)) else "")
        for name, other in others.items()
        if set(other.samples) != own
    ]
    if not differing:
        return []
    message = (
        f"conditions have other samples than {clean}: {join_names(differing, most=8)}; differences and robustness are "
        "over the samples in common, accuracies over all that a condition has"
    )
    return [note("samples-differ", message, sheet=sheet)]


def note_on_epochs(groups: Mapping[str, SampleGroup], *, sheet: str) -> list[Problem]:
    """Return a note if the epochs of the clean condition have different samples."""
    if len(groups) < 2:
        return []
    sizes = {epoch: len(group.samples) for epoch, group in groups.items()}
    everyone = {sample for group in groups.values() for sample in group.samples}
    if all(size == len(everyone) for size in sizes.values()):
        return []
    named = join_names([f"{epoch} ({size:,})" for epoch, size in sizes.items()], most=8)
    message = f"epochs have different samples, so that their accuracies are not of the same: {named}"
    return [note("samples-differ", message, sheet=sheet)]
