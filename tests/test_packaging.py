"""What is installed: a wheel of scoresheet/ alone, which works beside a project's own `metrics` and `cli`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel built from a copy of the tree."""
    source = tmp_path_factory.mktemp("source")
    for name in ("cli", "metrics"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
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
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_the_wheel_holds_only_scoresheet(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"scoresheet", next(top for top in tops if top.endswith(".dist-info"))}


def test_the_wheel_holds_every_module(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("cli", "metrics"):
        for module in (ROOT / folder).rglob("*.py"):
            assert f"scoresheet/{module.relative_to(ROOT).as_posix()}" in names


def test_every_folder_of_code_is_listed_as_a_package() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    folders = {init.parent for top in ("cli", "metrics") for init in (ROOT / top).rglob("__init__.py")}
    assert sorted(listed) == sorted("scoresheet." + ".".join(folder.relative_to(ROOT).parts) for folder in folders)


def test_the_command_works_in_a_project_with_its_own_metrics_and_cli(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    libraries = Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(libraries), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    # the dependencies come from this environment; its own link to scoresheet is not followed from there
    (libraries / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
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
    where = "import scoresheet.cli.app as app; print(app.__file__)"
    shown = subprocess.run([python, "-c", where], cwd=project, capture_output=True, text=True, check=True).stdout
    assert str(environment) in shown
