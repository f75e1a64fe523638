"""Whatever was found and not scored is in problems.csv, and all counts of it agree, in every family."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.cli.run import model_worker
from tests.helpers.accounting import FAMILIES, Accounted, Row
from tests.helpers.files import Table, read_csv, sheet_rows, write_book, write_bytes, write_csv
from tests.helpers.hostile import text
from tests.helpers.runs import Result, called_in
from tests.helpers.soak import examples
from tests.helpers.studies import Place, answers, paged

EFFECTS = ("file skipped", "sheet skipped", "row not scored", "note")
NO_USE = ("remark", "who")  # a header that no family can do anything with
HIDDEN = "hidden"
# A note is enough for what is no data, or is not to be scored: it says so of a row or a sheet.
NO_DATA = (" no data", "it is no row of the data")
WHOLE = "Sheet1"  # a table that a column splits into sheets
SHEET_NOTES = ("hidden-sheet", "empty-sheet", "left-out", "no-rows", "no-sheet-left")
NOT_TABLES: dict[str, Callable[[Path], object]] = {
    "garbage.csv": lambda path: write_bytes(path, bytes(range(256))),
    "empty.csv": text(""),
    "wide.csv": text("a,b\na,b,c\n"),
    "broken.xlsx": text("PK\x03\x04"),
    "nowhere.csv": lambda path: path.symlink_to("nowhere-at-all"),
    "twin.csv": text("Idiom,Prediction\na,b\n"),
    "TWIN.csv": text("Idiom,Prediction\na,b\n"),
    "columns.csv": text(",".join(f"c{number}" for number in range(20_000)) + "\n"),
}
NOT_MEANT = {"~$open.xlsx": "a lock", ".hidden.csv": "a dot file", "notes.docx": "no table"}  # listed on the screen


class Drawn(NamedTuple):
    """A sheet of a model as it was drawn: where it stands, and its rows by the numbers that a spreadsheet shows."""

    model: str
    file: str
    sheet: str
    rows: dict[int, Row]
    header_row: int = 1
    in_column: bool = False  # whether a column names the sheet, so that no row is blank

    @property
    def filled(self) -> set[int]:
        """The rows below the header with a cell that is not blank."""
        rows = [number for number, row in self.rows.items() if self.in_column or any(map(str.strip, row))]
        return {number for number in rows if number > self.header_row}


def header_row(family: Accounted, head: Row, rows: list[Row]) -> int:
    """Which row is the header: the first with the needed columns."""
    return [head, *rows].index(family.head) + 1 if family.head in [head, *rows] else 1


@dataclass(frozen=True)
class Folder:
    """A folder of models: what is in it, and the options of the run."""

    sheets: list[Drawn]
    bad: set[str]
    options: tuple[str, ...]


def rows_of(family: Accounted) -> st.SearchStrategy[list[Row]]:
    """Rows of any cells, good and bad, and now and then the header once more, or a line that sums up."""
    row = st.tuples(*map(st.sampled_from, family.cells))
    total = ("Total", *[""] * (len(family.head) - 1))
    return st.lists(st.one_of(row, row, row, row, st.just(family.head), st.just(total)), max_size=6)


@st.composite
def folders(draw: st.DrawFn, family: Accounted, root: Path) -> Folder:
    """Write a folder of models, of tables that are none, and of files that nobody means."""
    outs = root / "outs"
    write_book(outs / "good.xlsx", {family.sheets[0]: [family.head, *family.good]})
    kinds = [
        books,
        model_folders,
        sheet_columns,
        *([] if family.role or family.command == "disagree" else [model_columns]),
    ]
    makers = draw(st.lists(st.sampled_from(kinds), max_size=3))
    sheets = [each for name, make in zip("abc", makers, strict=False) for each in make(draw, family, outs, name)]
    bad = draw(st.sets(st.sampled_from([*NOT_TABLES])))
    for name in bad:
        NOT_TABLES[name](outs / name)
    for name, content in NOT_MEANT.items():
        write_bytes(outs / name, content.encode())
    options = [
        (),
        (),
        ("--skip-sheet", family.sheets[1]),
        ("--sheet", family.sheets[0]),
        ("--max-problems", "1"),
        ("--max-cells", str(5 * len(family.head))),
        family.refusing,
    ]
    return Folder(sheets, bad, draw(st.sampled_from(options)))


def tables(draw: st.DrawFn, family: Accounted) -> dict[str, tuple[Row, list[Row]]]:
    """Header and rows by the names of sheets; a header need not have what is needed."""
    heads = st.sampled_from([family.head] * 4 + [NO_USE, ("", "")])
    titles = draw(st.lists(st.sampled_from([*family.sheets, HIDDEN]), min_size=1, unique=True))
    # of a workbook's sheets the first is always shown
    return {title: (draw(heads), draw(rows_of(family))) for title in sorted(titles, key=HIDDEN.__eq__)}


def books(draw: st.DrawFn, family: Accounted, outs: Path, model: str) -> list[Drawn]:
    """A workbook, of which a sheet may be hidden."""
    drawn = tables(draw, family)
    write_book(outs / f"{model}.xlsx", {title: [head, *rows] for title, (head, rows) in drawn.items()}, hidden=[HIDDEN])
    return [
        Drawn(model, f"{model}.xlsx", title, dict(enumerate(rows, start=2)), header_row(family, head, rows))
        for title, (head, rows) in drawn.items()
    ]


def model_folders(draw: st.DrawFn, family: Accounted, outs: Path, model: str) -> list[Drawn]:
    """A folder with a table for each sheet."""
    drawn = tables(draw, family)
    for title, (head, rows) in drawn.items():
        write_csv(outs / model / f"{title}.csv", [head, *rows])
    return [
        Drawn(model, f"{model}/{title}.csv", title, dict(enumerate(rows, start=2)), header_row(family, head, rows))
        for title, (head, rows) in drawn.items()
    ]


def sheet_columns(draw: st.DrawFn, family: Accounted, outs: Path, model: str) -> list[Drawn]:
    """A table with a column that names the sheet of each row."""
    numbered = by_column(draw, family, outs / f"{model}.csv", "Sheet", family.sheets)
    return [Drawn(model, f"{model}.csv", sheet, rows, in_column=True) for sheet, rows in numbered.items()]


def model_columns(draw: st.DrawFn, family: Accounted, outs: Path, stem: str) -> list[Drawn]:
    """A table with a column that names the model of each row; some name none."""
    numbered = by_column(draw, family, outs / f"{stem}.csv", "model", (f"{stem}x", f"{stem}y", ""))
    return [Drawn(model, f"{stem}.csv", stem, rows, in_column=bool(model)) for model, rows in numbered.items()]


def by_column(
    draw: st.DrawFn, family: Accounted, path: Path, column: str, names: Sequence[str]
) -> dict[str, dict[int, Row]]:
    """Write a table with one more column, and return its rows by what stands there."""
    rows = draw(rows_of(family))
    cells = [draw(st.sampled_from(names)) for _ in rows]
    write_csv(path, [(column, *family.head), *((cell, *row) for cell, row in zip(cells, rows, strict=True))])
    found: dict[str, dict[int, Row]] = {}
    for number, (cell, row) in enumerate(zip(cells, rows, strict=True), start=2):
        found.setdefault(cell, {})[number] = row
    return found


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.command)
@examples(8)
@given(data=st.data())
def test_every_file_sheet_and_row_is_scored_or_listed_and_the_counts_agree(
    family: Accounted, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        drawn = data.draw(folders(family, root))
        ended = called_in(root)(
            family.command, "outs", *family.write_sides(root), "-o", "res", "-v", "--json", *drawn.options
        )
        assert ended.code in (0, 3), ended.err
        problems = read_csv(root / "res/problems.csv")
        assert unaccounted(family, root / "res", drawn, problems) == []
        assert unlisted(root / "outs", root / "res", problems, ended) == []
        check_counts(family, root / "res", ended, problems)


def unaccounted(family: Accounted, results: Path, drawn: Folder, problems: Table) -> list[str]:
    """Where rows are not those in the scores and those named together: sheets, or models where one sheet is scored."""
    sheets: dict[tuple[str, str], list[Drawn]] = {}
    for each in drawn.sheets:
        sheets.setdefault((each.model, family.role or each.sheet), []).append(each)
    wrong = []
    for (model, sheet), parts in sheets.items():
        lines = family.lines(results, model, sheet)
        unnamed = [rows_not_named(each, lines, problems, family) for each in parts]
        scored = family.scored(lines)
        numbers = {int(line["Row"]) for line in lines if "Row" in line and family.scored([line])}
        if scored != sum(map(len, unnamed)) or (numbers and numbers != unnamed[0]):
            wrong.append(f"{model}[{sheet}]: {scored} rows scored of {unnamed}, which are not named")
    return wrong


def rows_not_named(drawn: Drawn, lines: Table, problems: Table, family: Accounted) -> set[int]:
    """The rows of a sheet that no problem says to be left out, by itself or with its sheet or file."""
    own = [line for line in problems if line["file"] in (drawn.file, f"{drawn.model}/")]
    of_sheet = [line for line in own if line["sheet"] in (drawn.sheet, WHOLE)]
    if any(line["effect"] == "file skipped" or line["kind"] == "no-sheet-left" for line in own):
        return set()
    if any(line["effect"] == "sheet skipped" or line["kind"] in SHEET_NOTES for line in of_sheet):
        return set()
    named = {
        int(line["row"])
        for line in of_sheet
        if line["row"] and (line["effect"] == "row not scored" or line["message"].endswith(NO_DATA))
    }
    return drawn.filled - named | (named_units(lines, problems, drawn) if family.command == "diversity" else set())


def named_units(lines: Table, problems: Table, drawn: Drawn) -> set[int]:
    """The rows at which queries without a measure are named, all of whose rows are in the ranking."""
    undefined = {line["Query"] for line in lines if not line["S_Recall@5"]}
    found = {
        int(line["row"]): drawn.rows[int(line["row"])][0]
        for line in problems
        if (line["file"], line["sheet"], line["kind"]) == (drawn.file, drawn.sheet, "no-judgments")
    }
    assert sorted(found.values()) == sorted(undefined)
    return set(found)


def unlisted(outs: Path, results: Path, problems: Table, ended: Result) -> list[str]:
    """The files of the folder that are no model's input, in no problem, and not said to be ignored."""
    read = {each["file"] for each in json.loads((results / "manifest.json").read_bytes())["inputs"]}
    said = read | {line["file"] for line in problems}
    ignored = {line.split(": ")[1] for line in ended.err.splitlines() if line.startswith("ignored: ")}
    files = {path.relative_to(outs).as_posix() for path in outs.rglob("*") if not path.is_dir() or path.is_symlink()}
    assert ignored == set(NOT_MEANT)
    return sorted(files - said - ignored)


