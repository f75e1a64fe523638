"""The page in a browser: it holds what the results hold, shows it, and lets nothing in it run."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.input.results_reading import EarlierResults
from scoresheet.cli.tools.report import write_page
from scoresheet.cli.write.html import content as page_content
from scoresheet.cli.write.html.page import MARKER
from tests.helpers.pages import (
    FAMILIES,
    HOSTILE,
    OpenPages,
    browser_pages,
    content_of,
    score_hostile_texts,
    score_samples,
)
from tests.helpers.runs import Result, called_in


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of every family, and a page over them."""
    folder = tmp_path_factory.mktemp("study")
    score_samples(folder)
    assert report(folder, "results").code == 0
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page over results full of texts that would like to be more than texts."""
    folder = tmp_path_factory.mktemp("hostile")
    score_hostile_texts(folder, "res")
    assert report(folder, "res").code == 0
    return folder / "report.html"


@pytest.fixture(scope="module")
def history(root: Path) -> Path:
    """A page over three runs of one family: the last but one was made with other settings."""
    later = root / "later"
    for number, (day, signature) in enumerate([("02", "sinfo|other"), ("03", "")]):
        folder = later / f"night{number}"
        shutil.copytree(root / "results/sinfo", folder)
        record = json.loads((folder / "manifest.json").read_text("utf-8"))
        record |= {"started": f"2999-01-{day}T00:00:00+00:00"} | ({"signature": signature} if signature else {})
        (folder / "manifest.json").write_text(json.dumps(record), encoding="utf-8")
    assert report(root, "later", "results/sinfo", "-o", "history.html").code == 0
    return root / "history.html"


@pytest.fixture(scope="module")
def pages() -> Iterator[OpenPages]:
    with browser_pages() as opened:
        yield opened


def report(root: Path, *words: str) -> Result:
    return called_in(root)("report", *words)


def cells(column: dict[str, Any]) -> list[Any]:
    return [column["texts"][place] for place in column["cells"]] if "texts" in column else column["cells"]


def as_shown(text: str, kind: str) -> Any:
    """What the page should hold of a cell of a CSV: a number to five digits, or the text."""
    if kind == "text":
        return text
    return pytest.approx(float(text), rel=1e-4) if text else None


def test_the_page_has_every_number_of_the_results_and_of_the_units_to_five_digits(root: Path) -> None:
    content = content_of(root / "report.html")
    assert [family["id"] for family in content["families"]] == list(FAMILIES)
    for family in content["families"]:
        results = EarlierResults.of(root / "results" / family["id"])
        run = family["runs"][0]
        tables = [(results.results, run["results"])]
        tables += [
            (results.units(m), each["units"]["table"]) for m, each in zip(results.models, run["models"], strict=True)
        ]
        for written, shown in tables:
            assert [column["name"] for column in shown] == list(written.columns)
            for column in shown:
                assert cells(column) == [as_shown(text, column["kind"]) for text in written[column["name"]]]
        assert next(column for column in run["results"] if column["name"] == run["headline"])["kind"] == "score"
        compared = results.table("comparisons.csv")
        headline = compared[compared["Family"] == "headline"]
        for column in run["comparisons"]["headline"]:
            assert cells(column) == [as_shown(text, column["kind"]) for text in headline[column["name"]]]
        assert run["comparisons"]["shown"] == [float(text or "1") < 0.05 for text in headline["P_Holm"]]
        assert run["signature"] == results.signature
        assert run["problems"]["total"] == len(results.table("problems.csv"))
        assert run["method"]


def test_what_is_drawn_is_what_the_numbers_say(root: Path) -> None:
    runs = {family["id"]: family["runs"][0] for family in content_of(root / "report.html")["families"]}
    titles = {
        name: [panel["kind"] for model in run["models"] for panel in model["panels"]] for name, run in runs.items()
    }
    assert titles["mode-collapse"] == ["shares"] * 3
    assert {"heat", "bars"} == set(titles["disagree"])
    assert {"bars", "shares"} == set(titles["collective"])  # the load of the experts, of one that routes
    assert [panel["kind"] for panel in runs["diversity"]["panels"]] == ["lines"]
    choices = dict(runs["mode-collapse"]["panels"][0]["rows"])["collapsed"]
    assert choices == [["Iceland", 2], ["Japan", 28], ["Morocco", 0], ["Netherlands", 1], ["Peru", 1]]
    spread = runs["entropy"]["spread"]
    scored = EarlierResults.of(root / "results/entropy")
    for model, own in zip(scored.models, spread["models"], strict=True):
        known = sorted(float(cell) for cell in scored.units(model)["Entropy_At_Length"] if cell)
        assert own["values"] == [pytest.approx(value, rel=1e-4) for value in known]
        assert own["units"] - own["undefined"] == len(known)
    of_all = runs["sinfo"]["spread"]["models"][0]
    assert (sum(of_all["bins"]), of_all["units"]) == (60, 60)


def test_the_same_results_give_the_same_bytes_whatever_the_order(root: Path) -> None:
    folders = [root / "results" / name for name in FAMILIES]
    write_page(folders, root / "again.html")
    write_page(folders[::-1], root / "turned.html")
    first = (root / "report.html").read_bytes()
    assert (root / "again.html").read_bytes() == (root / "turned.html").read_bytes() == first


def test_the_page_allows_its_own_script_and_style_and_nothing_else(root: Path) -> None:
    html = (root / "report.html").read_text("utf-8")
    assert html.startswith(MARKER)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        inside = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert len(inside) == 1
        digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy[1]
        assert "innerHTML" not in inside[0]
    assert policy[1].startswith("default-src 'none'")
    assert "unsafe" not in policy[1]
    assert len(html.encode()) - len(json.dumps(content_of(root / "report.html"), ensure_ascii=False).encode()) < 70_000


def test_texts_are_data_and_no_part_of_the_markup(hostile: Path) -> None:
    html = hostile.read_text("utf-8")
    data = html[html.index('id="data">') + 10 :]
    assert not re.search(r"[<>&]", data[: data.index("</script>")])
    run = content_of(hostile)["families"][0]["runs"][0]
    assert sorted(cells(run["results"][0])) == sorted(HOSTILE)
    units = {column["name"]: cells(column) for column in run["models"][0]["units"]["table"]}
    assert units["Idiom"] == list(HOSTILE)
    assert units["said"] == list(reversed(HOSTILE))


def test_units_that_do_not_fit_are_cut_fairly_and_counted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_content, "MOST_UNITS", 70)
    write_page([root / "results/sinfo", root / "results/entropy"], root / "cut.html")
    sizes = {
        family["id"]: [(len(m["units"]["table"][0]["cells"]), m["units"]["total"]) for m in family["runs"][0]["models"]]
        for family in content_of(root / "cut.html")["families"]
    }
    assert sizes["sinfo"] == [(17, 60), (17, 60)]  # what the texts leave of the room
    assert sum(here for own in sizes.values() for here, _ in own) <= 70
    assert [total for _, total in sizes["entropy"]] == [12, 12, 12]


def test_a_file_of_somebody_else_is_left_as_it_is(root: Path) -> None:
    theirs = root / "theirs.html"
    theirs.write_text("<!doctype html>\n<p>mine", encoding="utf-8")
    refused = report(root, "results/sinfo", "-o", "theirs.html")
    assert refused.code == 2
    assert "theirs.html: this file is no page of scoresheet report" in refused.err
    assert "--force" in refused.err
    assert theirs.read_text("utf-8") == "<!doctype html>\n<p>mine"
    assert report(root, "results/sinfo", "-o", "theirs.html", "--force").code == 0
    assert report(root, "results/entropy", "-o", "theirs.html").code == 0  # ours by now
    assert [family["id"] for family in content_of(theirs)["families"]] == ["entropy"]
    assert not list(root.glob(".theirs*"))


def test_a_place_where_no_page_can_be_is_named(root: Path) -> None:
    assert "a folder; name a file" in report(root, "results/sinfo", "-o", "results").err
    (root / "file").write_text("", encoding="utf-8")
    blocked = report(root, "results/sinfo", "-o", "file/page.html")
    assert blocked.code == 5
    assert "file/page.html: the page could not be written" in blocked.err
    assert report(root, "results/sinfo", "-o", "new/page.html").code == 0


def test_folders_without_results_and_changed_ones_are_named(root: Path, tmp_path: Path) -> None:
    missing = report(tmp_path)
    assert missing.code == 2
    assert "results: no such folder" in missing.err
    assert "data: no results of scoresheet here" in report(root, "data").err
    shutil.copytree(root / "results/sinfo", tmp_path / "res")
    (tmp_path / "res/Model_A_s_info.csv").write_text("Idiom,S_Info\na,1\n", encoding="utf-8")
    changed = report(tmp_path, "res")
    assert changed.code == 2
    assert "Model_A_s_info.csv: this file is gone or was changed" in changed.err
    assert not (tmp_path / "report.html").exists()


def test_a_folder_counts_once_and_what_holds_folders_stands_for_them(root: Path) -> None:
    done = report(root, "results/sinfo", "results", "results/../results/sinfo", "-o", "once.html")
    assert done.out == "once.html: 6 folders of results\n"
    assert (root / "once.html").read_bytes() == (root / "report.html").read_bytes()


def test_a_comparison_beside_results_is_no_results(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "results/sinfo", tmp_path / "all/nights/sinfo")
    run = called_in(tmp_path)
    assert run("compare", "all/nights/sinfo", "-o", "all/nights/change").code == 0
    for folder in ("all/nights", "all"):
        assert report(tmp_path, folder).out == "report.html: 1 folder of results\n"
    for tool in ("report", "verify", "compare"):
        done = run(tool, "all/nights/change")
        assert done.code == 2
        assert "a comparison that scoresheet compare wrote, and no results" in done.err


def test_the_variable_for_results_stands_for_them_here_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORESHEET_OUT", str(root / "results"))
    (root / "elsewhere").mkdir()
    assert report(root / "elsewhere").out == "report.html: 6 folders of results\n"


def test_results_of_an_older_version_are_shown_without_what_they_did_not_record(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "results/diversity", tmp_path / "old")
    path = tmp_path / "old/manifest.json"
    record = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({k: v for k, v in record.items() if k not in ("shown", "answer", "method")}), "utf-8")
    assert report(tmp_path, "old").code == 0
    run = content_of(tmp_path / "report.html")["families"][0]["runs"][0]
    assert (run["headline"], run["axis"], run["spread"], run["method"]) == ("", None, None, [])
    assert run["comparisons"]["measure"] == "alpha_nDCG@10"


def test_the_manifest_says_what_is_shown_first_and_how_the_numbers_were_made(root: Path) -> None:
    for family in FAMILIES:
        results = EarlierResults.of(root / "results" / family)
        shown = results.record["shown"]
        assert {shown["headline"], *shown["interval"], *shown["screen"]} <= set(results.results.columns)
        assert math.isclose(shown["confidence"], 0.95)
        assert results.record["answer"]
        assert all(len(line) == 2 for line in results.record["method"])


def test_every_family_is_shown_with_no_error_and_no_request(pages: OpenPages, root: Path) -> None:
    with pages.opened(root / "report.html") as page:
        assert page.locator("h2[tabindex]").all_inner_texts() == [
            family["title"] for family in content_of(root / "report.html")["families"]
        ]
        assert page.locator("#sinfo-results ~ .table tbody th").all_inner_texts() == ["Model_A", "Model_B"]
        assert page.locator("section.family svg.track[role=img]").count() > 20
        labels = page.locator("section.family svg[role=img]").evaluate_all("all => all.map(e => e.ariaLabel)")
        assert "Model_A: 0.755, interval 0.724 to 0.780" in labels
        assert "terse: undefined, too few texts of 50 words for an interval: 0, at least 5 are needed" in labels
        assert page.locator("table:not(:has(caption))").count() == 0
        assert page.locator("table.map td.heat").count() > 20
        assert page.locator("#collective-model ~ div svg[role=img]").count() >= 3


def test_a_heading_sorts_and_says_so(pages: OpenPages, root: Path) -> None:
    with pages.opened(root / "report.html") as page:
        table = page.locator("#diversity-results ~ .table")
        heading = table.get_by_role("columnheader", name="ILD@10", exact=False)
        assert heading.get_attribute("aria-sort") == "none"
        heading.get_by_role("button").focus()
        page.keyboard.press("Enter")
        assert heading.get_attribute("aria-sort") == "descending"
        assert table.locator("tbody th").all_inner_texts() == ["diversified", "mediocre", "redundant"]
        page.keyboard.press("Enter")
        assert heading.get_attribute("aria-sort") == "ascending"
        assert table.locator("tbody th").all_inner_texts() == ["redundant", "mediocre", "diversified"]
        assert page.locator("#status").inner_text() == "Sorted by ILD@10, ascending"
        undefined = page.locator("#entropy-results ~ .table")
        for _ in range(2):  # what is undefined comes last, whichever way
            undefined.get_by_role("columnheader", name="Entropy_At_Length").get_by_role("button").click()
            assert undefined.locator("tbody th").all_inner_texts()[-1] == "terse"
        assert "too few texts" in (
            undefined.locator("tbody tr").last.locator(".undefined").first.get_attribute("title") or ""
        )


def test_models_are_filtered_everywhere(pages: OpenPages, root: Path) -> None:
    with pages.opened(root / "report.html") as page:
        page.get_by_role("searchbox", name="Models").fill("DIVER")
        assert page.locator("#diversity-results ~ .table tbody th").all_inner_texts() == ["diversified"]
        assert page.locator("#mode-collapse-results ~ .table tbody th").all_inner_texts() == ["diverse"]
        assert (
            page.locator("section[aria-labelledby=diversity] > div > .figures > figure")
            .first.locator("li:not(.axis):visible")
            .count()
            == 1
        )
        assert page.locator("#sinfo-results ~ .table tbody").inner_text() == "Nothing fits."
        assert page.locator("#status").inner_text() == "2 models of 16"


def test_a_model_leads_to_its_units_which_are_filtered_sorted_and_turned(pages: OpenPages, root: Path) -> None:
    with pages.opened(root / "report.html") as page:
        page.locator("#sinfo-results ~ .table").get_by_role("button", name="Model_B").click()
        assert page.evaluate("document.activeElement.id") == "sinfo-model"
        part = page.locator("section[aria-labelledby=sinfo-model]")
        assert part.locator("caption").inner_text() == "Units of Model_B"
        rows = part.locator("tbody tr")
        assert (rows.count(), part.locator(".count").inner_text()) == (20, "1–20 of 60")
        part.get_by_role("button", name="Next").click()
        assert part.locator(".count").inner_text() == "21–40 of 60"
        part.get_by_role("button", name="S_Info").click()
        written = EarlierResults.of(root / "results/sinfo").units("Model_B")
        best = max(float(cell) for cell in written["S_Info"] if cell)
        assert rows.first.locator("td").first.inner_text() == f"{best:.3f}"
        part.get_by_label("Filter rows").fill("midnight")
        assert set(part.locator("tbody th").all_inner_texts()) == {"burn the midnight oil"}
        assert (
            part.get_by_role("link", name="Model_B_s_info.csv").get_attribute("href")
            == "./results/sinfo/Model_B_s_info.csv"
        )
        part.locator("select").select_option("Model_A")
        assert part.locator("caption").inner_text() == "Units of Model_A"


def test_colours_follow_the_system_and_a_button(pages: OpenPages, root: Path) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    with pages.opened(root / "report.html", dark=True) as page:
        dark = page.evaluate(background)
        page.get_by_role("button", name="Use light colours").click()
        light = page.evaluate(background)
        page.get_by_role("button", name="Use dark colours").click()
        assert page.evaluate(background) == dark
        page.emulate_media(media="print")
        assert page.evaluate(background) == "rgb(255, 255, 255)"
    with pages.opened(root / "report.html") as page:
        assert page.evaluate(background) == light != dark


def test_nothing_is_wider_than_the_screen(pages: OpenPages, root: Path, hostile: Path) -> None:
    for path in (root / "report.html", hostile):
        with pages.opened(path) as page:
            for width in (1280, 375):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_first_key_leads_past_the_top(pages: OpenPages, root: Path) -> None:
    with pages.opened(root / "report.html") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"


def test_hostile_texts_are_read_as_they_were_written(pages: OpenPages, hostile: Path) -> None:
    with pages.opened(hostile) as page:
        assert sorted(page.locator("#sinfo-results ~ .table tbody th").all_inner_texts()) == sorted(HOSTILE)
        page.locator("#sinfo-results ~ .table").get_by_role("button", name=HOSTILE[0]).click()
        units = page.locator("section[aria-labelledby=sinfo-model]")
        assert units.locator("tbody th").all_inner_texts() == list(HOSTILE)
        assert set(HOSTILE) <= set(units.locator("tbody td").all_inner_texts())
        assert page.evaluate("window.broken") is None
        assert page.locator("main img").count() == 0
        assert page.locator("script").count() == 2
        links = page.locator("a").evaluate_all("all => all.map(each => each.protocol)")
        assert set(links) == {"file:"}


def test_history_joins_only_runs_that_were_made_alike(pages: OpenPages, history: Path) -> None:
    runs = content_of(history)["families"][0]["runs"]
    assert [run["folder"] for run in runs] == ["later/night1", "later/night0", "results/sinfo"]
    with pages.opened(history) as page:
        part = page.locator("section[aria-labelledby=sinfo-history]")
        assert part.locator("thead th").count() == 4
        assert part.locator("tbody tr").first.locator("td").all_inner_texts() == ["0.755"] * 3
        assert part.locator("g.line").count() == 2
        assert part.locator("g.line circle").count() == 6
        assert part.locator("g.line line:not(.end)").count() == 0  # each run has another signature than the one before
        assert "not joined" in part.locator(".note").inner_text()
        page.locator("section.family > label select").select_option("2")
        assert page.locator("section[aria-labelledby=sinfo] .meta a").first.inner_text() == "results/sinfo"
        page.get_by_role("searchbox", name="Models").fill("_b")
        assert page.locator("section[aria-labelledby=sinfo-history] g.line:not(.gone)").count() == 1


def test_cut_units_are_said_to_be_elsewhere(pages: OpenPages, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_content, "MOST_UNITS", 20)
    write_page([root / "results/sinfo"], root / "few.html")
    with pages.opened(root / "few.html") as page:
        note = page.locator("section[aria-labelledby=sinfo-model] .note").first.inner_text()
        assert note == "Here are 10 of 60 units; all are in Model_A_s_info.csv."
