"""Builds the site of docs into .site/, or into the folder that is named; run by `make site`.

A dead link or anchor, a page that Sphinx warns of, or anything that a browser would fetch from elsewhere stops it, and
the site that was there stays. Nothing is fetched to build it, and two builds of the same pages are the same bytes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import build_main
from website.conf import HOME
from website.links import faults

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ROOT / "docs/website"
DEFAULT = ROOT / ".site"
LEFT_BEHIND = (".buildinfo", "_sources", "objects.inv")  # for later builds and for other projects
SEARCH_INDEX = "searchindex.js"
# a web server and a person both look for index.html; every page keeps the name it has in the repository
INDEX = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>scoresheet</title>
<meta http-equiv="refresh" content="0; url={HOME}.html"></head>
<body><a href="{HOME}.html">scoresheet</a></body></html>
"""


def build(source: Path, site: Path) -> list[str]:
    """Build the pages of a folder as a site, if nothing is wrong with it; return what is, a line each."""
    if site.exists() and any(site.iterdir()) and not (site / SEARCH_INDEX).is_file():
        return [f"{site} is no site that was built here, and would be replaced; name an empty folder or a new one"]
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "site"
        quiet = ("--quiet", "--color" if sys.stderr.isatty() else "--no-color")
        strict = ("--fail-on-warning", "--fresh-env", "--write-all")
        places = ("--conf-dir", SETTINGS, "--doctree-dir", Path(folder) / "doctrees", source, made)
        if build_main([*quiet, *strict, *map(str, places)]):
            return ["Sphinx warned of what stands above"]
        for name in LEFT_BEHIND:
            left = made / name
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        (made / "index.html").write_text(INDEX, encoding="utf-8")
        found = faults(made)
        if not found:
            shutil.rmtree(site, ignore_errors=True)
            shutil.copytree(made, site)
        return found


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("docs/build_site.py takes no argument but the folder to build into")
    place = Path(sys.argv[1]) if sys.argv[1:] else DEFAULT
    wrong = build(ROOT, place)
    for line in wrong:
        print(line)
    if wrong:
        sys.exit(1)
    print(f"open {place / 'index.html'}")
