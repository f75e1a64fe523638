"""Pages in a browser: results to show, what a page holds, and a Chromium to open it in."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests.helpers.runs import called_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

DATA = Path(__file__).resolve().parents[2] / "data"
FAMILIES = ("sinfo", "mode-collapse", "diversity", "disagree", "entropy", "collective")
REQUIRED = "CI_BROWSER"  # set to 1, a missing browser is a failure
HOSTILE = (
    "</script><script>window.broken = 1</script>",
    '<img src=x onerror="window.broken = 1">',
    "=HYPERLINK(1+1)",
    "<!--",
    "שלום & مرحبا",
    "成語 🐉 {{data}}",
    "javascript:window.broken=1",
)


def score_samples(root: Path) -> None:
    """Score the sample data of every family into `results` of a folder."""
    (root / "data").symlink_to(DATA)
    for family in FAMILIES:
        done = called_in(root)(family, "-q", "-o", f"results/{family}")
        assert done.code == 0, done.err


def score_hostile_texts(root: Path, out: str) -> None:
    """Score models, idioms and kept texts that would be markup, formulas or addresses if anybody let them."""
    lines = ["model,Idiom,Prediction,Reference,said"]
    quoted = ['"' + text.replace('"', '""') + '"' for text in HOSTILE]
    for model in quoted:
        lines += [f"{model},{idiom},a b c,a b c d,{text}" for idiom, text in zip(quoted, reversed(quoted), strict=True)]
    (root / "nasty.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = called_in(root)("sinfo", "nasty.csv", "-q", "--model-column", "model", "--keep", "said", "-o", out)
    assert done.code == 0, done.err


def content_of(page: Path) -> dict[str, Any]:
    """What a page holds."""
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)
    assert len(found) == 1
    content: dict[str, Any] = json.loads(found[0])
    return content


@dataclass
class OpenPages:
    """Pages opened in one browser, and everything that a page should never do."""

    browser: Browser
    wrong: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def opened(self, path: Path, *, width: int = 1280, dark: bool = False) -> Iterator[Page]:
        """A page on a screen of this width."""
        screen: ViewportSize = {"width": width, "height": 900}
        context = self.browser.new_context(viewport=screen, color_scheme="dark" if dark else "light")
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.on("console", lambda message: self.wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.wrong.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self._note_request(request.url))
        try:
            page.goto(path.as_uri())
            yield page
            assert not self.wrong
        finally:
            context.close()

    def _note_request(self, url: str) -> None:
        if not url.startswith(("file:", "data:")):
            self.wrong.append(f"request: {url}")


@contextlib.contextmanager
def browser_pages() -> Iterator[OpenPages]:
    """One Chromium for all; without it the tests are skipped, unless they are required."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _without("playwright, which `make env` installs")
    if path is None:
        _without("Chromium, such as Debian's package chromium")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        # a sandbox cannot be made by root
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"] if root else [])
        yield OpenPages(browser)
        browser.close()


def _without(what: str) -> NoReturn:
    message = f"the page is looked at in a browser, which needs {what}"
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(message)
    pytest.skip(message)
