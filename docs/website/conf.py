"""Settings of the site of docs: Sphinx reads the pages as they lie in the repository, from its top folder.

So a link between two pages, or to a file of the repository, means the same there, on the site and where the repository
is hosted. MyST reads Markdown as those hosts do, and warns of a link or an anchor that leads nowhere; the build takes
warnings for errors.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent.parent
HOME = "README"

# What people look for, in the order they look for it. A page that is named nowhere stands under MORE; a page that is
# named and not there is left out, so that a page can come and go without this list.
SECTIONS = {
    "Start": ["docs/quick-start", "docs/file-formats", "docs/layouts", "data/README"],
    "Commands": [
        "docs/sinfo",
        "docs/mode-collapse",
        "docs/diversity",
        "docs/disagree",
        "docs/entropy",
        "docs/collective",
    ],
    "Decisions": [
        "docs/configuration",
        "docs/compare",
        "docs/gates",
        "docs/explain",
        "docs/report",
        "docs/cookbook",
        "docs/scale",
    ],
    "How sure": ["docs/confidence", "docs/calibration", "docs/reliability", "docs/limits"],
    "Reference": ["docs/reference/cli", "docs/reference/columns", "docs/reference/problems", "docs/api", "docs/words"],
    "Inside": [
        "docs/architecture",
        "docs/seeds",
        "docs/performance",
        "docs/benchmarks",
        "benchmarks/README",
        "CONTRIBUTING",
        "docs/security",
        "SECURITY",
        "CHANGELOG",
    ],
}
MORE = "More"

project = "scoresheet"
author = "the scoresheet authors"
version = release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

root_doc = HOME
include_patterns = ["*.md", "benchmarks/README.md", "data/README.md", "docs/**.md"]
exclude_patterns = [".*", "build", "dist", "results", "tests"]  # no page is in them, and some are large
extensions = ["myst_parser"]
myst_heading_anchors = 6
highlight_language = "none"  # an indented block is a command, a drawing or a formula
smartquotes = False  # it would make a dash of the two that an option begins with
suppress_warnings = ["misc.highlighting_failure"]  # csv, jsonl, xlsx: shown without colours

html_theme = "furo"
html_title = f"{project} {version}"
html_static_path = ["static"]
html_css_files = ["style.css"]
html_js_files = ["from_disk.js"]
html_copy_source = False
html_show_copyright = False
html_use_index = False  # there is nothing in it: headings are found by the search


def sections(pages: set[str]) -> dict[str, list[str]]:
    """Return the pages but the home page by section, every one of them once."""
    named = {title: [page for page in names if page in pages] for title, names in SECTIONS.items()}
    rest = pages.difference([HOME], *named.values())
    return {title: names for title, names in {**named, MORE: sorted(rest)}.items() if names}


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Append to the home page what Sphinx makes the navigation from, which the README itself does not need."""
    if page == HOME:
        for title, names in sections(app.env.found_docs).items():
            entries = [f"{short_title(Path(app.env.doc2path(name)))} <{name}>" for name in names]
            source[0] += "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", *entries, "```", ""])


def short_title(page: Path) -> str:
    """Return the first heading of a page up to its colon: what follows would take three lines of the navigation."""
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line.removeprefix("# ").partition(":")[0].strip()
    raise ValueError(f"{page} has no heading of its own; begin it with one: # Title")


def lead_to_folders(app: Sphinx, document: nodes.document) -> None:
    """Let a link to a folder of the repository lead to the page that describes it, or else be text without a link."""
    for link in list(document.findall(pending_xref)):
        if link["reftype"] == "myst" and link["refdomain"] is None:
            folder = (Path(app.env.doc2path(link["refdoc"])).parent / link["reftarget"]).resolve()
            page = app.env.path2doc(folder / "README.md")
            if page in app.env.found_docs:
                link["refdomain"], link["reftarget"], link["reftargetid"] = "doc", page, None
            elif folder.is_dir():
                link.replace_self(link.children)


def setup(app: Sphinx) -> None:
    """Have Sphinx call what is above."""
    app.connect("source-read", add_navigation)
    app.connect("doctree-read", lead_to_folders)
