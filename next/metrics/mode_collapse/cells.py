"""Cells (sheet, level, parent path): their options, and which option each row chose."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.mode_collapse.matching import (
    AROUND,
    INCOMPLETE,
    Matcher,
    OptionClashError,
    normal_choice,
)
from scoresheet.metrics.problem import Problem, Refusal

ARROW, ROOT = "→", "root"
UNKNOWN = -2  # a level that no column gives
FAULTS = (
    "the level is not a whole number of 0 or more",
    "a choice at level 0 has no parent",
    "the count is not a whole number of 0 or more",
)
NO_CELL = "no cell"  # no options are declared where a row chose
NO = ("", "0", "0.0", "false", "no", "n", "f", "none", "nan")  # a flag that is not set

KEYS = ["sheet", "run", "level", "spelled"]  # of a cell
FURTHER = ["options", "counts", "shares", "lost", "weight", "row"]

Path = tuple[str, ...]  # the choices from the root down to a cell
Place = tuple[str, int, Path]  # sheet (empty: every sheet), level, path in the form for comparing


def path_of(parent: str, level: int) -> Path:
    """Return the choices that a parent names; the parent of level 1 is one choice as it is.

    >>> path_of("Japan → Food", 2), path_of("AC/DC", 1), path_of("root/Peru", 1), path_of("root", 0)
    (('Japan', 'Food'), ('AC/DC',), ('Peru',), ())
    """
    separator = ARROW if ARROW in parent else "/"
    first, cut, rest = parent.partition(separator)
    if first.strip().casefold() == ROOT and (cut or level != 1):
        parent = rest
    parts = [parent] if level == 1 else parent.split(separator)
    return tuple(part.strip() for part in parts if part.strip())


def with_places(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with their level (-1 if it cannot be one) and path of parents.

    Without a level it is the length of the path.
    """
    levels = rows["level"].to_numpy(float) if "level" in rows else np.full(len(rows), np.nan)
    valid = np.where((levels >= 0) & (levels % 1 == 0), levels, -1)
    codes = np.where(np.isnan(levels), UNKNOWN, valid).astype(int)
    parents = rows["parent"].tolist() if "parent" in rows else [""] * len(rows)
    pairs = list(zip(parents, codes.tolist(), strict=True))
    paths = {pair: path_of(*pair) for pair in set(pairs)}
    known = [len(paths[pair]) if pair[1] == UNKNOWN else pair[1] for pair in pairs]
    found = [paths[pair] for pair in pairs]
    return rows.assign(level=known, path=pd.Series(found, rows.index, object))


def answers(rows: pd.DataFrame) -> pd.DataFrame:
    """Return each row's sheet, level, path, text and count; `fault` is why it cannot be counted.

    A correction wins over the choice, on flagged rows if there is a column of flags.
    """
    placed = with_places(rows)
    corrected = pd.Series(False, index=rows.index)
    if "corrected" in rows:
        corrected = rows["corrected"].str.strip() != ""
    if "corrected" in rows and "flagged" in rows:
        corrected &= ~rows["flagged"].str.strip().str.casefold().isin(NO)
    counts = rows["count"].to_numpy(float) if "count" in rows else np.ones(len(rows))
    whole = (counts >= 0) & (counts % 1 == 0)
    parentless = placed["path"].map(len) == 0
    wrong = [placed["level"] < 0, (placed["level"] == 0) & ~parentless, ~whole]
    kept = [name for name in ("model", "sheet", "run", "level", "path") if name in placed]
    return placed[kept].assign(
        text=rows["choice"].where(~corrected, rows.get("corrected", "")),
        count=np.where(whole, counts, 0).astype(int),
        corrected=corrected,
        fault=np.select(wrong, FAULTS, ""),
    )


