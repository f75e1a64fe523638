"""The project itself: what is packaged, and what its documents promise."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from scoresheet.cli.app import run_app
from scoresheet.cli.options import CommonOptions
from scoresheet.cli.registry import family_entries, load_command, load_family

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_folder_of_code_is_packaged() -> None:
    folders = {
        "scoresheet." + ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("cli", "metrics", "data")
        for path in (ROOT / top).rglob("__init__.py")
    }
    folders = (folders - {"scoresheet.cli.scoresheet"}) | {"scoresheet"}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == folders


def test_every_family_is_declared_and_documented() -> None:
    declared = PROJECT["project"]["entry-points"]["scoresheet.families"]
    assert set(declared) == set(family_entries())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in declared:
        assert load_family(name).command == load_command(name)
        assert f"`scoresheet {name}" in readme


@pytest.mark.parametrize("name", [*family_entries()])
def test_no_option_of_a_family_has_the_name_of_a_common_one(name: str) -> None:
    common = {field.name for field in fields(CommonOptions)}
    assert not common & {
        field.name for field in fields(load_command(name).options) if field.metadata
    }


def test_a_module_has_one_subject_and_fits_in_350_lines() -> None:
    paths = [path for top in ("cli", "metrics") for path in (ROOT / top).rglob("*.py")]
    long = {p.name: n for p in paths if (n := len(p.read_text("utf-8").splitlines())) > 350}
    assert not long


RUNS = {"README.md": "sinfo"}
RUNS |= {f"docs/{family}.md": family for family in ("mode-collapse", "diversity", "entropy")}


@pytest.mark.parametrize(("page", "family"), RUNS.items())
def test_the_first_run_of_a_page_prints_what_it_shows(
    page: str,
    family: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    text = (ROOT / page).read_text(encoding="utf-8")
    command, shown = re.findall(r"```console\n\$ (.*?)\n(.*?)```", text, re.DOTALL)[0]
    assert run_app(["init", family]) == 0
    capsys.readouterr()
    assert run_app(command.split()[1:]) == 0
    printed = capsys.readouterr()
    lines = {line.rstrip() for line in (printed.err + printed.out).splitlines()}
    assert {line.rstrip() for line in shown.splitlines()} <= lines
    assert page != "README.md" or lines <= {*shown.splitlines(), ""}


def test_links_of_the_documents_lead_somewhere() -> None:
    for page in ROOT.glob("*.md"):
        for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
