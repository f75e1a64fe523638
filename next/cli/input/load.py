"""One table as a family scores it: mapped, tidied, and refused where its values look wrong."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd

from scoresheet.cli.input import grammar
from scoresheet.cli.input.cells import has_few_values, is_nan, loose
from scoresheet.cli.input.columns import map_columns
from scoresheet.cli.input.grammar import skipped
from scoresheet.cli.input.mapping import PART, ROW, Long, Mapping, Place, Raw, named_headers
from scoresheet.cli.input.source import ReadRules
from scoresheet.cli.input.tidy import TidyRules, look_behind_empty_cells, tidy, without_missing
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Table

NEARLY_EVERY = 0.95
# Checks that --accept overrules.
ACCEPTABLE = (
    *("same-as-reference", "not-classes", "one-judge", "one-stream", "one-subtopic"),
    *("uneven-features", "all-different", "nothing-shared"),
)


@dataclass(frozen=True)
class LoadRules:
    """The options that concern the columns and rows of tables.

    `given` are the names of the further tables of the run.
    """

    said: tuple[grammar.Said, ...] = ()
    where: tuple[grammar.Condition, ...] = ()
    tidy: TidyRules = field(default_factory=TidyRules)
    accept: frozenset[str] = frozenset()
    repeats: str = "error"
    given: Collection[str] = ()
    read: ReadRules = field(default_factory=ReadRules)


@dataclass(frozen=True)
class Loaded:
    """A table as a family scores it, what it was read as, and what is worth a word."""

    long: pd.DataFrame
    mapping: Mapping
    problems: list[Problem]


@dataclass(frozen=True)
class Given:
    """The other tables of a run: the references, joined by the role `key`, and all their names."""

    names: Collection[str]
    references: pd.DataFrame | None
    key: str

    def known(self, role: str, keys: Collection[str]) -> dict[str, list[Any]]:
        """Return what the references say about these keys, each with at least one value."""
        found: dict[str, list[Any]] = defaultdict(list)
        if self.references is not None and role in self.references:
            columns = (self.references[self.key].tolist(), self.references[role].tolist())
            for key, value in zip(*columns, strict=True):
                if key in keys:
                    found[key].append(value)
        return found


def load_table(
    table: Table,
    frame: pd.DataFrame,
    place: Place,
    rules: LoadRules,
    *,
    worksheets: int = 1,
    references: pd.DataFrame | None = None,
    key: str = "",
) -> Loaded:
    """Return the long table, or refuse with every problem that was found.

    `references` are the run's references, joined by the role `key`, for the checks that need them.
    """
    if table.name == "outputs":
        frame = grammar.filter_rows(frame, rules.where)
    columns = zip(frame.columns.tolist(), frame.to_numpy(dtype=object).T, strict=True)
    raw = Raw({header: list(cells) for header, cells in columns}, frame.index.tolist(), place)
    mapping = map_columns(table, raw, rules.said, worksheets=worksheets, given=rules.given)
    long = tidy(table, without_missing(raw, rules.tidy.missing_values), mapping, rules.tidy)
    if place.source.format == "excel":
        look_behind_empty_cells(long, rules.read)
    _drop_repeats(long, rules.repeats)
    given = Given(rules.given, references, key)
    problems = _check_references(long, given)
    for kind in table.checks:
        if kind not in rules.accept and (found := _CHECKS[kind](long, given)):
            message, *hint = found
            hint += [f"--accept {kind}"] if kind in ACCEPTABLE else []
            problems.append(Problem(kind, "skipped", message, hint="\n".join(hint)))
    if problems:
        raise Refusal(*problems)
    return Loaded(long.frame(), mapping, long.problems)


# --- rows that occur more than once ---------------------------------------------------------


def unique_keys(table: Table, long: Container[str]) -> list[list[str]]:
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


def _drop_repeats(long: Long, repeats: str) -> None:
    """Keep the first of rows that occur more than once, or refuse them, naming what differs."""
    before, named = len(long), [f.role for f in long.mapping.fillings if f.how == "names"]
    for keys in unique_keys(long.table, long.columns):
        # headers that are values tell the cells of a row apart
        apart = [[str(cell) for cell in long.columns[role]] for role in named if role not in keys]
        rows = list(zip(*(long.columns[key] for key in keys), *apart, strict=True))
        if len(set(rows)) == len(rows):
            continue
        # an empty rank or level (NaN) is not a key: cells of a wide table can be empty
        known = [at for at, row in enumerate(rows) if not any(map(is_nan, row))]
        counts = Counter(rows[at] for at in known)
        again = [at for at in known if counts[rows[at]] > 1]
        if again and repeats != "first":
            raise _repeated(long, keys, again)
        first = {rows[at]: at for at in reversed(known)}
        long.take([at for at, row in enumerate(rows) if first.get(row, at) == at])
    if len(long) < before:
        message = f"{before - len(long)} repeated rows were left out, the first of each was kept"
        long.note("repeated", message)


def _repeated(long: Long, keys: list[str], again: list[int]) -> Refusal:
    first = {
        long.header(key) or key: value if isinstance(value, str) else f"{value:g}"
        for key in keys
        if key not in ("model", "sheet", PART)
        for value in [long.columns[key][again[0]]]
    }
    what = ", ".join(f"{word} {value}" for word, value in first.items()) or "a row"
    message = f"{what} occurs more than once ({len(again)} rows)"
    columns = [long.columns[key] for key in keys]
    for header in _dividing(long) if long.table.name == "outputs" else ():
        cells = long.raw_cells(header)
        if len(set(zip(*columns, cells, strict=True))) == len(long):
            advice = f"say what {header} is, or keep some of the rows"
            options = _meanings(long, header, ("model", "sheet", "split", "run"))
            options += [grammar.where_option(header, "==", cells[again[0]]), "--repeats first"]
            return skipped("repeated", f"{message}; {header} tells them apart", advice, *options)
    advice = "remove the repeated rows, or keep the first of each"
    return skipped("repeated", message, advice, "--repeats first")


def _dividing(long: Long) -> list[str]:
    """Return the columns without a use that divide the rows."""
    return [header for header in long.mapping.unused if has_few_values(long.raw.cells[header])]


def _meanings(long: Long, header: str, roles: Collection[str]) -> list[str]:
    """Return the options that give a column one of these roles, unless another column has it."""
    fillings = {role: long.mapping.filling(role) for role in long.table.role_names if role in roles}
    free = [role for role, filling in fillings.items() if not filling or filling.how == "place"]
    return [long.option(role, header) for role in free]


# --- references -----------------------------------------------------------------------------


def _check_references(long: Long, given: Given) -> list[Problem]:
    """Return the problems of a table and its references: no key in common, other labels."""
    if given.references is None or given.references.empty or not len(long):
        return []
    keys = long.columns[given.key]
    if not given.known(given.key, set(keys)):
        return [_no_match(long, given.key, set(given.references[given.key]))]
    if "label" not in given.references or "label" not in long.table.role_names:
        return []
    labels = {key: values[0] for key, values in given.known("label", set(keys)).items()}
    unused = filter(long.table.role("label").takes, long.mapping.unused)
    said = long.header("label")
    for header in [said] if said else unused:
        cells = zip(long.columns[ROW], keys, map(str.strip, long.raw_cells(header)), strict=True)
        differ = [row for row, key, cell in cells if cell and labels.get(key, cell) != cell]
        if differ:
            rows = f"{len(differ)} of {len(long)} rows (first: row {differ[0]})"
            message = f"column {header} and the references differ in {rows}"
            hint = f"name no references, or use theirs only\n{long.option('ignore', header)}"
            return [Problem("labels-differ", "skipped", message, hint=hint)]
    return []


def _no_match(long: Long, key: str, known: set[str]) -> Problem:
    keys, word = long.columns[key], long.header(key) or key
    message = f"no {word} of this table is in the references (first: {keys[0]!r})"
    hint = f"use the keys of the references, such as {min(known)!r}"
    if set(map(loose, keys)) & set(map(loose, known)):
        hint = "--match loose"
    for header, cells in long.raw.cells.items():
        if 2 * sum(str(cell).strip() in known for cell in cells) > len(cells):
            message += f"; column {header} holds their keys"
            hint = long.option(key, header)
            break
    return Problem("no-match", "refused", message, hint=hint)


# --- checks, each of which returns a message and the lines of its hint ----------------------

Found = tuple[str, ...] | None


def _pooled(long: Long, _: Given) -> Found:
    headers = [header for header in _dividing(long) if f"by:{header}" not in long.columns]
    if not headers:
        return None
    where = grammar.where_option(headers[0], "==", str(long.raw.cells[headers[0]][0]))
    options = [o for header in headers for o in _meanings(long, header, ("model", "sheet"))]
    named, ignore = " and ".join(headers), long.option("ignore", grammar.join_names(headers))
    verb = "divides the rows and is" if len(headers) == 1 else "divide the rows and are"
    return f"column {named} {verb} not used", f"say what {named} is", *options, where, ignore


def _one_value(long: Long, _: Given, role: str) -> Found:
    filling = long.mapping.filling(role)
    if role in long.columns and not (filling and filling.how == "place"):
        for (model,), rows in _groups(long, "model").items():
            values = {long.columns[role][at] for at in rows}
            if len(values) == 1:
                return (f"{model and f'{model}: '}there is only one {role}: {values.pop()}",)
    return None  # if each file or worksheet has one, the run looks at all of them


def _one_subtopic(long: Long, given: Given) -> Found:
    if "subtopics" not in long.columns:
        return _one_value(long, given, "subtopic")
    values = {value for cell in long.columns["subtopics"] for value in cell}
    return (f"there is only one subtopic: {values.pop()}",) if len(values) == 1 else None


def _all_different(long: Long, _: Given) -> Found:
    filling = long.mapping.filling("choice")
    if filling and filling.how == "cells" and all(map(str.isdecimal, long.columns["choice"])):
        for other in long.mapping.unused:
            names = [str(cell) for cell in long.raw.cells[other]]
            if len(set(names)) == len(names) and not any(map(str.isdecimal, names)):
                return f"the cells are numbers; {other} names rows", long.option("choice", other)
    for (model,), rows in _groups(long, "model").items() if "count" not in long.columns else ():
        if len({long.columns["choice"][at] for at in rows}) == len(rows) >= 6:
            return (f"{model}: no choice occurs twice in {len(rows)} rows",)
    return None


def _same_as_reference(long: Long, given: Given) -> Found:
    columns = long.columns
    known = given.known("reference", set(columns["idiom"]))
    for (model,), rows in _groups(long, "model").items():
        equal = []
        for at in rows:
            here = [columns["reference"][at]] if "reference" in columns else None
            cells = here or known.get(columns["idiom"][at], [])
            texts = [text for c in cells for text in (c if isinstance(c, list) else c.split("||"))]
            references = {text.strip() for text in texts} - {""}
            if references and (prediction := columns["prediction"][at].strip()):
                equal.append(prediction in references)
        if sum(equal) > 1 and sum(equal) >= NEARLY_EVERY * len(equal):
            share = sum(equal) / len(equal)
            return (f"{model}: {share:.0%} of the predictions equal their reference",)
    return None


def _not_classes(long: Long, given: Given) -> Found:
    source: Any = long.columns if "label" in long.columns else given.references
    if source is None or "prediction" not in long.columns or "classes" in given.names:
        return None
    labels = set(source["label"])
    for (stream,), rows in _groups(long, "stream").items():
        votes = [vote for at in rows if (vote := long.columns["prediction"][at])]
        if 2 * sum(vote not in labels for vote in votes) > len(votes):
            known = ", ".join(sorted(labels)[:5])
            message = f"most predictions of {stream} are not labels ({votes[0]}; {known})"
            filling = long.mapping.filling("prediction")
            wide = filling and filling.how == "cells"
            options = [long.option("probability", "@cells")] if wide else []
            return message, "map ids to names with --classes FILE, or accept it", *options
    return None


def _uneven_features(long: Long, _: Given) -> Found:
    if "feature" not in long.columns or "value" not in long.columns:
        return None
    groups = {name: rows for (name,), rows in _groups(long, "feature").items()}
    values = [0 if is_nan(value) else abs(value) for value in long.columns["value"]]
    sizes = {name: sum(values[at] for at in rows) / len(rows) for name, rows in groups.items()}
    first, *others = sorted(sizes, key=lambda name: -sizes[name])
    if not others or sizes[first] <= 100 * sizes[others[0]]:
        return None
    filling = long.mapping.filling("feature")
    wide = filling and filling.how == "names"
    options = [long.option("feature", named_headers(others))] if wide else []
    message = f"feature {first} outweighs the others a hundredfold"
    return message, "leave it out, or accept it", *options


def _weights_sum(long: Long, _: Given) -> Found:
    if "weight" not in long.columns:
        return None
    keys = [name for name in long.table.role_names if name not in ("expert", "weight")]
    groups = _groups(long, *([name for name in keys if name in long.columns] or [ROW])).values()
    weights = [0 if is_nan(weight) else weight for weight in long.columns["weight"]]
    sums = [sum(weights[at] for at in rows) for rows in groups]
    wrong = sum(abs(total - 1) > 1e-4 for total in sums)
    free = [role for role in ("token", "slot", "layer", "sample") if role not in long.columns]
    options = [long.option(free[0], header) for header in long.mapping.values if free]
    advice = "correct the weights, or name the column that divides the groups"
    message = f"the weights of {wrong} of {len(sums)} groups do not sum to 1"
    return (message, advice, *options) if wrong else None


def _groups(long: Long, *names: str) -> dict[tuple[Any, ...], list[int]]:
    """Return the positions of the rows by their values in some columns, "" where one is missing."""
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    columns = [long.columns.get(name) or [""] * len(long) for name in names]
    for at, values in enumerate(zip(*columns, strict=True)):
        groups[values].append(at)
    return groups


_CHECKS: dict[str, Callable[[Long, Given], Found]] = {
    "pooled": _pooled,
    "one-judge": partial(_one_value, role="judge"),
    "one-stream": partial(_one_value, role="stream"),
    "one-subtopic": _one_subtopic,
    "all-different": _all_different,
    "same-as-reference": _same_as_reference,
    "not-classes": _not_classes,
    "uneven-features": _uneven_features,
    "weights-sum": _weights_sum,
}
