"""The site of docs: it builds from the pages as they are, every link leads somewhere, and nothing is fetched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from website.links import faults

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def build(site: Path, source: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """What `make site` does, for the pages of a folder."""
    pytest.importorskip("furo", reason="the dependency group site is not installed")
    code = "import sys; from pathlib import Path; from build_site import build; print(*build(*map(Path, sys.argv[1:])))"
    script = [str(ROOT / "docs/build_site.py"), str(site)] if source == ROOT else ["-c", code, str(source), str(site)]
    return subprocess.run([sys.executable, *script], cwd=ROOT / "docs", capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once."""
    folder = tmp_path_factory.mktemp("built") / "site"
    made = build(folder)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


def test_every_page_is_on_the_site_under_its_own_name_and_in_the_navigation_and_the_search(site: Path) -> None:
    home, index = ((site / name).read_text(encoding="utf-8") for name in ("README.html", "searchindex.js"))
    for path in PAGES:
        page = path.relative_to(ROOT).with_suffix("")
        assert (site / f"{page}.html").is_file()
        assert f'"{page}"' in index
        assert path.name == "README.md" or f'<a class="reference internal" href="{page}.html">' in home
    assert "README.html" in (site / "index.html").read_text(encoding="utf-8")


def test_no_link_of_the_site_is_dead_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert len(list(site.rglob("*.html"))) > len(PAGES)
    assert faults(site) == []


@pytest.mark.soak
def test_two_builds_are_the_same_bytes(site: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    assert build(again).returncode == 0
    files = {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
    assert files == {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()}


def test_links_to_files_and_folders_of_the_repository_lead_somewhere_and_new_pages_are_found(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    for folder in ("docs", "data", "cli"):
        (source / folder).mkdir(parents=True)
    (source / "README.md").write_text("# Home\n\n[new](docs/new.md#a-part) [settings](x.toml)", encoding="utf-8")
    (source / "x.toml").write_text("[job]", encoding="utf-8")
    (source / "data/README.md").write_text("# Data", encoding="utf-8")
    text = "# New: a page\n\n## A part\n\n[home](../README.md) [data](../data/) [code](../cli/) --flag"
    (source / "docs/new.md").write_text(text, encoding="utf-8")
    made = build(site, source)
    assert (made.stdout, made.stderr) == ("\n", "")
    home, new = ((site / name).read_text(encoding="utf-8") for name in ("README.html", "docs/new.html"))
    assert '<span class="caption-text">More</span>' in home
    assert 'href="docs/new.html">New</a>' in home
    assert 'href="docs/new.html#a-part"' in home
    assert [path.read_text(encoding="utf-8") for path in site.rglob("x.toml")] == ["[job]"]
    assert 'href="../data/README.html"><span class="std std-doc">data</span></a>' in new
    assert "code</span> --flag" in new

    (source / "docs/new.md").write_text("# New\n\n[a](gone.md) [b](../README.md#gone) [c](gone.csv)", encoding="utf-8")
    made = build(site, source)
    assert made.stdout == "Sphinx warned of what stands above\n"
    warned = [line.partition(" WARNING: ")[2].partition(" [")[0] for line in made.stderr.splitlines()]
    assert [warning.rpartition(": ")[2] for warning in warned] == ["'a-part'", "'gone.md'", "'gone'", "'gone.csv'"]
    assert (site / "docs/new.html").read_text(encoding="utf-8") == new


def test_a_folder_that_is_no_site_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("years of work", encoding="utf-8")
    made = build(tmp_path)
    assert made.returncode == 1
    assert made.stdout.startswith(f"{tmp_path} is no site that was built here")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.md"]


def test_a_check_of_built_pages_names_every_fault(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.html").write_text('<h1 id="a b">B</h1><a href="../a.html">up</a>', encoding="utf-8")
    (tmp_path / "style.css").write_text('@import "//fonts.example/x"; p { background: url(a.png) }', encoding="utf-8")
    (tmp_path / "a.html").write_text(
        '<a href="sub/b.html#a%20b">right</a> <a href="https://paper.example">a link, loaded by a click alone</a>'
        '<a href="#gone">x</a> <a href="sub/b.html#gone">x</a> <a href="gone.html">x</a> <a href="sub">x</a>'
        '<link rel="stylesheet" href="style.css?v=1"><link rel="stylesheet" href="https://cdn.example/x.css">'
        '<script src="//cdn.example/x.js"></script><img src="gone.png">',
        encoding="utf-8",
    )
    assert faults(tmp_path) == [
        "a.html links to #gone: no such anchor",
        "a.html loads //cdn.example/x.js",
        "a.html links to gone.html: no such file",
        "a.html links to gone.png: no such file",
        "a.html loads https://cdn.example/x.css",
        "a.html links to sub: no such file",
        "a.html links to sub/b.html#gone: no such anchor",
        "style.css loads //fonts.example/x",
    ]
