"""What is shipped: a wheel that works beside a project's own `metrics` and `cli`, and an archive of all sources."""

from __future__ import annotations

import email
import email.message
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.helpers.kernels import has_compiler

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel built from a copy of the tree."""
    return built_wheel(tmp_path_factory, {})


def built_wheel(tmp_path_factory: pytest.TempPathFactory, variables: dict[str, str]) -> Path:
    source = tmp_path_factory.mktemp("source")
    for name in ("cli", "metrics", ".build"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    out = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(out),
        str(source),
    ]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **variables})
    return next(out.glob("*.whl"))


def compiled_in(wheel: Path) -> list[str]:
    return [name for name in zipfile.ZipFile(wheel).namelist() if Path(name).suffix in (".so", ".pyd")]


def test_the_wheel_holds_what_is_compiled_for_every_python_of_its_platform(wheel: Path) -> None:
    if not has_compiler():
        pytest.skip("no C compiler here, or no header of Python")
    sheets, cells, kernel = sorted(compiled_in(wheel))
    assert kernel.startswith("scoresheet/metrics/text/_kernel.")
    assert cells.startswith("scoresheet/cli/write/_cells.")
    assert sheets.startswith("scoresheet/cli/input/formats/_sheets.")
    assert "-cp311-abi3-" in wheel.name
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".c")]


def test_without_a_compiler_the_wheel_is_for_any_platform(tmp_path_factory: pytest.TempPathFactory) -> None:
    if sys.platform == "win32":
        pytest.skip("there the compiler goes by no variable")
    pure = built_wheel(tmp_path_factory, {"CC": "false"})
    assert pure.name.endswith("-py3-none-any.whl")
    assert compiled_in(pure) == []


def test_the_wheel_holds_only_scoresheet(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"scoresheet", next(top for top in tops if top.endswith(".dist-info"))}


def test_the_wheel_holds_every_module(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("cli", "metrics"):
        for module in (ROOT / folder).rglob("*.py"):
            path = module.relative_to(ROOT).as_posix().removeprefix("cli/package/")
            assert f"scoresheet/{path}" in names


def test_the_wheel_holds_what_the_page_in_a_browser_is_made_of(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    parts = [path for path in (ROOT / "cli/write/html").iterdir() if path.suffix in (".css", ".html", ".js")]
    assert len(parts) >= 3
    assert {f"scoresheet/cli/write/html/{path.name}" for path in parts} <= names


def test_the_command_works_in_a_project_with_its_own_metrics_and_cli(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    libraries = Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(libraries), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    # the dependencies come from this environment; its own link to scoresheet is not followed from there
    folders = [folder for folder in sys.path if Path(folder).name == "site-packages"]
    (libraries / "dependencies.pth").write_text("\n".join(folders), encoding="utf-8")
    project = tmp_path / "project"
    for name in ("metrics", "cli", "scoresheet_tools"):
        (project / name).mkdir(parents=True)
        (project / name / "__init__.py").write_text("raise RuntimeError('the project, not the tool')", encoding="utf-8")
    shutil.copytree(ROOT / "data", project / "data")
    python = environment / "bin" / "python"
    done = subprocess.run(
        [python, "-c", "from scoresheet.cli.app import console; console()", "sinfo", "-j", "2"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (project / "results/information_density/s_info_results.xlsx").exists()
    manifest = json.loads((project / "results/information_density/manifest.json").read_bytes())
    assert (manifest["kernel"] == "Python") == (not compiled_in(wheel))
    where = "import scoresheet.cli.app as app; print(app.__file__)"
    shown = subprocess.run([python, "-c", where], cwd=project, capture_output=True, text=True, check=True).stdout
    assert str(environment) in shown


def _tracked() -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: git does not say what belongs to it")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if (ROOT / name).exists()]


def test_the_source_archive_holds_all_that_git_tracks_but_dot_files(tmp_path: Path) -> None:
    tracked = _tracked()
    for name in tracked:
        copy = tmp_path / "source" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy)
    build = "import sys; sys.path.insert(0, '.build'); from scoresheet_build import build_sdist; build_sdist('..')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path / "source", check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        held = {member.name.partition("/")[2] for member in archive if member.isfile()}
    hidden = re.compile(r"(^|/)\.(?!build/)")
    assert {name for name in tracked if not hidden.search(name)} <= held
    made = {name for name in held - set(tracked) if ".egg-info/" not in name}
    assert made == {"PKG-INFO", "setup.cfg"}  # and nothing that only this machine has


def _metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_the_description_for_an_index_has_no_link_that_leads_nowhere(wheel: Path) -> None:
    metadata = _metadata(wheel)
    text = str(metadata.get_payload())
    assert "S_Info (`docs/sinfo.md`)" in text
    assert not re.findall(r"\]\((?!https://)[^)]*\)", text)
    assert "Project-URL" not in metadata  # no address was given, and we invent none


def test_the_links_of_the_description_lead_to_the_release_where_the_repository_is_named() -> None:
    spec = importlib.util.spec_from_file_location("scoresheet_build", ROOT / ".build/scoresheet_build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = "[a](docs/a.md#x), [b](https://example.org/b), [c](#c)"
    described = module.description(text, "https://example.org/s", "1.2")
    assert described == "[a](https://example.org/s/blob/v1.2/docs/a.md#x), [b](https://example.org/b), [c](#c)"
    assert module.description(text, "", "1.2").startswith("a (`docs/a.md#x`), [b](https://example.org/b), [c](#c)")


def test_the_tools_of_those_who_work_on_it_are_no_part_of_what_is_published(wheel: Path) -> None:
    published = " ".join(_metadata(wheel).get_all("Requires-Dist", []))
    for tool in ("pytest", "mypy", "ruff", "scikit-learn"):
        assert tool not in published


def test_the_extra_all_is_all_extras() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    assert everything == f"scoresheet[{','.join(sorted(extras.keys() - {'all'}))}]"


def test_the_constraints_hold_no_version_that_the_bounds_refuse() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {
        canonicalize_name(name): version
        for name, _, version in (line.partition("==") for line in lines if not line.startswith("#"))
    }
    for text in PROJECT["project"]["dependencies"]:
        requirement = Requirement(text)
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier, text
