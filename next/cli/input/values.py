"""Value checks: what the cells of a table must not look like, each with what to type."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import pandas as pd

from scoresheet.cli.input.cells import PART, ROW, loose
from scoresheet.cli.input.describe import has_few_values
from scoresheet.cli.input.grammar import join_names, where_option
from scoresheet.cli.input.mapping import Mapping, column_option
from scoresheet.metrics.problem import Problem
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
        if "model" not in self.long:
            return [("", self.long)]
        return [(str(name), rows) for name, rows in self.long.groupby("model", sort=False)]


def check_values(checked: Checked, accept: Collection[str]) -> list[Problem]:
    """Return the problems that the values of a table show, accepted ones left out."""
    problems = []
    for kind in checked.table.checks:
        if kind not in accept and (problem := _CHECKS[kind](checked)):
            hint = problem.hint or (f"--accept {kind}" if kind in ACCEPTABLE else "")
            problems.append(Problem(kind, "skipped", problem.message, hint=hint))
    return problems


def unique_keys(table: Table, long: pd.DataFrame) -> list[list[str]]:
    """Return the columns that identify a row, as alternatives."""
    if table.unique_with and table.unique_with not in long:
        return []
    common = [name for name in ("model", "sheet", "run", PART) if name in long]
    found = [[*common, *(r for r in roles if r in long)] for roles in table.unique]
    # an alternative counts only where its last role is filled: query+rank needs a rank
    return [
        keys
        for keys, roles in zip(found, table.unique, strict=True)
        if len(table.unique) == 1 or roles[-1] in long
    ]


def no_match(checked: Checked, key: str) -> Problem | None:
    """Return the problem of a table whose keys are not among the reference's, if it has it."""
    references = checked.references
    if references is None or checked.long.empty or references.empty:
        return None
    known = set(references[key])
    keys = checked.long[key]
    if keys.isin(known).any():
        return None
    word = checked.word(key)
    message = f"no {word} of this table is in the references (first: {keys.iloc[0]!r})"
    for header in checked.frame.columns:
        cells = checked.frame[header].map(str).str.strip()
        if cells.isin(known).mean() > 0.5:
            message += f"; column {header} holds their keys"
            hint = checked.option(key, header)
            return Problem("no-match", "refused", message, hint=hint)
    if {loose(k) for k in keys} & {loose(str(k)) for k in known}:
        return Problem("no-match", "refused", message, hint="--match loose")
    hint = f"use the keys of the references, such as {str(references[key].iloc[0])!r}"
    return Problem("no-match", "refused", message, hint=hint)


def labels_differ(checked: Checked, key: str) -> Problem | None:
    """Return the problem of labels that are here and in the references, and are not the same."""
    references = checked.references
    if references is None or "label" not in references or "label" not in checked.table.role_names:
        return None
    role, long = checked.table.role("label"), checked.long
    known = long[key].map(references.drop_duplicates(key).set_index(key)["label"])
    filling = checked.mapping.filling("label")
    named = filling.headers if filling else ()
    for header in named or [h for h in checked.mapping.unused if role.takes(h)]:
        cells = checked.raw(header).str.strip()
        differ = known.notna() & (cells != "") & (cells != known)
        if differ.any():
            first = long[differ].iloc[0]
            message = (
                f"column {header} and the references differ in {int(differ.sum())} of {len(long)}"
                f" rows (first: row {first[ROW]})"
            )
            hint = f"name no references, or use theirs only\n{checked.option('ignore', header)}"
            return Problem("labels-differ", "skipped", message, hint=hint)
    return None


def _refuse(message: str, hint: str = "") -> Problem:
    return Problem("", "skipped", message, hint=hint)


def _pooled(checked: Checked) -> Problem | None:
    headers = [h for h in checked.mapping.unused if has_few_values(checked.frame[h])]
    if not headers:
        return None
    options = [
        option
        for header in headers
        for option in (
            checked.option("model", header),
            checked.option("sheet", header),
            where_option(header, "==", checked.frame[header].map(str).iloc[0]),
        )
    ]
    options.append(checked.option("ignore", join_names(headers)))
    verb = "divides the rows and is" if len(headers) == 1 else "divide the rows and are"
    hint = "\n".join([f"say what {' and '.join(headers)} is", *options])
    return _refuse(f"column {' and '.join(headers)} {verb} not used", hint)


