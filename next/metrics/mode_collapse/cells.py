"""Cells (sheet, level, parent path): their options, and which option each row chose."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.mode_collapse.matching import AROUND, INCOMPLETE, Matcher, normal_choice
from scoresheet.metrics.problem import Problem, Refusal, refusal

ARROW, ROOT = "→", "root"
BETWEEN = f" {ARROW} "  # the choices of a path in reports
FAULTS = (
    "the level is not a whole number of 0 or more",
    "a choice at level 0 has no parent",
    "the count is not a whole number of 0 or more",
)
NO_CELL = "no cell"  # no options are declared where a row chose
NO = ("", "0", "0.0", "false", "no", "n", "f", "none", "nan")  # a flag that is not set

KEYS = ["sheet", "run", "level", "spelled"]  # of a cell
CELL = [*KEYS, "options", "counts", "shares", "lost", "weight", "row"]

Path = tuple[str, ...]  # the choices from the root down to a cell
Place = tuple[str, int, Path]  # sheet (empty: every sheet), level, path in the form for comparing


def place_of(parent: str, level: float) -> tuple[int, Path]:
    """Return the level (-1 if it cannot be one) and the choices that a parent names.

    The parent of level 1 is one choice as it is; without a level it is the length of the path.

    >>> place_of("Japan → Food", 2), place_of("AC/DC", 1), place_of("root/Peru", math.nan)
    ((2, ('Japan', 'Food')), (1, ('AC/DC',)), (1, ('Peru',)))
    """
    separator = ARROW if ARROW in parent else "/"
    first, cut, rest = parent.partition(separator)
    if first.strip().casefold() == ROOT and (cut or level != 1):
        parent = rest
    parts = [parent] if level == 1 else parent.split(separator)
    path = tuple(part.strip() for part in parts if part.strip())
    known = len(path) if math.isnan(level) else level
    return int(known) if known >= 0 and known % 1 == 0 else -1, path


def with_places(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with their level and path of parents."""
    levels = rows.get("level", [math.nan] * len(rows))
    places = list(map(place_of, rows.get("parent", [""] * len(rows)), levels))
    paths = pd.Series([path for _, path in places], rows.index, object)
    return rows.assign(level=[level for level, _ in places], path=paths)


def answers(rows: pd.DataFrame) -> pd.DataFrame:
    """Return each row's sheet, level, path, text and count; `fault` is why it cannot be counted.

    A correction wins over the choice, on flagged rows if there is a column of flags.
    """
    placed, empty = with_places(rows), pd.Series("", rows.index)
    corrected = rows.get("corrected", empty).str.strip() != ""
    if "flagged" in rows:
        corrected &= ~rows["flagged"].str.strip().str.casefold().isin(NO)
    counts = rows.get("count", pd.Series(1.0, rows.index))
    whole = (counts >= 0) & (counts % 1 == 0)
    rootless = (placed["level"] == 0) & (placed["path"].map(len) > 0)
    return placed.filter(["model", "sheet", "run", "level", "path"]).assign(
        text=rows["choice"].where(~corrected, rows.get("corrected", "")),
        count=counts.where(whole, 0).astype(int),
        corrected=corrected,
        fault=np.select([placed["level"] < 0, rootless, ~whole], FAULTS, ""),
    )


def survey(rows: pd.DataFrame) -> pd.DataFrame:
    """Return which choices a model made where, and how often, for runs without declared options."""
    found = answers(rows)
    kept = found[(found["fault"] == "") & (found["text"].map(normal_choice) != "")]
    keys = [*kept.filter(["model", "sheet", "level", "path", "text"])]
    return kept.groupby(keys, sort=False)["count"].sum().reset_index()


