import csv
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scoresheet.cli.report.delimited import write_csv
from scoresheet.cli.report.json_output import metrics_json, to_json
from scoresheet.cli.report.lines import cut_middle, wrap
from scoresheet.cli.report.markdown_latex import latex_table, markdown_table
from scoresheet.cli.report.numbers import excel_format, show, show_interval
from scoresheet.cli.report.pages import Column, Page
from scoresheet.cli.run.outcome import RunOutcome
from scoresheet.metrics.problem import Problem

nan, inf = math.nan, math.inf


@pytest.mark.parametrize(
    ("value", "format_", "options", "expected"),
    [
        *((0.0005, "number", {}, "0.001"), (-0.0005, "number", {}, "-0.001")),
        *((1.0005, "number", {}, "1.001"), (2.675, "points", {}, "+2.7"), (0, "points", {}, "0.0")),
        *(
            (0.875, "share", {}, "88%"),
            (0.865, "share", {}, "87%"),
            (0.85, "accuracy", {}, "85.0%"),
        ),
        *(
            (-0.00049, "number", {"signed": True}, "0.000"),
            (-20, "points", {"minus": "−"}, "−20.0"),
        ),
        *((0.475, "number", {"signed": True}, "+0.475"), (1.26, "options", {}, "1.3")),
        *(
            (1234, "count", {}, "1234"),
            (30.0, "count", {}, "30"),
            (1e21, "count", {}, "1" + "0" * 21),
        ),
        *((0.0009999, "p", {}, "< 0.001"), (0.001, "p", {}, "0.001"), (1, "p", {}, "1.000")),
        *(
            (nan, "number", {}, "–"),
            (None, "p", {}, "–"),
            (nan, "text", {}, ""),
            (inf, "number", {}, "∞"),
        ),
        *((pd.NA, "number", {}, "–"), (-inf, "number", {}, "-∞"), ("best", "number", {}, "best")),
    ],
)
def test_numbers_are_rounded_half_away_from_zero(
    value: Any, format_: Any, options: dict[str, Any], expected: str
) -> None:
    assert show(value, format_, **options) == expected


@pytest.mark.parametrize(
    ("low", "high", "format_", "options", "expected"),
    [
        (0.725, 0.782, "number", {}, "0.725–0.782"),
        (-44.8, 10.8, "points", {}, "-44.8 to 10.8"),
        (4.3, 32.1, "points", {}, "4.3–32.1"),
        (-2, -1, "number", {"minus": "−"}, "−2.000 to −1.000"),
        (0.261, 0.772, "number", {"level": 0.98333}, "0.261–0.772 (98.3%)"),
        (-0.05, 0.058, "number", {"level": 0.95}, "-0.050 to 0.058 (95%)"),
        (0.5, 0.6, "accuracy", {}, "50.0%–60.0%"),
        (nan, 0.6, "number", {}, ""),
    ],
)
def test_intervals(low: Any, high: Any, format_: Any, options: Any, expected: str) -> None:
    assert show_interval(low, high, format_, **options) == expected


def test_number_formats_of_workbooks() -> None:
    assert excel_format("number", signed=True) == "+0.000;−0.000;0.000"
    assert excel_format("share") == "0%;−0%;0%"
    assert excel_format("count") == "0;−0;0"


@given(st.text(), st.integers(4, 30), st.integers(0, 2))
def test_wrapped_lines_keep_every_word_and_the_width(text: str, width: int, indent: int) -> None:
    from rich.cells import cell_len

    lines = wrap(text, width, indent=indent)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert cell_len(cut_middle(text, width)) <= width


def test_csv_keeps_full_precision_and_guards_formulas(tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-0.5", "-1e5", "- 5", "@x", "\tx", "\rx", "\nx", "-inf", "plain", ""]
    frame = pd.DataFrame({"=name": texts, "value": [0.1 + 0.2, nan, inf] + [1 / 3] * 9})
    write_csv(frame, tmp_path / "a.csv")
    read = pd.read_csv(tmp_path / "a.csv", dtype=str, keep_default_na=False)
    assert list(read.columns) == ["'=name", "value"]
    guarded = {"=1+1", "- 5", "@x", "\tx", "\rx", "\nx", "-inf"}
    assert list(read["'=name"]) == [f"'{text}" if text in guarded else text for text in texts]
    assert list(read["value"])[:4] == ["0.30000000000000004", "", "inf", repr(1 / 3)]
    assert list(frame["=name"]) == texts


def test_csv_is_plain_utf8_with_line_feeds(tmp_path: Path) -> None:
    write_csv(pd.DataFrame({"a": ["雪", 'say "x"'], "n": [1, 2]}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == 'a,n\n雪,1\n"say ""x""",2\n'.encode()
    write_csv(pd.DataFrame({"a": pd.Series(["x\udc80"], dtype=object)}), tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes() == b"a\nx\\udc80\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"))))
