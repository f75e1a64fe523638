"""One self-contained HTML file: data that is never markup, a script and a style that a strict policy names by hash."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.version import VERSION

# what tells a page of ours, which may be replaced, from any other file
MARKER: Final = "<!doctype html>\n<!-- a page of scoresheet report"
_SCRIPTS: Final = ("dom.js", "tables.js", "charts.js", "sections.js", "page.js")
_MARK: Final = re.compile(r"\{\{(\w+)\}\}")


def page_html(content: Mapping[str, Any]) -> str:
    """Return the page; equal content gives equal bytes."""
    script = "\n".join(_asset(name) for name in _SCRIPTS)
    style = _asset("page.css")
    parts = {
        "marker": f"{MARKER}, version {VERSION} -->",
        "policy": (
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        ),
        "style": style,
        "script": script,
        "data": embedded_json(content),
    }
    return _MARK.sub(lambda mark: parts[mark[1]], _asset("page.html"))  # once: what is put in is not looked at again


def embedded_json(value: Mapping[str, Any]) -> str:
    r"""Return JSON that can stand in a script element: no text in it can end the element or begin a comment.

    >>> embedded_json({"model": "</script><!--"})
    '{"model":"\\u003c/script\\u003e\\u003c!--"}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def write_html(path: Path, html: str, *, force: bool = False) -> None:
    """Write a page whole or not at all; Stop if a file is there that is no page of ours, unless `force` says so."""
    if path.is_dir():
        raise Stop(Exit.USAGE, f"{path}: a folder; name a file for the page, such as -o {path / 'report.html'}")
    if not force and path.exists() and not is_page(path):
        raise Stop(
            Exit.USAGE,
            f"{path}: this file is no page of scoresheet report and was left as it is; name another with -o, "
            "or replace it with --force",
        )
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            beside.write_text(html, encoding="utf-8", newline="\n")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise Stop(Exit.UNWRITABLE, f"{path}: the page could not be written: {error.strerror or error}") from error


def is_page(path: Path) -> bool:
    """Return whether a file is a page of ours, by its first bytes."""
    expected = MARKER.encode()
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(expected)) == expected


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