def check_counts(family: Accounted, results: Path, ended: Result, problems: Table) -> None:
    """The file, the sheets Problems, the manifest, the JSON and what is printed have the same numbers."""
    manifest = json.loads((results / "manifest.json").read_bytes())
    answer = json.loads(ended.out)
    assert manifest["counts"]["problems"] == len(problems) == len(answer["problems"])
    assert problem_lines(results / f"{family.stem}_results.xlsx") == Counter(map(place_of, problems))
    effects = Counter(line["effect"] for line in problems)
    for effect in EFFECTS:
        lines = [line for line in ended.err.splitlines() if line.startswith(f"{effect}: ")]
        more = sum(int(found[1]) for line in lines if (found := re.search(r"\((\d+) more rows? like this\)$", line)))
        assert len(lines) + more == effects[effect], (effect, ended.err)
    models = {line["Model Name"]: line for line in read_csv(results / f"{family.stem}_results.csv")}
    numbers = json.loads((results / "metrics.json").read_bytes())
    for count in ("Rows", "Scored"):
        counted = {name: int(line[count]) for name, line in models.items()}
        assert counted == {name: line[count] for name, line in numbers.items()}
        assert sum(counted.values()) == manifest["counts"][count.lower()]
    assert len(models) == manifest["counts"]["models"]
    for name in models:
        book = results / f"{name}_{family.stem}.xlsx"
        if book.exists():
            own = Counter(place_of(line) for line in problems if stem_of(line["file"]) == name)
            # of models that a column names, the file has the problems of all
            assert problem_lines(book) == own if own else problem_lines(book) <= Counter(map(place_of, problems))