def test_csv_round_trip(folder: Path, texts: list[str]) -> None:
    frame = pd.DataFrame({"text": pd.Series(texts, dtype=object), "n": range(len(texts))})
    write_csv(frame, folder / "a.csv")
    read = pd.read_csv(folder / "a.csv", dtype=str, keep_default_na=False, na_filter=False)
    with (folder / "a.csv").open(encoding="utf-8", newline="") as file:
        assert [row[0] for row in csv.reader(file)][1:] == list(read["text"])
    assert [text.removeprefix("'") for text in read["text"]] == [t.removeprefix("'") for t in texts]


NAMES = [
    "a|b",
    "*x* _y_",
    "https://x.org/a_b",
    "www.x.org",
    "<b>&amp;",
    "`c` [d](e)",
    "\\| $x$ ~~z~~",
]
COLUMNS = (
    Column("m", "Model | name", role="key"),
    Column("v", "Value", "number", "measure", better="higher"),
    Column("l", "Loss", "number", "measure", better="lower"),
    Column("CI", "95% CI", role="interval"),
)


def named_page(names: list[str]) -> Page:
    count = len(names)
    values = {"v": [0.1] * (count - 1) + [0.7], "l": [-0.5] + [0.2] * (count - 1)}
    return Page("T", pd.DataFrame({"m": names, **values, "CI": [""] * count}), COLUMNS)


def test_markdown_shows_names_as_they_are() -> None:
    text = markdown_table(named_page(NAMES))
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    cells = [token for token in tokens if token.type == "inline"]
    shown = ["".join(child.content for child in cell.children or []) for cell in cells]
    assert shown[:4] == ["Model | name", "Value", "Loss", "95% CI"]
    assert shown[4::4] == NAMES
    assert shown[5:8] == ["0.100", "−0.500", "–"]
    assert {child.type for cell in cells for child in cell.children or []} <= {
        "text",
        "text_special",
    }
    assert "https://" not in text
    assert "www.x" not in text


def test_latex_escapes_names_and_marks_the_best_value() -> None:
    names = [r"50% & #1_{x}~^\$", "[b]", "*c", "a--b <c>"]
    text = latex_table(named_page(names), caption="A_B at 95%", notes="a: p < 0.05")
    rows = text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines()
    assert rows == [
        r"50\% \& \#1\_\{x\}\textasciitilde{}\textasciicircum{}\textbackslash{}\$"
        r" & 0.100 & \textbf{$-$0.500} & -- \\",
        r"{[}b] & 0.100 & 0.200 & -- \\",
        r"{*}c & 0.100 & 0.200 & -- \\",
        r"a-{}-b \textless{}c\textgreater{} & \textbf{0.700} & 0.200 & -- \\",
    ]
    assert r"\caption{A\_B at 95\%}" in text
    assert r"\begin{tabular}{lrrl}" in text
    assert r"\footnotesize a: p \textless{} 0.05" in text


def test_latex_has_no_best_of_one_and_several_of_equal() -> None:
    assert "textbf" not in latex_table(named_page(["a"]), caption="", notes="")
    page = named_page(["a", "b", "c"])
    page.frame["v"] = [0.70001, 0.70004, 0.1]
    assert latex_table(page, caption="", notes="").count("textbf{0.700}") == 2


def test_json_has_all_parts_and_no_nan(good_run: RunOutcome) -> None:
    comparisons = pd.DataFrame({"Model": ["a"], "Ratio": [inf], "N": [3]})
    outcome = replace(good_run, comparisons=comparisons, problems=[Problem("k", "row", "雪\udc80")])
    text = to_json(outcome)
    assert text.isascii()
    content = json.loads(text, parse_constant=pytest.fail)
    parts = ["signature", "mapping", "results", "comparisons", "gates", "problems", "exit_code"]
    assert list(content) == parts
    assert content["results"][1] == {"Model Name": "Model_B", "S_Info": None, "Rows": 60}
    assert content["comparisons"] == [{"Model": "a", "Ratio": None, "N": 3, "infinite": ["Ratio"]}]
    assert content["problems"][0]["message"] == "雪\udc80"
    assert (content["gates"], content["exit_code"]) == ([], 0)


def test_metrics_json_has_numbers_of_models_and_sheets() -> None:
    results = pd.DataFrame(
        {"Model Name": ["a", "b"], "S": [0.1, nan], "R": [inf, 1.0], "Status": ["ok", "failed"]}
    )
    sheets = {"a": pd.DataFrame({"Sheet": ["p1", "p2"], "S": [0.2, 0.3], "N": [3, 4]})}
    two = {"p1": {"S": 0.2, "N": 3}, "p2": {"S": 0.3, "N": 4}}
    assert json.loads(metrics_json(results, sheets)) == {
        "schema": 1,
        "models": {
            "a": {"S": 0.1, "R": None, "infinite": ["R"], "sheets": two},
            "b": {"S": None, "R": 1.0, "sheets": {}},
        },
    }
    assert re.search(r'"S": 0.1\b', metrics_json(results, sheets))
