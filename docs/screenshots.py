"""Takes the pictures of the page in a browser for docs/report.md: `python docs/screenshots.py`; needs Chromium."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final, Literal, NamedTuple

from playwright.sync_api import Browser, sync_playwright

from scoresheet.cli.app import main
from scoresheet.cli.commands import all_commands

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/pictures"
PAGE: Final = "report.html"


class Shot(NamedTuple):
    """One picture: what it shows first, on a screen of which size and colours."""

    name: str
    top: str  # the id of what stands at its top
    width: int
    height: int
    colours: Literal["light", "dark"]


SHOTS: Final = (
    Shot("report-1280-light", "diversity", 1280, 1000, "light"),
    Shot("report-1280-dark", "mode-collapse", 1280, 900, "dark"),
    Shot("report-375-light", "entropy", 375, 900, "light"),
    Shot("report-375-dark", "disagree-model", 375, 900, "dark"),
)


def score_samples() -> None:
    """Score the sample data here, and write the page over all of it."""
    Path("data").symlink_to(ROOT / "data")
    with Path(os.devnull).open("w", encoding="utf-8") as nobody, contextlib.redirect_stdout(nobody):
        for command in all_commands():
            main([command.name, "--quiet"])
        main(["report", "-o", PAGE])


def take(browser: Browser, page: Path, shot: Shot) -> Path:
    """Take one picture and return where it is."""
    context = browser.new_context(viewport={"width": shot.width, "height": shot.height}, color_scheme=shot.colours)
    tab = context.new_page()
    tab.goto(page.resolve().as_uri())
    tab.evaluate("id => document.getElementById(id).scrollIntoView({behavior: 'instant'})", shot.top)
    picture = PICTURES / f"{shot.name}.png"
    tab.screenshot(path=picture)
    context.close()
    return picture


def write() -> None:
    """Take every picture anew."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("there is no chromium to look at the page with; Debian's package has this name")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), sync_playwright() as playwright:
        score_samples()
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for shot in SHOTS:
            picture = take(browser, Path(PAGE), shot)
            print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size:,} bytes")
        browser.close()


if __name__ == "__main__":
    write()
