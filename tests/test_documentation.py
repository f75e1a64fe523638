"""Docs that are generated are up to date, links lead somewhere, and nothing in the tree speaks of one machine."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import importlib.util
import pkgutil
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from values import VALUES

import scoresheet.cli
import scoresheet.metrics
from scoresheet.cli.commands import Command, all_commands
from scoresheet.metrics.options import Options

ROOT = Path(__file__).resolve().parent.parent
DOCS = [*sorted(ROOT.glob("*.md")), ROOT / "data/README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")  # a script finds what lies beside it
        spec.loader.exec_module(module)
    return module


COMMON = {option.name for option in dataclasses.fields(Options)}  # docs/confidence.md explains them for all


def _modules() -> list[str]:
    return [
        module.name
        for package in (scoresheet.cli, scoresheet.metrics)
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
        if not module.name.endswith("__main__")
    ]


def test_generated_pages_are_up_to_date() -> None:
    assert not _generator().out_of_date(), "run `make docs`"


def test_a_check_of_the_docs_names_what_is_out_of_date_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh, stale, missing = tmp_path / "fresh.md", tmp_path / "stale.md", tmp_path / "missing.md"
    fresh.write_text("new", encoding="utf-8")
    stale.write_text("old", encoding="utf-8")
    generator = _generator()
    monkeypatch.setattr(generator, "pages", lambda: dict.fromkeys((fresh, stale, missing), "new"))
    assert generator.out_of_date() == [stale, missing]
    assert stale.read_text(encoding="utf-8") == "old"
    assert not missing.exists()


def test_every_value_that_the_docs_may_quote_is_quoted_and_no_other() -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in DOCS if path.name != "CONTRIBUTING.md")
    assert set(re.findall(r"<!--=([\w-]+)-->", written)) == set(VALUES)
    assert written.count("<!--=") == written.count("<!--/-->")


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_no_line_begins_with_the_mark_of_a_value_which_would_make_it_html(page: Path) -> None:
    assert not re.findall(r"^[ ]*<!--(?:=[\w-]+|/)-->.+", page.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https://)([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("name", ["Makefile", "CONTRIBUTING.md", ".pre-commit-config.yaml", ".github/workflows/ci.yml"])
def test_the_tests_and_scripts_that_the_checks_name_are_there(name: str) -> None:
    page = ROOT / name
    if page.exists():  # the source archive has no dot files
        for path in re.findall(r"\b(?:tests|docs|benchmarks)/[\w./-]*\w", page.read_text(encoding="utf-8")):
            assert (ROOT / path).exists(), f"{name} names {path}"


@pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.name)
def test_every_family_has_a_page_that_says_where_we_differ_and_names_every_option(command: Command) -> None:
    page = (ROOT / f"docs/{command.name}.md").read_text(encoding="utf-8")
    assert "## Where we differ" in page
    for option in dataclasses.fields(command.options):
        flag = f"--{option.name.replace('_', '-')}"
        assert flag in page or option.name in COMMON, f"{page} does not explain {flag}"
    assert f"docs/{command.name}.md" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*_modules(), "values"])
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert not failed


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a clone: git does not say what belongs to it")
def test_nothing_tracked_names_a_path_of_a_machine_or_a_registry() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    machine = re.compile(r"/(?:home|root|work|farm|Users)/\w|pypi\.org|pythonhosted|https?://[^\s)\"']*simple")
    for name in listed:
        path = ROOT / name
        if (
            path.is_file()
            and path.suffix in (".py", ".md", ".toml", ".txt", ".yml", ".yaml", ".cff", ".in", "")
            and path.name != Path(__file__).name
        ):
            found = machine.search(path.read_text(encoding="utf-8"))
            assert not found, f"{name}: {found}"


def test_the_constraints_are_names_and_versions_only() -> None:
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line), line
