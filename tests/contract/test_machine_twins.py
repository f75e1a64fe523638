"""Has every number that a page shows a twin for machines?"""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.commands import command_named, command_names
from scoresheet.cli.run import page_tables
from tests.helpers.files import digests, read_csv, sheet_names, sheet_rows, write_book, write_bytes
from tests.helpers.json_values import refuse
from tests.helpers.runs import MANIFEST, Run
from tests.helpers.studies import Place, answers

DATA = Path(__file__).resolve().parent.parent.parent / "data"
OWN = ("Problems", "About")


class Written:
    """The reports of a command's sample data, with tables."""

    def __init__(self, name: str, root: Path, run: Run) -> None:
        self.command = command_named(name)
        self.stem = self.command.reporter.stem
        self.res = root / "res"
        shutil.copytree(DATA, root / "data")
        given = filter(None, (self.command.outputs, self.command.references))
        self.words = [name, *given, "-o", "res", "--raw-csv", "--tables"]
        assert run(*self.words).code in (0, 10)
        self.metrics: dict[str, Any] = json.loads((self.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)


@pytest.fixture(params=command_names())
def written(request: pytest.FixtureRequest, tmp_path: Path, run: Run) -> Written:
    return Written(request.param, tmp_path, run)


def same(cell: object, value: object) -> bool:
    """Whether a cell of a workbook and a value of JSON or CSV are the same; a cell holds sixteen digits."""
    if cell is None or value is None or value == "":
        return cell in (None, "") and value in (None, "")
    if isinstance(cell, int | float):
        return isinstance(value, int | float | str) and math.isclose(cell, float(value), rel_tol=1e-14)
    return str(cell) == str(value)


def lines(book: Path, sheet: str) -> list[dict[str, object]]:
    """A page of a workbook without what stands below its table and the bars that are drawn in it."""
    head, *rows = sheet_rows(book, sheet)
    named = [(place, str(name)) for place, name in enumerate(head) if name is not None and name != "Local_Entropy"]
    table = [{name: row[place] for place, name in named} for row in rows]
    return [line for line in table if any(value is not None for value in line.values())]


def assert_same(page: list[dict[str, object]], others: list[dict[str, Any]]) -> None:
    assert len(page) >= len(others)  # below the table may stand a sentence
    for line, other in zip(page, others, strict=False):
        assert [*line] == [*other]
        assert [name for name in line if not same(line[name], other[name])] == []


def test_metrics_json_holds_the_lines_of_every_page_of_a_model_but_its_units(written: Written) -> None:
    for model, own in written.metrics.items():
        book = written.res / f"{model}_{written.stem}.xlsx"
        units = {line.get("Sheet") for line in read_csv(book.with_suffix(".csv"))}
        pages = [name for name in sheet_names(book) if name not in (*OWN, *units)]
        assert [*own["Pages"]] == pages
        for page in pages:
            assert_same(lines(book, page), own["Pages"][page])


def test_metrics_json_holds_the_lines_of_every_page_of_the_run(written: Written) -> None:
    book = written.res / f"{written.stem}_results.xlsx"
    pages = [name for name in sheet_names(book) if name not in ("Summary", *OWN)]
    assert "Comparison" in pages
    for page in pages:
        shown = [repr(line["Model"]) for line in lines(book, page) if line["Model"] in written.metrics]
        by_model = [(model, line) for model, own in written.metrics.items() for line in own["Run_Pages"].get(page, ())]
        assert sorted(repr(model) for model, _ in by_model) == sorted(shown)
        for model in written.metrics:
            own_lines = [line for line in lines(book, page) if line["Model"] == model]
            assert_same(own_lines, [line for owner, line in by_model if owner == model])


def test_metrics_json_holds_where_a_model_stands(written: Written) -> None:
    results = read_csv(written.res / f"{written.stem}_results.csv")
    for line in results:
        own = written.metrics[line["Model Name"]]
        for name in ("Rank", "Shared", "On_Shared", "Rows", "Scored", "Coverage"):
            assert same(float(line[name]) if line[name] else None, own[name])


def test_every_page_is_a_table(written: Written) -> None:
    tables = {path.name: path for path in (written.res / "tables").iterdir()}
    expected = set()
    for book in written.res.glob("*.xlsx"):
        for sheet in sheet_names(book):
            if sheet == "About":
                continue
            name = f"{book.stem}.{sheet}.csv"
            expected.add(name)
            page = [] if sheet == "Problems" else lines(book, sheet)
            assert_same(page, [] if sheet == "Problems" else read_csv(tables[name]))
    assert set(tables) == expected


def test_without_workbooks_only_files_for_machines_are_written_and_they_are_the_same(
    written: Written, run: Run
) -> None:
    before = digests(written.res)
    run(*written.words, "--no-workbooks", "--prune")
    after = digests(written.res)
    machine = {name for name in before if name.endswith((".csv", ".json"))}
    assert set(after) == machine
    kept = {name for name in machine if not name.startswith("cache/")}
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    record = json.loads((written.res / MANIFEST).read_text("utf-8"))
    listed = {each["file"]: each["sha256"] for each in record["outputs"]}
    assert listed == after
    run(*written.words[:-1], "--prune")
    assert not (written.res / "tables").exists()


def test_tables_are_pruned_and_a_failed_models_are_spared(place: Place) -> None:
    place.references()
    gone, failing = place.model("gone"), place.model("f")
    place.model("m")
    assert place.score("--tables").code == 0
    gone.unlink()
    failing.write_bytes(b"\xff\xfe\xff")
    assert place.score("--tables", "--prune").code == 3
    names = {path.name.partition(".")[0] for path in (place.res / "tables").iterdir()}
    assert names == {"f_s_info", "m_s_info", "s_info_results"}


def test_a_users_own_table_is_never_replaced(place: Place) -> None:
    place.references()
    place.model("m")
    write_bytes(place.res / "tables/m_s_info.Summary.csv", b"mine")
    ended = place.score("--tables")
    assert ended.code == 2
    assert "m_s_info.Summary.csv" in ended.err
    assert digests(place.res) == {"tables/m_s_info.Summary.csv": digests(place.res)["tables/m_s_info.Summary.csv"]}


def test_names_that_are_too_long_together_are_cut(place: Place) -> None:
    place.references()
    write_book(place.outs / f"{'m' * 170}.xlsx", {"一" * 31: answers(), "一" * 30: answers()})
    assert place.score("--tables").code == 0
    names = [path.name for path in (place.res / "tables").iterdir() if path.name.startswith("m")]
    assert len(names) == 5
    assert max(len(name.encode()) for name in names) <= 255


@pytest.mark.patched
def test_of_a_long_page_metrics_json_says_how_many_lines_it_has(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_tables, "LONGEST_PAGE", 1)
    place.references()
    place.model("m")
    assert place.score().code == 0
    pages = json.loads((place.res / "metrics.json").read_text("utf-8"))["m"]["Pages"]
    assert pages["Summary"] == {"Lines": 2}
