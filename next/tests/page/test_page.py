"""The page in a real browser, as a reader uses it."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from scoresheet.cli.registry import family_entries, load_family

from .conftest import HOSTILE

FAMILIES = tuple(family_entries())


def section(page: Page, job: str) -> Locator:
    return page.locator("section").nth([*FAMILIES, "hostile"].index(job))


def cells(table: Locator, column: int) -> list[str]:
    return table.locator(f"tbody tr td:nth-child({column})").all_inner_texts()


def test_every_job_has_a_card_with_its_number_state_and_sentence(page: Page) -> None:
    cards = page.locator(".card")
    assert cards.count() == len(FAMILIES) + 2
    sinfo = cards.nth(FAMILIES.index("sinfo"))
    expect(sinfo).to_contain_text("✓ ok")
    expect(sinfo).to_contain_text("Model_A scores highest")
    assert re.fullmatch(r"0\.\d{3}", sinfo.locator("b").inner_text())
    failed = cards.nth(len(FAMILIES) + 1)
    assert failed.locator(".gate").all_inner_texts() == [f"✗\nexit 2: {HOSTILE}"]
    expect(cards.nth(len(FAMILIES)).locator(".gate.bad").first).to_contain_text(
        "fail if S_Info < 2"
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_its_table_charts_units_and_methods(page: Page, family: str) -> None:
    part = section(page, family)
    expect(part.locator("h2")).to_have_text(load_family(family).title)
    assert part.locator("table").count() >= 3
    drawings = part.locator("svg[viewBox]")
    assert drawings.count() >= 2
    for drawing in drawings.all():
        assert drawing.locator("circle, rect, path").count() > 0
        assert "NaN" not in drawing.inner_html()
    part.get_by_text("How the numbers were made").click()
    expect(part.locator("dd").first).to_contain_text(f"{family}|")


def test_a_click_on_a_header_sorts_and_a_second_one_turns_the_order(page: Page) -> None:
    table = section(page, "sinfo").locator("table").first
    header = table.locator("th", has_text="S_Info")
    orders = []
    for state in ("descending", "ascending"):
        header.locator("button").click()
        expect(header).to_have_attribute("aria-sort", state)
        orders.append(cells(table, 1))
    assert orders == [["Model_A", "Model_B"], ["Model_B", "Model_A"]]


def test_units_come_worst_first_and_more_are_shown_on_demand(page: Page) -> None:
    part = section(page, "sinfo")
    table = part.locator("table.units")
    expect(part.locator("h3", has_text="Rows of Model_B, lowest first")).to_be_visible()
    expect(table.locator("tbody tr")).to_have_count(6)
    part.get_by_role("button", name="show 50 more").click()
    scores = [float(text) for text in table.locator("td.headline").all_inner_texts()]
    assert len(scores) == 56
    assert scores == sorted(scores)
    part.get_by_role("button", name="not scored (1)").click()
    expect(table.locator("tbody tr")).to_have_count(1)


def test_a_filter_keeps_the_rows_with_the_text_and_a_choice_changes_the_model(page: Page) -> None:
    part = section(page, "sinfo")
    part.get_by_role("searchbox", name="Filter idioms").fill("BULLET")
    assert set(cells(part.locator("table.units"), 1)) == {"bite the bullet"}
    part.get_by_role("combobox", name="Model").select_option("Model_A")
    expect(part.locator("h3", has_text="Rows of Model_A")).to_be_visible()
    assert set(cells(part.locator("table.units"), 1)) == {"bite the bullet"}


def test_the_keyboard_opens_a_unit_with_its_texts_and_command(page: Page) -> None:
    part = section(page, "sinfo")
    unit = part.locator("td.key button", has_text="bite the bullet").first
    unit.focus()
    page.keyboard.press("Enter")
    details = part.locator("tr.detail")
    expect(details).to_contain_text("to make yourself do something hard")
    expect(details).to_contain_text("--model Model_B --sheet permutation2 --unit 'bite the bullet'")
    assert details.locator("mark").all_inner_texts() == ["to", "to"]
    page.keyboard.press("Enter")
    expect(details).to_have_count(0)


def test_hostile_names_and_texts_are_only_text(page: Page) -> None:
    part = section(page, "hostile")
    assert page.title() == page.locator("h1").inner_text() == HOSTILE
    assert HOSTILE in cells(part.locator("table").first, 1)
    part.get_by_role("combobox", name="Model").select_option("b")
    unit = part.locator("td.key button", has_text="without words")
    part.get_by_role("button", name="not scored (1)").click()
    expect(unit).to_have_text(f"{HOSTILE} without words")
    assert page.locator("img, b b, script").count() == 2  # the data and the script of the page
    assert page.evaluate("document.querySelectorAll('[onerror]').length") == 0


def test_the_page_fits_a_phone_in_both_themes(page: Page) -> None:
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(paper) == "rgb(252, 251, 248)"
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(paper) == "rgb(20, 24, 28)"
    page.emulate_media(media="print")
    assert page.evaluate(paper) == "rgb(252, 251, 248)"


def test_a_printed_page_has_everything_open(page: Page) -> None:
    assert page.locator("details[open]").count() == 0
    assert page.pdf().startswith(b"%PDF")
    assert page.locator("details:not([open])").count() == 0


def test_a_page_is_small_without_its_units(night: Path) -> None:
    text = night.read_text(encoding="utf-8")
    jobs = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    units = sum(len(json.dumps(job.get("units"), ensure_ascii=False)) for job in jobs)
    assert len(text.encode()) - units < 400_000
