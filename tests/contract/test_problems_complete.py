"""Whatever was found and not scored is in problems.csv, and all counts of it agree."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.files import read_csv, sheet_rows, write_book, write_bytes, write_csv
from tests.helpers.hostile import text
from tests.helpers.runs import Result, called_in
from tests.helpers.soak import examples
from tests.helpers.studies import REFERENCES, Place, paged

IDIOMS = [*REFERENCES, "an idiom without a reference", "", "  "]
PREDICTIONS = ["to talk with people", "", " ", "..."]
ROWS = st.lists(st.tuples(st.sampled_from(IDIOMS), st.sampled_from(PREDICTIONS)), max_size=6)
HEADERS = st.sampled_from([("Idiom", "Prediction"), ("Idiom", "Prediction"), ("Idiom", "Other"), ("", "")])
SHEETS = st.dictionaries(st.sampled_from(["p1", "p2", "Summary"]), st.tuples(HEADERS, ROWS), min_size=1, max_size=3)
NOT_TABLES: dict[str, Callable[[Path], object]] = {
    "garbage.csv": lambda path: write_bytes(path, bytes(range(256))),
    "empty.csv": text(""),
    "header.csv": text("Idiom,Prediction\n"),
    "wide.csv": text("Idiom,Prediction\na,b,c\n"),
    "broken.xlsx": text("PK\x03\x04"),
    "nowhere.csv": lambda path: path.symlink_to("nowhere-at-all"),
    "twin.csv": text("Idiom,Prediction\na,b\n"),
    "TWIN.csv": text("Idiom,Prediction\na,b\n"),
}


@examples(12)
@given(
    books=st.dictionaries(st.sampled_from(["a", "b", "c"]), SHEETS, max_size=3),
    bad=st.sets(st.sampled_from([*NOT_TABLES])),
)
def test_every_file_sheet_and_row_is_scored_or_listed_and_the_counts_agree(
    books: dict[str, dict[str, tuple[tuple[str, str], list[tuple[str, str]]]]], bad: set[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), called_in(Path(folder)))
        place.references()
        place.model("good")
        for name, sheets in books.items():
            write_book(place.outs / f"{name}.xlsx", {title: [head, *rows] for title, (head, rows) in sheets.items()})
        for name in bad:
            NOT_TABLES[name](place.outs / name)
        ended = place.score("-v", "--json")
        assert ended.code in (0, 3)
        problems = place.problems()
        _check_accounted(place, books, bad, problems)
        _check_counts(place, ended, problems)


def _check_accounted(
    place: Place,
    books: dict[str, dict[str, tuple[tuple[str, str], list[tuple[str, str]]]]],
    bad: set[str],
    problems: list[dict[str, str]],
) -> None:
    """Every row has a score or a problem, or its sheet has, or its file."""
    said = {(line["file"], line["sheet"], line["row"]) for line in problems}
    assert bad <= {line["file"] for line in problems}
    for name, sheets in books.items():
        file = f"{name}.xlsx"
        units = read_csv(place.res / f"{name}_s_info.csv") if (place.res / f"{name}_s_info.csv").exists() else []
        scored = {(unit["Sheet"], unit["Row"]) for unit in units if unit["S_Info"]}
        for title, (_, rows) in sheets.items():
            whole = (file, title, "") in said or (file, "", "") in said
            for number, row in enumerate(rows, start=2):
                if any(cell.strip() for cell in row):
                    assert whole or (title, str(number)) in scored or (file, title, str(number)) in said


def _check_counts(place: Place, ended: Result, problems: list[dict[str, str]]) -> None:
    """The file, the sheet Problems, the manifest, the JSON and what is printed have the same number."""
    manifest = json.loads((place.res / "manifest.json").read_bytes())
    assert manifest["counts"]["problems"] == len(problems)
    assert len(json.loads(ended.out)["problems"]) == len(problems)
    book = place.res / "s_info_results.xlsx"
    pages = paged(book, "Problems") if len(sheet_rows(book, "Problems")) > 1 else []
    assert sum(1 for line in pages if line["kind"]) == len(problems)
    effects = Counter(line["effect"] for line in problems)
    for effect in ("file skipped", "sheet skipped", "row not scored", "note"):
        lines = [line for line in ended.err.splitlines() if line.startswith(f"{effect}: ")]
        more = sum(int(found[1]) for line in lines if (found := re.search(r"\((\d+) more rows? like this\)$", line)))
        assert len(lines) + more == effects[effect], (effect, ended.err)


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
