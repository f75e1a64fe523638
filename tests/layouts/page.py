"""The page of the docs that lists all layouts, made from what the tests run.

python -m tests.layouts.page --write
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from tests.layouts.layout import Layout

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "layouts.md"
_OWN = ("__init__", "layout", "page")


def families() -> list[str]:
    """Return the commands that have layouts here."""
    return sorted(
        path.stem for path in HERE.glob("*.py") if path.stem not in _OWN and not path.stem.startswith("test_")
    )


def layouts(family: str) -> tuple[Layout, ...]:
    """Return the layouts of a command."""
    found: tuple[Layout, ...] = import_module(f"tests.layouts.{family}").LAYOUTS
    return found


def page() -> str:
    """Return the text of the page."""
    lines = [
        "# Layouts that are read as they are",
        "",
        "<!-- made by tests/layouts/page.py; run `make docs` to write it anew -->",
        "",
        "The same content in every layout gives the same numbers: a test writes each of these, runs the one command",
        "and compares the headline of every model with what was worked out apart. What is noted on the way is said on",
        "the screen and in problems.csv.",
    ]
    for family in families():
        command = family.replace("_", "-")
        lines += ["", f"## {command}", ""]
        lines += ["| your table | it looks like | the command | gives | noted |", "|---|---|---|---|---|"]
        lines += [_row(layout) for layout in layouts(family)]
    return "\n".join(lines) + "\n"


def _row(layout: Layout) -> str:
    looks = "<br>".join(f"`{line}`" if line else "" for line in layout.picture.replace("|", "\\|").split("\n"))
    numbers = ", ".join(f"{model} {value:.3f}" for model, value in layout.expected.items())
    numbers += f" ({layout.measure})" if layout.measure else ""
    command = f"scoresheet {layout.words}".replace("|", "\\|")
    return f"| {layout.name} | {looks} | `{command}` | {numbers} | {', '.join(layout.said)} |"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
