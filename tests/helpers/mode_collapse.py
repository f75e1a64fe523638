"""Studies of choices: the files of `mode-collapse`, and options that many tests share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from openpyxl import Workbook

from tests.helpers.files import Rows, Table, read_csv, write_csv
from tests.helpers.runs import Result
from tests.helpers.studies import Workplace
from tests.helpers.workbooks import empty_workbooks

QUESTIONS = (
    [("level", "option"), (0, "tea"), (0, "coffee")],
    [("level", "option"), (0, "bus"), (0, "train"), (0, "car")],
)


def write_questions(path: Path, sheets: Mapping[str, Sequence[tuple[object, ...]]]) -> None:
    book = Workbook()
    for name, rows in sheets.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(row)
    book.remove(book.worksheets[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)


CITIES = ("Rome", "Paris", "Oslo", "Cairo", "Lima")
ACTS = ("museum", "food", "walk")
HOURS = ("day", "night")
TREE: list[tuple[object, ...]] = [
    ("level", "option"),
    *((level, option) for level, names in enumerate((CITIES, ACTS, HOURS)) for option in names),
]
NOT_SCORED = "row not scored"


@dataclass(frozen=True)
class Study(Workplace):
    """A working directory with models in `outs` and options in `table`, scored into `res`."""

    stem: ClassVar[str] = "mode_collapse"

    def model(self, rows: Rows, name: str = "m") -> Path:
        """A lone CSV of choices."""
        return write_csv(self.outs / f"{name}.csv", rows)

    def options(self, rows: Rows = TREE) -> Path:
        """The table of options, in one CSV."""
        return write_csv(self.root / "table" / "options.csv", rows)

    def score(self, *options: str | Path, table: str = "table", res: str = "res") -> Result:
        """Run `mode-collapse` on the models and the table; '' is no table."""
        return self.run("mode-collapse", "outs", *([table] if table else []), "-o", res, *options)

    def tables(self, *options: str | Path, table: str = "table", res: str = "res") -> Result:
        """Score without the time that workbooks take, for who looks at tables and at what was said."""
        with empty_workbooks():
            return self.score(*options, table=table, res=res)

    def cells(self, model: str = "m") -> Table:
        """The scored cells of one model."""
        return read_csv(self.res / f"{model}_mode_collapse.csv")

    def cell(self, level: int = 0, parent: str = "", *, sheet: str = "Sheet1", model: str = "m") -> dict[str, str]:
        """The one cell of this place."""
        place = (sheet, str(level), parent)
        (found,) = (c for c in self.cells(model) if (c["Sheet"], c["Level"], c["Parent"]) == place)
        return found

    def top(self, sheet: str = "Sheet1") -> str:
        """The most frequent choice at the root of a sheet, '' where no row counts."""
        found = [cell["Top_Choice"] for cell in self.cells() if (cell["Sheet"], cell["Level"]) == (sheet, "0")]
        return found[0] if found else ""

    def effects(self, kind: str) -> set[str]:
        """What the problems of one kind cost."""
        return {line["effect"] for line in self.problems(kind)}


def roots(choices: Iterable[object], head: str = "choice") -> list[tuple[object, ...]]:
    """A table of choices at the root, one row each."""
    return [("level", head), *((0, choice) for choice in choices)]


COUNTED = ("level", "parent", "choice", "count")
PEOPLED: list[tuple[object, ...]] = [
    ("level", "parent", "option"),
    *((0, "", option) for option in ("Japan", "Peru")),
    *((1, "", option) for option in "xy"),
]
EVERYWHERE: list[tuple[object, ...]] = [
    COUNTED,
    *((0, "", option, 9) for option in ("Japan", "Peru")),
    *((1, parent, option, 9) for parent in ("Japan", "Peru") for option in "xy"),
]
