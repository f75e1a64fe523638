"""Rows that occur more than once, and the columns that tell them apart."""

import itertools

import pandas as pd

from scoresheet.cli.input.cells import PART
from scoresheet.cli.input.describe import has_few_values
from scoresheet.cli.input.grammar import where_option
from scoresheet.cli.input.values import Checked, unique_keys
from scoresheet.metrics.problem import Problem, Refusal


def repeated_rows(checked: Checked, repeats: str) -> tuple[pd.DataFrame, Problem | None]:
    """Return the table without repeated rows, with a note; or refuse, naming what differs."""
    long, before = checked.long, len(checked.long)
    for keys in unique_keys(checked.table, long):
        # an empty rank or level is not a key: cells of a wide table can be empty
        known = long[keys].notna().all(axis="columns")
        again = long.duplicated(keys, keep=False) & known
        if again.any() and repeats != "first":
            raise Refusal(_repeated(checked, keys, again))
        long = long[~(long.duplicated(keys) & known)].reset_index(drop=True)
    if len(long) == before:
        return long, None
    message = f"{before - len(long)} repeated rows were left out, the first of each was kept"
    return long, Problem("repeated", "note", message)


def _repeated(checked: Checked, keys: list[str], again: pd.Series) -> Problem:
    long = checked.long
    first = long[again].iloc[0]
    shown = [k for k in keys if k not in ("model", "sheet", PART)] or keys
    what = ", ".join(f"{checked.word(key)} {_plain(first[key])}" for key in shown)
    message = f"{what} occurs more than once ({int(again.sum())} rows)"
    frame = checked.frame
    # a column that differs in nearly every row numbers the rows and does not group them
    groups = [h for h in checked.mapping.unused if 2 * frame[h].map(str).nunique() <= len(frame)]
    apart = [h for h in groups if _tells_apart(checked, h, [*keys, "_"], "_")]
    if not apart or checked.table.name != "outputs":
        pair = _pair_apart(checked, keys)
        options = [f"{checked.option('sheet', a)} {checked.option('run', b)}" for a, b in pair]
        together = f"; {' and '.join(pair[0])} together tell them apart" if pair else ""
        advice = "remove the repeated rows, or keep the first of each"
        hint = "\n".join([advice, *options, "--repeats first"])
        return Problem("repeated", "skipped", message + together, hint=hint)
    header = next((h for h in apart if has_few_values(frame[h])), apart[0])
    value = str(checked.raw(header)[again].iloc[0])
    options = [
        checked.option(role, header)
        for role in ("model", "sheet", "split", "run")
        if role in checked.table.role_names
        and _tells_apart(checked, header, list(dict.fromkeys([*keys, role])), role)
    ]
    options += [where_option(header, "==", value), "--repeats first"]
    hint = "\n".join([f"say what {header} is, or keep some of the rows", *options])
    return Problem("repeated", "skipped", f"{message}; {header} tells them apart", hint=hint)


def _pair_apart(checked: Checked, keys: list[str]) -> list[tuple[str, str]]:
    """Return two columns, in both orders, that together tell repeated rows apart."""
    few = [h for h in checked.mapping.unused if has_few_values(checked.frame[h])][:6]
    if "sheet" not in checked.table.role_names:
        return []
    for a, b in itertools.combinations(few, 2):
        cells = checked.raw(a), checked.raw(b)
        both = checked.long.assign(_a=cells[0], _b=cells[1])
        if not both.duplicated([*keys, "_a", "_b"]).any():
            return [(a, b), (b, a)]
    return []


def _tells_apart(checked: Checked, header: str, keys: list[str], role: str) -> bool:
    """Return whether no row is repeated once a column is read as a role."""
    cells = checked.raw(header)
    return not checked.long.assign(**{role: cells}).duplicated(keys).any()


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
