"""The shares of a target: the chooser that choices are tested against, where it is not the uniform one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from scoresheet.metrics.families.mode_collapse.null_distribution import Shares
from scoresheet.metrics.families.mode_collapse.option_sets import (
    ARROW,
    EVERYWHERE,
    OptionSets,
    Path,
    normalized_path,
    path_of,
    question_key,
)
from scoresheet.metrics.families.mode_collapse.schema import LEVEL, OPTION, PARENT, QUESTION, SHARE, TARGET
from scoresheet.metrics.messages import flag
from scoresheet.metrics.numbers import parse_count, parse_weight
from scoresheet.metrics.problems import UsageError
from scoresheet.metrics.schema import SHEET, SOURCE
from scoresheet.metrics.tables import text_cells

if TYPE_CHECKING:
    from scoresheet.metrics.tables import Table

TargetShares = Mapping[tuple[str, int, Path | None], Mapping[str, float]]  # question, level, parent → option → weight


def shares_of_cell(targets: TargetShares, option_sets: OptionSets, sheet: str, level: int, path: Path) -> Shares | None:
    """Return the target's shares of a cell's options, None where the target is silent."""
    matcher = option_sets.matcher(sheet, level, path)
    if matcher is None:
        return None
    for question in (question_key(sheet), EVERYWHERE):
        for parent in (normalized_path(path), None):
            weights: dict[str, float] = defaultdict(float)
            for option, weight in targets.get((question, level, parent), {}).items():
                weights[matcher.option_named(option)] += weight
            of_options = [weights[option] for option in matcher.options]
            if sum(of_options):
                return tuple(weight / sum(of_options) for weight in of_options)
    return None


def read_target_shares(table: Table, option_sets: OptionSets) -> TargetShares:
    """Return the weights that a table gives; one that cannot be meant stops the run."""
    targets: dict[tuple[str, int, Path | None], dict[str, float]] = {}
    columns = (QUESTION.name, LEVEL.name, PARENT.name, OPTION.name, SHARE.name, SOURCE, SHEET)
    leveled = leveled_sheets(table)
    for question, level_text, parent, option, share, source, sheet in zip(
        *(text_cells(table, column) for column in columns), strict=True
    ):
        level = parse_count(level_text) if (source, sheet) in leveled else 0
        weight = parse_weight(share)
        if level is None:
            raise _unusable(f"the level of {option!r} is {level_text!r}; it must be a whole number of 0 or more")
        if weight is None:
            raise _unusable(f"the share of {option!r} is {share!r}; it must be a number of 0 or more")
        path = _checked_path(option_sets, question, level, parent, option)
        weights = targets.setdefault((question_key(question), level, normalized_path(path) if path else None), {})
        if any(_are_one_option(option_sets, question, level, path, each, option) for each in weights):
            raise _unusable(f"{option!r} at level {level} stands there twice; give it one share")
        weights[option] = weight
    for (_, level, parent_path), weights in targets.items():
        if not sum(weights.values()):
            below = f" under {ARROW.join(parent_path)}" if parent_path else ""
            raise _unusable(f"all shares of level {level}{below} are 0; at least one option must have some")
    return targets


def leveled_sheets(table: Table) -> set[tuple[str, str]]:
    """Return the sheets, with their files, that say of any row at which level it stands; others are all of level 0."""
    places = zip(*(text_cells(table, name) for name in (SOURCE, SHEET, LEVEL.name)), strict=True)
    return {(source, sheet) for source, sheet, level in places if level.strip()}


def _checked_path(option_sets: OptionSets, question: str, level: int, parent: str, option: str) -> Path:
    """Return the parent path of a row of the target, () where it names none; an option must be declared there."""
    parts = path_of(parent, level)
    path = option_sets.spelled_path(question, level, parts)
    wrong = option_sets.unknown_parent(question, level, path)
    if parts and len(parts) != level:
        wanted = f"a path of {level} choices is wanted" if level else "the root has none"
        wrong = f"{parent.strip()!r}, where {wanted}"
    if wrong:
        raise _unusable(f"the parent of {option!r} at level {level}: {wrong}")
    if not _is_declared(option_sets, question, level, path, option):
        raise _unusable(f"{option!r} at level {level} is not declared there by the table of options")
    return path


def _unusable(message: str) -> UsageError:
    return UsageError(f"{flag(TARGET)}: {message}")


def _are_one_option(option_sets: OptionSets, question: str, level: int, path: Path, one: str, other: str) -> bool:
    matcher = option_sets.matcher(question, level, path)
    option = matcher.option_named(one) if matcher else ""
    return one == other or bool(matcher and option and option == matcher.option_named(other))


def _is_declared(option_sets: OptionSets, question: str, level: int, path: Path, option: str) -> bool:
    """Return whether an option is one somewhere that a row of the target speaks of: it need not fit every parent."""
    for each in [question] if question.strip() else [EVERYWHERE, *option_sets.questions()]:
        parents = [path] if path else [None, *option_sets.tree(question_key(each)).get(level, {})]
        for parent in parents:
            matcher = option_sets.matcher(each, level, parent or ())
            if matcher is not None and matcher.option_named(option):
                return True
    return False