class OptionSets:
    """The options of every cell, and the shares that they are tested against if there are some.

    `table` has rows of option, and of sheet, level, parent or path, aliases and share if it has
    them; `seen` options are those that models chose.
    """

    def __init__(self, table: pd.DataFrame, *, seen: bool = False) -> None:
        self.seen, self.by_sheet = seen, "sheet" in table and seen
        self._matchers: dict[Place, Matcher] = {}
        self._shares: dict[Place, dict[str, float]] = defaultdict(dict)
        declared: dict[Place, dict[str, Sequence[str]]] = defaultdict(dict)
        placed = table if seen else with_places(table)
        names = ("sheet", "level", "path", "option", "aliases")
        columns = (placed.get(name, [""] * len(placed)) for name in names)
        for sheet, level, path, option, aliases in zip(*columns, strict=True):
            declared[self.place(sheet, level, path)][option] = aliases
        for place, own in declared.items():
            try:
                self._matchers[place] = Matcher(declared.get((*place[:2], ()), {}) | own)
            except ValueError as clash:
                message = f"{cell_name(*place[1:])}: options must differ; {clash}"
                raise refusal("option-clash", message) from None
        if "share" in table and table["share"].notna().any():
            self.declare_shares(table)

    def place(self, sheet: str, level: int, path: Path) -> Place:
        """Return the place of a cell in the form for comparing."""
        return sheet if self.by_sheet else "", level, tuple(map(normal_choice, path))

    def matcher(self, sheet: str, level: int, path: Path) -> Matcher | None:
        """Return the options of a cell: its own, and those of its level under any parent."""
        place = self.place(sheet, level, path)
        return self._matchers.get(place) or self._matchers.get((*place[:2], ()))

    def spelled(self, sheet: str, level: int, path: Path) -> Path | None:
        """Return a path with each choice spelled as its option; None where one is not an option."""
        found: Path = ()
        for depth, part in enumerate(path, level - len(path)):
            above = self.matcher(sheet, depth, found) if depth >= 0 else None
            option = (above.named if self.seen else above.match)(part)[0] if above else part
            if (
                not option
                and not self.seen
                and self.place(sheet, level, path) not in self._matchers
            ):
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
        """Return the share that each option should have, NaN where the target has no such cell.

        Without a target all are equal.
        """
        even = {} if self._shares else dict.fromkeys(options, 1.0)
        given = self._shares.get(place) or self._shares.get((*place[:2], ()), even)
        total = sum(given.values()) or math.nan
        return tuple(given.get(option, 0.0) / total for option in options)


def cell_name(level: int, path: Path) -> str:
    """Return the name of a cell within its sheet: root, or 1/Peru."""
    return "/".join([str(level), *path]) if level or path else ROOT


def seen_options(found: pd.DataFrame) -> OptionSets:
    """Return the choices that any model made in each cell, each in its commonest spelling.

    Sheets are one where every model has a single one: its name is then that of a file.
    """
    several = "model" not in found or found.groupby("model")["sheet"].nunique().max() > 1
    found = found.assign(
        path=found["path"].map(lambda path: tuple(map(normal_choice, path))),
        form=found["text"].map(normal_choice),
        option=[text.strip(AROUND) or text for text in found["text"]],
    )
    cell = [*(["sheet"] if several else []), "level", "path", "form"]
    chosen = found[~found["form"].isin(["", INCOMPLETE])]
    spellings = chosen.groupby([*cell, "option"])["count"].sum().reset_index()
    commonest = spellings.sort_values("count", ascending=False, kind="stable").drop_duplicates(cell)
    return OptionSets(commonest.sort_values(cell), seen=True)


def choose(found: pd.DataFrame, sets: OptionSets, *, last: bool) -> pd.DataFrame:
    """Return the answers with the spelled path, the option of each and how it was found."""
    keys = ["sheet", "level", "path", "text"]
    distinct = found.loc[found["fault"] == "", keys].drop_duplicates()
    records = []
    for sheet, level, path, text in distinct.itertuples(index=False, name=None):
        spelled = sets.spelled(sheet, level, path)
        matcher = None if spelled is None else sets.matcher(sheet, level, spelled)
        option, how = matcher.match(text, last=last) if matcher else ("", NO_CELL)
        records.append((spelled or path, option, how))
    chosen = pd.DataFrame(records, distinct.index, ["spelled", "option", "how"], dtype=object)
    return found.merge(distinct.join(chosen), on=keys, how="left").set_axis(found.index)


def count_cells(found: pd.DataFrame, sets: OptionSets) -> pd.DataFrame:
    """Return a row per cell: its place, options and counts, zeros included; sheets as they come.

    `shares` are what to test against, `lost` are draws that chose no option, `weight` says how
    often the parent path was chosen (NaN if that is not known), `row` is the first row.
    """
    order = pd.factorize(found["sheet"])[0]
    placed = found.assign(run=found.get("run", ""), row=np.arange(len(found)), order=order)
    placed = placed[placed["how"].notna() & (placed["how"] != NO_CELL)]
    sums = placed.groupby(["order", *KEYS, "option"]).agg({"count": "sum", "row": "min"})
    groups: Any = sums.reset_index().groupby(["order", *KEYS])
    cells, weights = [], dict[Any, float]()
    for (_, sheet, run, level, path), cell in groups:
        chosen = dict(zip(cell["option"], cell["count"], strict=True))
        matcher = sets.matcher(sheet, level, path)
        options = matcher.options if matcher else ()
        counts = tuple(chosen.get(option, 0) for option in options)
        shares = sets.shares(sets.place(sheet, level, path), options)
        weight = weights.get((sheet, run, level, path), math.nan) if path else 1.0
        for option, count in zip(options, counts, strict=True):
            weights[sheet, run, level + 1, (*path, option)] = weight * count / (sum(counts) or 1)
        lost, row = chosen.get("", 0), cell["row"].min()
        cells.append((sheet, run, level, path, options, counts, shares, lost, weight, row))
    return pd.DataFrame(cells, columns=CELL)