def stem_of(file: str) -> str:
    """What a model is called by its file or folder."""
    return file.partition("/")[0].partition(".")[0]


def place_of(line: dict[str, str]) -> tuple[str, ...]:
    """A problem as all its cells say it."""
    return tuple(str(value or "") for value in line.values())


def problem_lines(book: Path) -> Counter[tuple[str, ...]]:
    """The problems of a workbook's sheet."""
    pages = paged(book, "Problems") if len(sheet_rows(book, "Problems")) > 1 else []
    lines = [tuple(str(value if value is not None else "") for value in line.values()) for line in pages]
    return Counter(line for line in lines if any(line[4:]))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.command)
def test_a_line_that_is_missing_from_the_problems_would_be_seen(family: Accounted, tmp_path: Path) -> None:
    """What the test above rests on: it fails if a row, a sheet or a file is in neither place."""
    blank = ("", *family.good[0][1:])
    rows = [*family.good, blank if family.command != "entropy" else ("c", "")]
    write_book(tmp_path / "outs/a.xlsx", {family.sheets[0]: [family.head, *rows], HIDDEN: rows}, hidden=[HIDDEN])
    write_bytes(tmp_path / "outs/empty.csv", b"")
    for name, content in NOT_MEANT.items():
        write_bytes(tmp_path / "outs" / name, content.encode())
    ended = called_in(tmp_path)(family.command, "outs", *family.write_sides(tmp_path), "-o", "res", "-v", "--json")
    numbered = dict(enumerate(rows, start=2))
    drawn = Folder([Drawn("a", "a.xlsx", title, numbered) for title in (family.sheets[0], HIDDEN)], set(), ())
    if family.role:  # of a sheet that would be scored were it not hidden, the model's other one is
        drawn = Folder(drawn.sheets[:1], set(), ())
    results = tmp_path / "res"
    problems = read_csv(results / "problems.csv")
    assert unaccounted(family, results, drawn, problems) == unlisted(tmp_path / "outs", results, problems, ended) == []
    lost = [line for line in problems if line["effect"] != "note" or (line["kind"] in SHEET_NOTES and not family.role)]
    assert len(lost) >= 2
    for line in lost:
        others = [each for each in problems if each is not line]
        assert unaccounted(family, results, drawn, others) or unlisted(tmp_path / "outs", results, others, ended)
        with pytest.raises(AssertionError):
            check_counts(family, results, ended, others)


