import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len

from scoresheet.cli.report import Column, Page, files
from scoresheet.cli.report.files import latex_table, markdown_table, metrics_json, write_csv
from scoresheet.cli.report.text import cut_middle, show, show_interval, wrap
from scoresheet.cli.run.outcome import RunOutcome
from scoresheet.metrics.problem import Problem

nan, inf = math.nan, math.inf

NUMBERS: dict[str, list[tuple[Any, str]]] = {
    "number": [(0.0005, "0.001"), (-0.0005, "-0.001"), (1.0005, "1.001"), (-0.00049, "0.000")],
    "points": [(2.675, "+2.7"), (0, "0.0"), (-20, "-20.0"), ("best", "best")],
    "share": [(0.875, "88%"), (0.865, "87%"), (inf, "∞%"), (nan, "–")],
    "accuracy": [(0.85, "85.0%"), (pd.NA, "–")],
    "options": [(1.26, "1.3"), (-inf, "-∞")],
    "count": [(1234, "1234"), (30.0, "30"), (1e21, "1" + "0" * 21)],
    "p": [(0.0009999, "< 0.001"), (0.001, "0.001"), (1, "1.000"), (None, "–")],
    "text": [(nan, ""), (7, "7")],
}


def test_numbers_are_rounded_half_away_from_zero() -> None:
    for format_, cases in NUMBERS.items():
        for value, expected in cases:
            assert show(value, format_) == expected  # type: ignore[arg-type]
    assert show(0.475, "number", signed=True) == "+0.475"
    assert show(-20, "points", minus="−") == "−20.0"
    assert show_interval(0.725, 0.782, "number") == "0.725–0.782"
    assert show_interval(-44.8, 10.8, "points") == "-44.8 to 10.8"
    assert show_interval(4.3, 32.1, "points") == "4.3–32.1"
    assert show_interval(nan, 0.6, "number") == ""


@given(st.text(), st.integers(4, 30), st.integers(0, 2))
def test_wrapped_lines_keep_every_word_and_the_width(text: str, width: int, indent: int) -> None:
    lines = wrap(text, width, indent=indent)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert cell_len(cut_middle(text, width)) <= width


def test_csv_has_full_precision_line_feeds_and_no_formulas(tmp_path: Path) -> None:
    texts = ["=1+1", "+1", "-1e5", "- 5", "@x", "\tx", "\nx", "-inf", "", 'say "x"', "雪\udc80"]
    texts.append("a\rb")
    values = [0.1 + 0.2, nan, inf, *range(9)]
    frame = pd.DataFrame({"=name": pd.Series(texts, dtype=object), "value": values})
    write_csv(frame, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes().decode() == (
        "'=name,value\n'=1+1,0.30000000000000004\n+1,\n-1e5,inf\n'- 5,0.0\n'@x,1.0\n'\tx,2.0\n"
        '"\'\nx",3.0\n\'-inf,4.0\n,5.0\n"say ""x""",6.0\n雪\\udc80,7.0\n"a\rb",8.0\n'
    )
    assert list(frame["=name"]) == texts


@settings(max_examples=100)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"))))
def test_csv_round_trip(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "a.csv"
    write_csv(pd.DataFrame({"text": pd.Series(texts, dtype=object), "n": range(len(texts))}), path)
    read = pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False)
    with path.open(encoding="utf-8", newline="") as file:
        assert [row[0] for row in csv.reader(file)][1:] == list(read["text"])
    assert [text.removeprefix("'") for text in read["text"]] == [t.removeprefix("'") for t in texts]


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
    names = ["a|b", "*x* _y_", "https://x.org/a_b", "www.x.org", "<b>&amp;", "`c` [d](e)"]
    names.append("\\| $x$ ~~z~~")
    text = markdown_table(named_page(names))
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    cells = [token.children or [] for token in tokens if token.type == "inline"]
    shown = ["".join(child.content for child in cell) for cell in cells]
    assert shown[:8] == [
        *("Model | name", "Value", "Loss", "95% CI"),
        "a|b",
        "0.100",
        "−0.500",
        "–",
    ]
    assert shown[4::4] == names
    assert {child.type for cell in cells for child in cell} <= {"text", "text_special"}
    assert "https://" not in text
    assert "www.x" not in text


def test_latex_escapes_names_and_marks_the_best_value() -> None:
    names = [r"50% & #1_{x}~^\$", "[b]", "*c", "a--b <c>"]
    text = latex_table(named_page(names), caption="A_B at 95%", notes="a: p < 0.05")
    first = r"50\% \& \#1\_\{x\}\textasciitilde{}\textasciicircum{}\textbackslash{}\$"
    assert text.split("\\midrule\n")[1].split("\n\\bottomrule")[0].splitlines() == [
        rf"{first} & 0.100 & \textbf{{$-$0.500}} & -- \\",
        r"{[}b] & 0.100 & 0.200 & -- \\",
        r"{*}c & 0.100 & 0.200 & -- \\",
        r"a-{}-b \textless{}c\textgreater{} & \textbf{0.700} & 0.200 & -- \\",
    ]
    for part in (r"\caption{A\_B at 95\%}", r"\begin{tabular}{lrrl}", r"a: p \textless{} 0.05"):
        assert part in text
    assert "textbf" not in latex_table(named_page(["a"]), caption="", notes="")
    page = named_page(["a", "b", "c"])
    page.frame["v"] = [0.70001, 0.70004, 0.1]
    assert latex_table(page, caption="", notes="").count("textbf{0.700}") == 2


def test_json_has_all_parts_and_no_nan(good_run: RunOutcome) -> None:
    comparisons = pd.DataFrame({"Model": ["a"], "Ratio": [inf], "N": [3]})
    outcome = replace(good_run, comparisons=comparisons, problems=[Problem("k", "row", "雪\udc80")])
    text = files.to_json(outcome)
    assert text.isascii()
    content = json.loads(text, parse_constant=pytest.fail)
    parts = ["signature", "mapping", "results", "comparisons", "gates", "problems", "exit_code"]
    assert list(content) == parts
    assert content["results"][1] == {"Model Name": "b", "S_Info": None, "Rows": 60}
    assert content["comparisons"] == [{"Model": "a", "Ratio": None, "N": 3, "infinite": ["Ratio"]}]
    assert content["problems"][0]["message"] == "雪\udc80"


def test_metrics_json_has_numbers_of_models_and_sheets() -> None:
    results = pd.DataFrame({"Model Name": ["a", "b"], "S": [0.1, nan], "R": [inf, 1.0]})
    sheets = {"a": pd.DataFrame({"Sheet": ["p1", "p2"], "S": [0.2, 0.3], "N": [3, 4]})}
    two = {"p1": {"S": 0.2, "N": 3}, "p2": {"S": 0.3, "N": 4}}
    models = {
        "a": {"S": 0.1, "R": None, "infinite": ["R"], "sheets": two},
        "b": {"S": None, "R": 1.0, "sheets": {}},
    }
    found = json.loads(metrics_json(results.assign(Status=["ok", "failed"]), sheets))
    assert found == {"schema": 1, "models": models}
