"""Value checks: what the cells of a table must not look like, each with what to type."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scoresheet.cli.input.cells import has_few_values, loose
from scoresheet.cli.input.grammar import join_names, where_option
from scoresheet.cli.input.mapping import Mapping, column_option
from scoresheet.cli.input.tidy import PART, ROW
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Table

NEARLY_EVERY = 0.95
# Checks that --accept overrules.
ACCEPTABLE = (
    *("same-as-reference", "not-classes", "one-judge", "one-stream", "one-subtopic"),
    *("uneven-features", "all-different", "nothing-shared"),
)


@dataclass(frozen=True)
class Checked:
    """A table that is checked: as it was read, what it was read as, and the long table.

    `references` are the run's references, `given` the names of its further tables.
    """

    table: Table
    frame: pd.DataFrame
    mapping: Mapping
    long: pd.DataFrame
    references: pd.DataFrame | None = None
    given: Collection[str] = ()

    def option(self, role: str, source: str) -> str:
        """Return the option that fills a role from a source, as it can be typed."""
        return column_option(self.table, role, source)

    def raw(self, header: str) -> pd.Series:
        """Return the cells of a column as it was read, for each row of the long table."""
        cells = self.frame[header].map(str)
        return pd.Series(cells.reindex(self.long[ROW]).to_numpy(), index=self.long.index)

    def word(self, role: str) -> str:
        """Return what the user calls a role: the header that it was read from."""
        filling = self.mapping.filling(role)
        return filling.headers[0] if filling and filling.how == "header" else role

    def models(self) -> list[tuple[str, pd.DataFrame]]:
        """Return the rows of each model; all rows where the table has no models."""
        names = self.long["model"].unique() if "model" in self.long else [""]
        if len(names) == 1:
            return [(str(names[0]), self.long)]
        return [(str(name), rows) for name, rows in self.long.groupby("model", sort=False)]


def check_values(checked: Checked, accept: Collection[str]) -> list[Problem]:
    """Return the problems that the values of a table show, accepted ones left out."""
    problems = []
    for kind in checked.table.checks:
        if kind not in accept and (found := _CHECKS[kind](checked)):
            message, hint = found
            hint = hint or (f"--accept {kind}" if kind in ACCEPTABLE else "")
            problems.append(Problem(kind, "skipped", message, hint=hint))
    return problems


def unique_keys(table: Table, long: pd.DataFrame) -> list[list[str]]:
    """Return the columns that identify a row, as alternatives."""
    if table.unique_with and table.unique_with not in long:
        return []
    common = [name for name in ("model", "sheet", "run", PART) if name in long]
    # an alternative counts only where its last role is filled: query+rank needs a rank
    return [
        [*common, *(role for role in roles if role in long)]
        for roles in table.unique
        if len(table.unique) == 1 or roles[-1] in long
    ]


def repeated_rows(checked: Checked, repeats: str) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the table without repeated rows, with a note; or refuse, naming what differs."""
    long, before = checked.long, len(checked.long)
    for keys in unique_keys(checked.table, long):
        if len(set(zip(*(long[key].tolist() for key in keys), strict=True))) == len(long):
            continue
        # an empty rank or level is not a key: cells of a wide table can be empty
        known = long[keys].notna().all(axis="columns")
        again = long.duplicated(keys, keep=False) & known
        if again.any() and repeats != "first":
            raise Refusal(_repeated(checked, keys, again))
        long = long[~(long.duplicated(keys) & known)].reset_index(drop=True)
    if len(long) == before:
        return long, []
    message = f"{before - len(long)} repeated rows were left out, the first of each was kept"
    return long, [Problem("repeated", "note", message)]


