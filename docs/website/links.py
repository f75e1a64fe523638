"""What is wrong with built pages: dead links, dead anchors, and what a browser would fetch from elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = ("src", "srcset", "poster", "data")  # a browser loads these by itself, whatever the element
ELSEWHERE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
OF_STYLES = re.compile(r"""(?:url\(|@import)\s*["']?\s*((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)


@dataclass
class Page(HTMLParser):
    """The anchors of a page, where its links lead, and what it loads."""

    anchors: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    loaded: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element is, links to and loads."""
        values = {name: value for name, value in attrs if value is not None}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self.loaded |= {values[name] for name in FETCHED if name in values}
        if "href" in values:
            (self.links if tag in ("a", "area") else self.loaded).add(values["href"])


def read_page(path: Path) -> Page:
    """Return the links and anchors of a file of HTML."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


def faults(site: Path) -> list[str]:
    """Return a line for each link of a built site that leads nowhere and for each thing it loads from elsewhere."""
    pages = {path.resolve(): read_page(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        for link in sorted(page.links | page.loaded):
            if link in page.loaded and ELSEWHERE.match(link):
                found.append(f"{name} loads {link}")
            elif dead := _dead(path, link, pages):
                found.append(f"{name} links to {link}: {dead}")
    for path in sorted(site.rglob("*.css")):
        styles = path.read_text(encoding="utf-8")
        found += [f"{path.relative_to(site)} loads {address}" for address in OF_STYLES.findall(styles)]
    return found


def _dead(page: Path, link: str, pages: dict[Path, Page]) -> str:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return "no such file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "no such anchor"
    return ""
