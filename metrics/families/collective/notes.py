"""Notes on what the sheets of a system lack, or have in vain."""

from __future__ import annotations

from collections.abc import Mapping

from scoresheet.metrics.families.collective.conditions import SampleGroup
from scoresheet.metrics.families.collective.contribution import MOST_EXACT, can_be_exact
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.schema import LOGITS, PREDICTIONS, PROBABILITIES
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import Problem, note


def unused_sheets(tables: Mapping[str, NumericTable], options: CollectiveOptions) -> list[Problem]:
    """Return notes on probabilities or logits that no number comes from."""
    there = [sheet.role for sheet in (PROBABILITIES, LOGITS) if sheet.role in tables]
    problems = []
    if options.by_votes:
        way = flag(f"fusion {options.fusion}")
        problems += [
            note("other-columns", f"the sheet {role} was not used: {way} counts votes", sheet=role) for role in there
        ]
    elif len(there) > 1:
        message = (
            f"the sheet {PROBABILITIES.role} was not used: there is a sheet {LOGITS.role} too, whose mean was taken"
        )
        problems.append(note("other-columns", message, sheet=PROBABILITIES.role))
    if options.logits and PROBABILITIES.role not in tables:
        message = f"the option {flag('logits')} is about a sheet {PROBABILITIES.role}, and there is none"
        problems.append(note("missing-sheet", message))
    return problems


def differing_epochs(last: Mapping[str, str], options: CollectiveOptions) -> list[Problem]:
    """Return a note on conditions that end at another epoch."""
    own = last[options.clean]
    others = [f"{name} ({epoch})" for name, epoch in last.items() if epoch != own]
    if not others:
        return []
    message = f"conditions that end at another epoch than {options.clean} ({own}): {join_names(others)}"
    return [note("epochs-differ", message, sheet=PREDICTIONS)]


def without_shapley(head: SampleGroup, streams: int) -> list[Problem]:
    """Return a note if there is too much for every coalition."""
    if can_be_exact(head.fusion, streams):
        return []
    why = (
        f"there are more than {MOST_EXACT} streams"
        if streams > MOST_EXACT
        else "there are too many samples for every coalition"
    )
    return [note("many-streams", f"Shapley values are left out: {why}")]