def _repeated(checked: Checked, keys: list[str], again: pd.Series) -> Problem:
    first = checked.long[again].iloc[0]
    shown = [k for k in keys if k not in ("model", "sheet", PART)] or keys
    values = [f"{first[k]:g}" if isinstance(first[k], float) else first[k] for k in shown]
    what = ", ".join(f"{checked.word(k)} {v}" for k, v in zip(shown, values, strict=True))
    message = f"{what} occurs more than once ({int(again.sum())} rows)"
    apart = [h for h in checked.mapping.unused if has_few_values(checked.frame[h])]
    apart = [
        header
        for header in apart
        if not checked.long.assign(_=checked.raw(header)).duplicated([*keys, "_"]).any()
    ]
    if not apart or checked.table.name != "outputs":
        hint = "remove the repeated rows, or keep the first of each\n--repeats first"
        return Problem("repeated", "skipped", message, hint=hint)
    header = apart[0]
    places = [f.role for f in checked.mapping.fillings if f.how == "place"]
    options = [
        checked.option(role, header)
        for role in ("model", "sheet", "split", "run")
        if role in checked.table.role_names
        and (role in places or not checked.mapping.filling(role))
    ]
    options += [where_option(header, "==", checked.raw(header)[again].iloc[0]), "--repeats first"]
    hint = "\n".join([f"say what {header} is, or keep some of the rows", *options])
    return Problem("repeated", "skipped", f"{message}; {header} tells them apart", hint=hint)


def check_references(checked: Checked, key: str) -> list[Problem]:
    """Return the problems of a table and its references: no key in common, other labels."""
    references, long = checked.references, checked.long
    if references is None or long.empty or references.empty:
        return []
    if not long[key].isin(references[key]).any():
        return [_no_match(checked, key, set(references[key]))]
    if "label" not in references or "label" not in checked.table.role_names:
        return []
    known = long[key].map(references.drop_duplicates(key).set_index(key)["label"])
    filling, role = checked.mapping.filling("label"), checked.table.role("label")
    here = filling.headers if filling else [h for h in checked.mapping.unused if role.takes(h)]
    for header in here:
        cells = checked.raw(header).str.strip()
        differ = known.notna() & (cells != "") & (cells != known)
        if differ.any():
            message = (
                f"column {header} and the references differ in {int(differ.sum())} of {len(long)}"
                f" rows (first: row {long[ROW][differ].iloc[0]})"
            )
            hint = f"name no references, or use theirs only\n{checked.option('ignore', header)}"
            return [Problem("labels-differ", "skipped", message, hint=hint)]
    return []


def _no_match(checked: Checked, key: str, known: set[str]) -> Problem:
    keys, word = checked.long[key], checked.word(key)
    message = f"no {word} of this table is in the references (first: {keys.iloc[0]!r})"
    hint = f"use the keys of the references, such as {min(known)!r}"
    if {loose(k) for k in keys} & {loose(k) for k in known}:
        hint = "--match loose"
    for header, cells in checked.frame.items():
        if np.mean([str(cell).strip() in known for cell in cells]) > 0.5:
            message += f"; column {header} holds their keys"
            hint = checked.option(key, str(header))
            break
    return Problem("no-match", "refused", message, hint=hint)


# --- checks, each of which returns a message and a hint -------------------------------------

Found = tuple[str, str] | None


def _pooled(checked: Checked) -> Found:
    headers = [h for h in checked.mapping.unused if has_few_values(checked.frame[h])]
    if not headers:
        return None
    where = where_option(headers[0], "==", str(checked.frame[headers[0]].iloc[0]))
    options = [
        *(checked.option(role, header) for header in headers for role in ("model", "sheet")),
        *(where, checked.option("ignore", join_names(headers))),
    ]
    named = " and ".join(headers)
    verb = "divides the rows and is" if len(headers) == 1 else "divide the rows and are"
    return f"column {named} {verb} not used", "\n".join([f"say what {named} is", *options])


def _one_value(role: str, noun: str) -> Callable[[Checked], Found]:
    def check(checked: Checked) -> Found:
        filling = checked.mapping.filling(role)
        if role not in checked.long or (filling and filling.how == "place"):
            return None  # each file or worksheet has one; the run looks at all of them
        for model, rows in checked.models():
            values = rows[role].unique()
            if len(values) == 1:
                return f"{model and f'{model}: '}there is only one {noun}: {values[0]}", ""
        return None

    return check