def survey(rows: pd.DataFrame) -> pd.DataFrame:
    """Return which choices a model made where, and how often, for runs without declared options."""
    found = answers(rows)
    kept = found[(found["fault"] == "") & (found["text"].map(normal_choice) != "")]
    keys = [name for name in ("model", "sheet", "level", "path", "text") if name in kept]
    return kept.groupby(keys, sort=False)["count"].sum().reset_index()


class OptionSets:
    """The options of every cell, and the shares that they are tested against if there are some.

    `seen` options are those that models chose; `by_sheet` if each sheet has its own.
    """

    def __init__(self, *, seen: bool = False, by_sheet: bool = False) -> None:
        self.seen, self.by_sheet = seen, by_sheet
        self.options: dict[Place, dict[str, Sequence[str]]] = defaultdict(dict)
        self._shares: dict[Place, dict[str, float]] = defaultdict(dict)
        self._matchers: dict[Place, Matcher | None] = {}

    def place(self, sheet: str, level: int, path: Path) -> Place:
        """Return the place of a cell in the form for comparing."""
        return sheet if self.by_sheet else "", level, tuple(map(normal_choice, path))

    def matcher(self, sheet: str, level: int, path: Path) -> Matcher | None:
        """Return the options of a cell: its own, and those of its level under any parent."""
        place = self.place(sheet, level, path)
        if place not in self._matchers:
            own, shared = self.options.get(place, {}), self.options.get((*place[:2], ()), {})
            try:
                self._matchers[place] = Matcher(shared | own) if own or shared else None
            except OptionClashError as clash:
                message = f"{cell_name(level, path)}: options must differ; {clash}"
                raise Refusal(Problem("option-clash", "skipped", message)) from None
        return self._matchers[place]

    def spelled(self, sheet: str, level: int, path: Path) -> Path | None:
        """Return a path with each choice spelled as its option; None where one is not an option."""
        found: Path = ()
        for depth, part in enumerate(path, level - len(path)):
            above = self.matcher(sheet, depth, found) if depth >= 0 else None
            option = (above.named if self.seen else above.match)(part)[0] if above else part
            if not option and not self.seen and self.place(sheet, level, path) not in self.options:
                return None
            found = (*found, option or part)
        return found

    def declare_shares(self, table: pd.DataFrame) -> None:
        """Take the shares of a table, and no others; one for what is not an option is refused."""
        self._shares.clear()
        placed = with_places(table)
        columns = (placed[name] for name in ("level", "path", "option", "share", "file", "row"))
        for level, path, name, share, file, row in zip(*columns, strict=True):
            matcher = self.matcher("", level, path)
            option = matcher.named(name)[0] if matcher else ""
            if not option or not share >= 0:
                what = "its share is not 0 or more" if option else "it is not an option there"
                message = f"target of {name!r}, {cell_name(level, path)}: {what}"
                raise Refusal(Problem("target", "skipped", message, file=file, row=int(row)))
            self._shares[self.place("", level, path)][option] = share

    def shares(self, place: Place, options: tuple[str, ...]) -> tuple[float, ...]:
        """Return the share that each option should have; empty where the target has no such cell.

        Without a target all are equal.
        """
        given = self._shares.get(place) or self._shares.get((*place[:2], ())) or {}
        if not self._shares:
            given = dict.fromkeys(options, 1.0)
        total = sum(given.values())
        return tuple(given.get(option, 0.0) / total for option in options if total)


def joined(path: Path) -> str:
    """Return a path as reports show it."""
    return f" {ARROW} ".join(path)


def cell_name(level: int, path: Path) -> str:
    """Return the name of a cell within its sheet: root, or 1/Peru."""
    return "/".join([str(level), *path]) if level or path else ROOT


def declared_options(table: pd.DataFrame) -> OptionSets:
    """Return the options that a table declares, with their shares if it has a column of them."""
    sets, placed = OptionSets(), with_places(table)
    aliases: Any = table["aliases"] if "aliases" in table else [()] * len(table)
    columns = placed["level"], placed["path"], table["option"], aliases
    for level, path, option, others in zip(*columns, strict=True):
        sets.options[sets.place("", level, path)][option] = others
    for place in [*sets.options]:
        sets.matcher(*place)  # refuses options that are equal
    if "share" in table and table["share"].notna().any():
        sets.declare_shares(table)
    return sets


