"""Tables on a screen: aligned, never cut, and no wider than they must be."""

from __future__ import annotations

from rich.cells import cell_len

from scoresheet.cli.report.page import Column
from scoresheet.cli.terminal.tables import fit_to_width, text_table

COLUMNS = (
    Column("Model Name", "", "key"),
    Column("Normalized_Entropy", "", "score"),
    Column("CI_Low", "", "score"),
    Column("Rows", "", "count"),
    Column("Status", "", "label"),
)
ROWS = [["gpt", 0.5, 0.25, 1_000, "ok"], ["模型", 0.125, float("nan"), 7, "ok"]]


def test_a_table_that_fits_is_left_as_it_is() -> None:
    assert fit_to_width(COLUMNS, ROWS, ["Rows", "Status"], 60) == (text_table(COLUMNS, ROWS), [])


def test_headers_are_folded_before_any_column_goes() -> None:
    text, gone = fit_to_width(COLUMNS, ROWS, ["Rows", "Status"], 45)
    assert gone == []
    assert text.split("\n")[:2] == ["Model  Normalized_", "Name       Entropy  CI_Low   Rows  Status"]


def test_spare_columns_go_in_their_order_and_no_more_than_must() -> None:
    text, gone = fit_to_width(COLUMNS, ROWS, ["Rows", "Status"], 36)
    assert gone == ["Rows"]
    assert "1,000" not in text
    assert "ok" in text


def test_what_is_not_spare_stays_however_narrow_the_screen_is() -> None:
    text, gone = fit_to_width(COLUMNS, ROWS, ["Rows", "Status"], 5)
    assert gone == ["Rows", "Status"]
    assert text.split("\n")[-2:] == ["gpt          0.500   0.250", "模型         0.125       –"]


def test_every_line_ends_where_its_columns_do_whatever_the_script() -> None:
    rule, *body = text_table(COLUMNS, ROWS).split("\n")[1:]
    assert {cell_len(line) for line in body} == {cell_len(rule) - len("Status") + len("ok")}