def _one_value(role: str, noun: str) -> Callable[[Checked], Problem | None]:
    def check(checked: Checked) -> Problem | None:
        filling = checked.mapping.filling(role)
        if role not in checked.long or (filling and filling.how == "place"):
            return None  # each file or worksheet has one; the run looks at all of them
        for model, rows in checked.models():
            values = rows[role].unique()
            if len(values) == 1:
                return _refuse(f"{model and f'{model}: '}there is only one {noun}: {values[0]}")
        return None

    return check


def _one_subtopic(checked: Checked) -> Problem | None:
    if "subtopics" not in checked.long:
        return _one_value("subtopic", "subtopic")(checked)
    values = {value for cell in checked.long["subtopics"] for value in cell}
    return _refuse(f"there is only one subtopic: {values.pop()}") if len(values) == 1 else None


def _all_different(checked: Checked) -> Problem | None:
    if "count" in checked.long:
        return None
    for model, rows in checked.models():
        if len(rows) >= 6 and not rows["choice"].duplicated().any():
            return _refuse(f"{model}: no choice occurs twice in {len(rows)} rows")
    return None


def _same_as_reference(checked: Checked) -> Problem | None:
    references = checked.references
    for model, rows in checked.models():
        if "reference" in rows:
            pairs = rows[["prediction", "reference"]]
        elif references is not None:
            pairs = rows[["idiom", "prediction"]].merge(references, on="idiom")
        else:
            return None
        share = _share_of_equals(pairs)
        if share >= NEARLY_EVERY:
            return _refuse(f"{model}: {share:.0%} of the predictions equal their reference")
    return None


def _share_of_equals(pairs: pd.DataFrame) -> float:
    """Return the share of predictions that equal a reference; 0 once it cannot be nearly every."""
    equal = different = 0
    for prediction, cell in zip(pairs["prediction"], pairs["reference"], strict=True):
        references = _references(cell) if prediction.strip() else []
        if prediction.strip() in references:
            equal += 1
        elif references:
            different += 1
        if different > (1 - NEARLY_EVERY) * len(pairs):
            return 0.0
    return equal / (equal + different) if equal > 1 else 0.0


def _references(cell: str | list[str]) -> list[str]:
    texts = cell if isinstance(cell, list) else cell.split("||")
    return [text.strip() for text in texts if text.strip()]


def _not_classes(checked: Checked) -> Problem | None:
    long, references = checked.long, checked.references
    source = long if "label" in long else references
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
            return _refuse(message, hint)
    return None


def _uneven_features(checked: Checked) -> Problem | None:
    long = checked.long
    if "feature" not in long or "value" not in long:
        return None
    sizes = long["value"].abs().groupby(long["feature"]).mean()
    if len(sizes) < 2 or sizes.max() <= 100 * sizes.drop(sizes.idxmax()).max():
        return None
    feature = str(sizes.idxmax())
    filling = checked.mapping.filling("feature")
    options = ["--accept uneven-features"]
    if filling and filling.how == "names":
        others = join_names([h for h in filling.headers if h != feature])
        options.insert(0, checked.option("feature", f"@header:{others}"))
    hint = "\n".join([f"leave {feature} out, or accept it", *options])
    return _refuse(f"feature {feature} outweighs the others a hundredfold", hint)


def _weights_sum(checked: Checked) -> Problem | None:
    long = checked.long
    if "weight" not in long:
        return None
    keys = [role for role in checked.table.role_names if role in long]
    keys = [key for key in keys if key not in ("expert", "weight")] or [ROW]
    wrong, groups = _wrong_sums(long, keys)
    if not wrong:
        return None
    free = [r for r in ("token", "slot", "layer", "sample") if r not in long]
    options = [
        checked.option(free[0], header)
        for header in checked.mapping.values
        if free and not _wrong_sums(long, [*(key for key in keys if key != ROW), header])[0]
    ]
    advice = "name the column that tells the groups apart" if options else "correct the weights"
    message = f"the weights of {wrong} of {groups} groups do not sum to 1"
    return _refuse(message, "\n".join([advice, *options]))


def _wrong_sums(long: pd.DataFrame, keys: list[str]) -> tuple[int, int]:
    """Return how many groups have weights that do not sum to 1, and how many there are."""
    sums = long.groupby(keys)["weight"].sum()
    return int(((sums - 1).abs() > 1e-4).sum()), len(sums)


_CHECKS: dict[str, Callable[[Checked], Problem | None]] = {
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
