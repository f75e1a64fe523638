"""The build backend: setuptools, told which folder becomes which package.

The folders are cli/ and metrics/; those names are too common to install, so they become scoresheet.cli and
scoresheet.metrics, and cli/package becomes scoresheet itself. setuptools finds packages under their folders' names
only, so what it finds is renamed here; a new folder needs no line anywhere.
"""

import functools

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

_ITSELF = "cli.package"  # what `import scoresheet` finds


def packages() -> list[str]:
    """Return the names under which the folders of code are installed."""
    found = setuptools.find_packages(include=["cli", "cli.*", "metrics", "metrics.*"])
    return ["scoresheet", *(f"scoresheet.{name}" for name in sorted(found) if name != _ITSELF)]


setuptools.setup = functools.partial(
    setuptools.setup,
    packages=packages(),
    package_dir={"scoresheet": "cli/package", "scoresheet.cli": "cli", "scoresheet.metrics": "metrics"},
)
