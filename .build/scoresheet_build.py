"""The build backend: setuptools, told what pyproject.toml cannot say of packages, compiled parts, archive, description.

The folders are cli/ and metrics/; those names are too common to install, so they become scoresheet.cli and
scoresheet.metrics, and cli/package becomes scoresheet itself. setuptools finds packages under their folders' names
only, so what it finds is renamed here; a new folder needs no line anywhere.

What is compiled is optional: where nothing can compile it, the package is built without it and runs its twins in
Python. One compiled file serves all versions of Python from the lowest on.

With SCORESHEET_REPOSITORY set to the repository's address, the README's links point to the files of this release there,
and the address is in the metadata. Without it we know of none, and a link becomes its text and the path of the file.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sysconfig
import tomllib
from pathlib import Path

import setuptools
from setuptools.build_meta import (  # noqa: F401 - the hooks that pip and build call
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent.parent
ITSELF = "cli.package"  # what `import scoresheet` finds
FOLDERS = ("benchmarks", "cli", "data", "docs", "metrics", "tests")
FILES = (
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "Makefile",
    "SECURITY.md",
    "constraints.txt",
)
BUILD_FILES = (".build/scoresheet_build.py", ".build/audit.py")  # the rest of the folder is not tracked
# what is compiled: its name and source, and the macro that says which source it was made of
COMPILED = (
    ("scoresheet.metrics.text._kernel", "metrics/text/_kernel.c", "KERNEL_SOURCE"),
    ("scoresheet.cli.write._cells", "cli/write/_cells.c", "CELLS_SOURCE"),
    ("scoresheet.cli.input.formats._sheets", "cli/input/formats/_sheets.c", "SHEETS_SOURCE"),
)
LOWEST_PYTHON = "cp311"  # whose limited API the source asks for
MADE_HERE = (".pyc", ".pyo", ".so", ".pyd")  # what a build leaves among the sources
RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:|#)([^)]+)\)")
IN_THE_ARCHIVE = "Paths such as `docs/quick-start.md` are files of the source archive.\n"


def packages() -> list[str]:
    """Return the names under which the folders of code are installed."""
    found = setuptools.find_packages(str(ROOT), include=["cli", "cli.*", "metrics", "metrics.*"])
    return ["scoresheet", *(f"scoresheet.{name}" for name in sorted(found) if name != ITSELF)]


def description(readme: str, repository: str, version: str) -> str:
    """Return the README with no link that is relative to the repository."""
    if repository:
        return RELATIVE_LINK.sub(rf"[\1]({repository}/blob/v{version}/\2)", readme)
    return RELATIVE_LINK.sub(r"\1 (`\2`)", readme) + "\n" + IN_THE_ARCHIVE


def compiled_parts() -> list[setuptools.Extension]:
    """Return what is to be compiled; a Python without a global lock has no limited API, and goes without."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return []
    return [
        setuptools.Extension(
            name, [source], define_macros=[(macro, f'"{source_digest(source)}"')], py_limited_api=True, optional=True
        )
        for name, source, macro in COMPILED
    ]


def source_digest(source: str) -> str:
    """Return the first digits of a source's SHA-256, whatever its line ends are."""
    return hashlib.sha256((ROOT / source).read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:12]


class BuildParts(build_ext):
    """Compiling that leaves no trace of where it was done, so that two builds are the same bytes."""

    def build_extension(self, ext: setuptools.Extension) -> None:
        """Compile without what a debugger would want: it names folders."""
        ext.extra_compile_args = ["/Brepro"] if self.compiler.compiler_type == "msvc" else ["-O2", "-g0"]
        ext.extra_link_args = ["/Brepro"] if self.compiler.compiler_type == "msvc" else []
        super().build_extension(ext)


class HonestWheel(bdist_wheel):
    """A wheel that is for one platform only if something compiled is in it."""

    def run(self) -> None:
        """Compile first, and see what came of it."""
        command = self.get_finalized_command("build_ext")
        self.run_command("build_ext")
        if not any(Path(command.get_ext_fullpath(each.name)).exists() for each in command.extensions or ()):
            self.distribution.ext_modules = []
            self.root_is_pure = True
        super().run()


class WholeArchive(sdist):
    """A source archive that holds what the repository holds, so that whoever has it can test it too."""

    def make_distribution(self) -> None:
        """Pack every file of the project but hidden ones, and this module, without which nothing can be built."""
        inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file())
        wanted = [path.relative_to(ROOT) for path in inside if path.suffix not in MADE_HERE]
        visible = [str(path) for path in wanted if not any(part.startswith(".") for part in path.parts)]
        self.filelist.extend([*visible, *FILES, "results/README.md", *BUILD_FILES])
        self.filelist.remove_duplicates()
        super().make_distribution()


def settings() -> dict[str, object]:
    """Return what pyproject.toml cannot say."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    repository = os.environ.get("SCORESHEET_REPOSITORY", "").rstrip("/")
    addresses = {
        "Repository": repository,
        "Changelog": f"{repository}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    return {
        "packages": packages(),
        "package_dir": {"scoresheet": "cli/package", "scoresheet.cli": "cli", "scoresheet.metrics": "metrics"},
        "ext_modules": compiled_parts(),
        "options": {"bdist_wheel": {"py_limited_api": LOWEST_PYTHON}} if compiled_parts() else {},
        "cmdclass": {"sdist": WholeArchive, "build_ext": BuildParts, "bdist_wheel": HonestWheel},
        "long_description": description((ROOT / "README.md").read_text(encoding="utf-8"), repository, version),
        "long_description_content_type": "text/markdown",
        "project_urls": addresses if repository else {},
    }


setuptools.setup = functools.partial(setuptools.setup, **settings())