@pytest.mark.parametrize("option", [("--sheet", "p1"), ("--skip-sheet", "[!p]*", "--skip-sheet", "p2")])
def test_a_sheet_that_patterns_leave_out_is_noted_by_name(place: Place, option: tuple[str, ...]) -> None:
    place.references()
    place.book("m", dict.fromkeys(("p1", "p2", "Remarks"), answers()))
    ended = place.score(*option)
    assert (ended.code, "2 left-out" in ended.err) == (0, True)
    assert [line["sheet"] for line in place.problems("left-out")] == ["p2", "Remarks"]


def test_every_file_of_a_model_that_one_of_them_fails_is_listed(place: Place) -> None:
    place.references()
    place.model("good")
    for name, answer in {"p1": "to talk", "p2": "", "p3": "to talk"}.items():
        write_csv(place.outs / f"m/{name}.csv", [("Idiom", "Prediction"), ("break the ice", answer)])
    assert place.score("--missing", "error").code == 3
    assert {(line["file"], line["kind"]) for line in place.problems() if line["effect"] == "file skipped"} == {
        ("m/p1.csv", "given-up"),
        ("m/p2.csv", "empty-prediction"),
        ("m/p3.csv", "given-up"),
    }


def test_a_model_with_more_rows_without_a_score_than_are_listed_is_refused(place: Place) -> None:
    place.references()
    place.model("good")
    write_csv(place.outs / "bad.csv", [("Idiom", "Prediction"), *(("break the ice", "") for _ in range(6))])
    ended = place.score("--max-problems", "5")
    assert ended.code == 3
    (problem,) = place.problems("over-limit")
    assert problem["file"] == "bad.csv"
    assert "--max-problems 6" in problem["message"]
    assert place.score("--max-problems", "6").code == 0
    assert len(place.problems("empty-prediction")) == 6


@pytest.mark.parametrize("family", ["sinfo", "entropy"])
def test_a_model_with_too_many_empty_texts_is_refused_before_it_is_scored(
    family: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unwanted(*_: object, **__: object) -> NoReturn:
        raise AssertionError("it is scored")

    monkeypatch.setattr(model_worker, "_scored", unwanted)
    place.references()
    write_csv(place.outs / "bad.csv", [("Idiom", "Prediction"), *(("break the ice", " ") for _ in range(6))])
    words = ["outs", *(["refs"] if family == "sinfo" else []), "-o", "res", "--max-problems", "5"]
    ended = place.run(family, *words)
    assert ended.code == 4
    assert "without a score are 6 rows, and at most 5 are listed" in ended.err
