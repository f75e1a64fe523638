"""The table on stdout in every format, JUnit, and model text that is text in each of them."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scoresheet.cli.report.page import Column
from scoresheet.cli.terminal.formats import csv_table, latex_table, latex_text, markdown_table, markdown_text
from scoresheet.cli.terminal.tables import one_line
from tests.helpers.soak import examples
from tests.helpers.studies import ANSWERS, Place

NASTY = r"=a|b_c*<b>&`x`$y$ 50% {z} [l](u) ~^\#"
COLUMNS = (Column("Model Name", "", "key"), Column("S_Info", "", "score"), Column("P", "", "chance"))


def cells_of(markdown: str) -> list[list[str]]:
    """The cells of a Markdown table as a reader of CommonMark with tables sees them, as plain text."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline":
            assert {child.type for child in token.children or ()} <= {"text", "text_special"}, token.content
            rows[-1].append("".join(child.content for child in token.children or ()))
    return rows


@pytest.mark.parametrize(
    "sentence",
    [
        *("# no heading", "- no item", "+ no item", "1. no list", "22) no list", "> no quote", "*no* _stress_"),
        *("<b>no</b> &amp;", "[no](link) https://no.link", "no | cell", "`no` code", "~~no~~ $x$", "a\\_b"),
    ],
)
def test_a_sentence_is_a_plain_paragraph_in_markdown(sentence: str) -> None:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown_text(sentence))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    children = tokens[1].children or []
    assert {child.type for child in children} <= {"text", "text_special"}
    assert "".join(child.content for child in children) == sentence


TEXTS = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Zs", "Zl", "Zp", "Cc")), min_size=1)


@examples(60)
@given(TEXTS | st.text(alphabet=r"|\`*_<>&[]()!#{}~$-+:@", min_size=1, max_size=8))
def test_any_name_is_a_plain_cell_in_markdown(name: str) -> None:
    shown = cells_of(markdown_table(COLUMNS, [[name, 0.25, 0.0001]]))
    assert shown == [["Model Name", "S_Info", "P"], [one_line(name).strip(), "0.250", "< 0.001"]]


@examples(60)
@given(st.text(min_size=1))
def test_latex_has_nothing_of_a_name_that_commands(name: str) -> None:
    shown = latex_text(name)
    # what is left when our own commands are taken away holds no sign that LaTeX would act on
    left = re.sub(r"\\text[a-z]+\{\}|\\[{}$&%#_]|\{[\[\]]\}|([-`',])\{\}", r"\1", shown)
    assert not set(left) & set('\\{}$&%#_~^<>|"[]')


def test_latex_is_a_table_with_the_rules_of_booktabs() -> None:
    lines = latex_table(COLUMNS, [["a_b", 0.5, 0.2], ["[c] -- d", float("nan"), 0.0001]]).splitlines()
    assert lines == [
        "% \\usepackage{booktabs}",
        "\\begin{tabular}{lrr}",
        "\\toprule",
        "Model Name & S\\_Info & P \\\\",
        "\\midrule",
        "a\\_b & 0.500 & 0.200 \\\\",
        "{[}c{]} -{}- d & -- & \\textless{} 0.001 \\\\",
        "\\bottomrule",
        "\\end{tabular}",
    ]


def test_csv_cells_cannot_run_and_numbers_keep_their_digits() -> None:
    shown = list(csv.reader(io.StringIO(csv_table(COLUMNS, [["=1+1", 1 / 3, float("nan")]]))))
    assert shown[1] == ["'=1+1", repr(1 / 3), ""]


@pytest.fixture
def two(place: Place) -> Place:
    place.references(ANSWERS)
    place.model("a_b")
    place.model("plain", ANSWERS | {"break the ice": "no"})
    return place


def test_every_format_holds_the_same_results(two: Place) -> None:
    told = json.loads(two.score("--format", "json").out)
    assert json.loads(two.score("--json").out)["models"] == told["models"]
    expected = [line["Model Name"] for line in told["models"]]
    shown = list(csv.DictReader(io.StringIO(two.score("--format", "csv").out)))
    assert [line["Model Name"] for line in shown] == expected
    assert [float(line["S_Info"]) for line in shown] == [line["S_Info"] for line in told["models"]]
    markdown = two.score("--format", "markdown", "--fail-if", "Coverage<1").out
    table = "\n".join(line for line in markdown.splitlines() if line.startswith("|"))
    assert [line[0] for line in cells_of(table)[1:]] == expected
    assert markdown.startswith("## Information density")
    assert "Every gate holds" in markdown
    assert "Gate failed: plain: S\\_Info is" in two.score("--format", "markdown", "--fail-if", "plain:S_Info<1").out
    latex = two.score("--format", "latex").out
    assert "a\\_b & 1.000" in latex
    assert two.score("--format", "latex", "-q").out == latex  # quiet is for those who want nothing but this


def test_a_format_that_is_none_and_two_at_once_are_refused(two: Place) -> None:
    assert "table, json, markdown, latex, csv" in two.score("--format", "html").err
    assert two.score("--format", "csv", "--json").code == 2


def test_junit_has_a_case_for_each_model_and_gate(two: Place) -> None:
    (two.outs / "bad.xlsx").write_bytes(b"not a workbook")
    assert two.score("--fail-if", "S_Info<0.9", "--junit", "gates.xml").code == 10
    (suite,) = ET.parse(two.root / "gates.xml").getroot()
    cases = {(case.get("classname"), case.get("name")): case.find("failure") for case in suite}
    assert suite.get("name") == "scoresheet sinfo"
    assert suite.get("failures") == "3"
    assert {key for key, failure in cases.items() if failure is None} == {
        ("a_b", "scored"),
        ("plain", "scored"),
        ("a_b", "S_Info<0.9"),
    }
    failure = cases["plain", "S_Info<0.9"]
    assert failure is not None
    assert (failure.text or "").startswith("plain: S_Info is 0.6")


def test_no_two_cases_of_junit_have_one_name(two: Place) -> None:
    assert two.score().code == 0
    assert two.score("--baseline", str(two.res), "--fail-if-worse", "--junit", "gates.xml").code == 0
    (suite,) = ET.parse(two.root / "gates.xml").getroot()
    names = [(case.get("classname"), case.get("name")) for case in suite]
    assert len(set(names)) == len(names)
    assert ("plain", "--fail-if-worse (2)") in names  # that units are gone, and that it dropped, are two verdicts


def test_a_junit_file_that_cannot_be_written_is_said_before_any_work(two: Place) -> None:
    for file in ("none/gates.xml", "."):
        ended = two.score("--junit", file)
        assert ended.code == 2
        assert f"--junit {file}" in ended.err
    assert two.score("--junit", "/dev/full").code == 74
    assert (two.res / "manifest.json").exists()