def _one_subtopic(checked: Checked) -> Found:
    if "subtopics" not in checked.long:
        return _one_value("subtopic", "subtopic")(checked)
    values = {value for cell in checked.long["subtopics"] for value in cell}
    return (f"there is only one subtopic: {values.pop()}", "") if len(values) == 1 else None


def _all_different(checked: Checked) -> Found:
    for model, rows in checked.models() if "count" not in checked.long else ():
        if len(rows) >= 6 and not rows["choice"].duplicated().any():
            return f"{model}: no choice occurs twice in {len(rows)} rows", ""
    return None


def _same_as_reference(checked: Checked) -> Found:
    known = checked.references
    for model, rows in checked.models():
        pairs = rows
        if "reference" not in rows:
            if known is None:
                return None
            pairs = rows[["idiom", "prediction"]].merge(known)
        share = _share_of_equals(pairs)
        if share >= NEARLY_EVERY:
            return f"{model}: {share:.0%} of the predictions equal their reference", ""
    return None


def _share_of_equals(pairs: pd.DataFrame) -> float:
    """Return the share of predictions that equal a reference; 0 once it cannot be nearly every."""
    equal = different = 0
    for prediction, cell in zip(pairs["prediction"], pairs["reference"], strict=True):
        texts = cell if isinstance(cell, list) else cell.split("||")
        references = {text.strip() for text in texts} - {""}
        if prediction.strip() and references:
            equal += prediction.strip() in references
            different += prediction.strip() not in references
        if different > (1 - NEARLY_EVERY) * len(pairs):
            return 0.0
    return equal / (equal + different) if equal > 1 else 0.0


def _not_classes(checked: Checked) -> Found:
    long = checked.long
    source = long if "label" in long else checked.references
    if source is None or "prediction" not in long or "classes" in checked.given:
        return None
    labels = set(source["label"])
    for stream, votes in long[long["prediction"] != ""].groupby("stream")["prediction"]:
        if (~votes.isin(labels)).mean() > 0.5:
            known = ", ".join(sorted(labels)[:5])
            message = f"most predictions of {stream} are not labels ({votes.iloc[0]}; {known})"
            hint = "map ids to names with --classes FILE, or accept it\n--accept not-classes"
            filling = checked.mapping.filling("prediction")
            if filling and filling.how == "cells":
                hint += f"\n{checked.option('probability', '@cells')}"
            return message, hint
    return None


def _uneven_features(checked: Checked) -> Found:
    long = checked.long
    if "feature" not in long or "value" not in long:
        return None
    sizes = long["value"].abs().groupby(long["feature"]).mean()
    if len(sizes) < 2 or sizes.max() <= 100 * sizes.drop(sizes.idxmax()).max():
        return None
    hint = "leave it out, or accept it\n--accept uneven-features"
    return f"feature {sizes.idxmax()} outweighs the others a hundredfold", hint


def _weights_sum(checked: Checked) -> Found:
    long = checked.long
    if "weight" not in long:
        return None
    keys = [r for r in checked.table.role_names if r in long and r not in ("expert", "weight")]
    sums = long.groupby(keys or [ROW])["weight"].sum()
    wrong = int(((sums - 1).abs() > 1e-4).sum())
    free = [role for role in ("token", "slot", "layer", "sample") if role not in long]
    options = [checked.option(free[0], header) for header in checked.mapping.values if free]
    hint = "\n".join(["correct the weights, or name the column that divides the groups", *options])
    return (
        (f"the weights of {wrong} of {len(sums)} groups do not sum to 1", hint) if wrong else None
    )


_CHECKS: dict[str, Callable[[Checked], Found]] = {
    "pooled": _pooled,
    "one-judge": _one_value("judge", "judge"),
    "one-stream": _one_value("stream", "member"),
    "one-subtopic": _one_subtopic,
    "all-different": _all_different,
    "same-as-reference": _same_as_reference,
    "not-classes": _not_classes,
    "uneven-features": _uneven_features,
    "weights-sum": _weights_sum,
}
