"""A night of jobs on one page, and a browser that looks at it."""

import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from scoresheet.cli.app import run_app
from scoresheet.cli.registry import family_entries, load_command
from scoresheet.cli.report.html import Job, report_page
from scoresheet.cli.run.recorded import open_recorded

PROJECT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
HOSTILE = '<img src=x onerror="document.title=1"></script><b>{{data}}&amp;$&'


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The results of all sample tables, and of a table with hostile names and texts."""
    folder = tmp_path_factory.mktemp("night")
    found = {family: folder / family for family in family_entries()}
    for family, results in found.items():
        command = load_command(family)
        named = [] if command.arguments["outputs"] else [f"data/{command.samples[0]}"]
        with chdir(PROJECT):  # where the default folders are
            assert run_app([family, *named, "--plots", "-q", "-o", str(results)]) == 0
    names = [HOSTILE, "\u202egnp.exe", "=1+1", "plain"]
    texts = [(f"{name} it", f"{name} is it", f"it is {name}") for name in names]
    rows = [(model, *text) for model in (HOSTILE, "b") for text in texts]
    rows.append(("b", f"{HOSTILE} without words", "", "a reference"))
    frame = pd.DataFrame(rows, columns=["model", "idiom", "prediction", "reference"])
    frame.to_csv(folder / "hostile.csv", index=False)
    found["hostile"] = folder / "hostile"
    gate = ["--fail-if", "S_Info<2"]
    table, results = str(folder / "hostile.csv"), found["hostile"]
    assert run_app(["sinfo", table, *gate, "-q", "-o", str(results)]) == 10
    return found


@pytest.fixture(scope="session")
def night(results: dict[str, Path]) -> Path:
    jobs = [Job(name, open_recorded(folder)) for name, folder in results.items()]
    jobs[-1] = Job(HOSTILE, jobs[-1].recorded, "gate failed")
    jobs.append(Job("judges", None, "failed", f"exit 2: {HOSTILE}"))
    path = results["sinfo"].parent / "night.html"
    path.write_text(report_page(jobs, HOSTILE), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        pytest.skip("there is no Chromium: install the package chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*FLAGS])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, night: Path) -> Iterator[Page]:
    """The page, open; at the end it has asked for nothing and complained of nothing."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page.set_default_timeout(5000)
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text))
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("dialog", lambda dialog: found.append(dialog.message))
    page.on("request", lambda request: found.append(request.url))
    page.goto(night.as_uri())
    page.wait_for_selector("svg[viewBox]")
    yield page
    page.close()
    assert found == [night.as_uri()]