def seen_options(found: pd.DataFrame) -> OptionSets:
    """Return the choices that were made in each cell by any model, each in its commonest spelling.

    Sheets are one where every model has a single one: its name is then that of a file.
    """
    several = found.groupby("model")["sheet"].nunique().max() > 1 if "model" in found else True
    sets = OptionSets(seen=True, by_sheet=bool(several))
    spellings: dict[tuple[Place, str], Counter[str]] = defaultdict(Counter)
    columns = (found[name] for name in ("sheet", "level", "path", "text", "count"))
    for sheet, level, path, text, count in zip(*columns, strict=True):
        form = normal_choice(text)
        spellings[sets.place(sheet, level, path), form][text.strip(AROUND) or text] += count
    for (place, form), spelled in sorted(spellings.items()):
        if form not in ("", INCOMPLETE):
            sets.options[place][min(spelled, key=lambda text: (-spelled[text], text))] = []
    return sets


def choose(found: pd.DataFrame, sets: OptionSets, *, last: bool) -> pd.DataFrame:
    """Return the answers with the spelled path, the option of each and how it was found."""
    keys = ["sheet", "level", "path", "text"]
    distinct = found.loc[found["fault"] == "", keys].drop_duplicates()
    records: list[dict[str, Any]] = []
    for sheet, level, path, text in distinct.itertuples(index=False, name=None):
        spelled = sets.spelled(sheet, level, path)
        matcher = None if spelled is None else sets.matcher(sheet, level, spelled)
        option, how = matcher.match(text, last=last) if matcher else ("", NO_CELL)
        records.append({"spelled": spelled or path, "option": option, "how": how})
    chosen = pd.DataFrame(records, distinct.index, ["spelled", "option", "how"])
    return found.merge(distinct.join(chosen), on=keys, how="left").set_axis(found.index)


def count_cells(found: pd.DataFrame, sets: OptionSets) -> pd.DataFrame:
    """Return the cells of answers: their place, options and counts, zeros included.

    `shares` are what to test against, `lost` are draws that chose no option, `weight` says how
    often the parent path was chosen (NaN if that is not known), `row` is the first row.
    """
    placed = found.assign(run=found.get("run", ""), row=np.arange(len(found)))
    placed = placed[placed["how"].notna() & (placed["how"] != NO_CELL)]
    counts: dict[Any, Counter[str]] = defaultdict(Counter)
    sums = placed.groupby([*KEYS, "option"], sort=False, as_index=False)["count"].sum()
    for *key, option, count in sums.itertuples(index=False, name=None):
        counts[tuple(key)][option] += count
    first = placed.drop_duplicates(KEYS).set_index(KEYS)["row"].to_dict()
    sheets = {sheet: place for place, sheet in enumerate(found["sheet"].unique())}
    cells, weights = [], {}
    for key in sorted(counts, key=lambda key: (sheets[key[0]], *key[1:])):
        sheet, run, level, path = key
        matcher = sets.matcher(sheet, level, path)
        options = matcher.options if matcher else ()
        above = (sheet, run, level - 1, path[:-1])
        chosen = counts.get(above, Counter())
        draws = chosen.total() - chosen[""]
        weights[key] = 1.0 if not path else math.nan
        if path and above in weights and draws:
            weights[key] = weights[above] * chosen[path[-1]] / draws
        numbers = tuple(counts[key][option] for option in options)
        shares = sets.shares(sets.place(sheet, level, path), options)
        cells.append((*key, options, numbers, shares, counts[key][""], weights[key], first[key]))
    return pd.DataFrame(cells, columns=[*KEYS, *FURTHER])
