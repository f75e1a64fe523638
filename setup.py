"""What pyproject.toml cannot say: the description for a package index, where relative links lead nowhere.

With SCORESHEET_REPOSITORY set to the repository's address, the README's links point to the files of this release there,
and the address is in the metadata. Without it we know of none, and a link becomes its text and the path of the file.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).parent
RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:|#)([^)]+)\)")
IN_THE_ARCHIVE = "Paths such as `docs/quick-start.md` are files of the source archive.\n"


def description(readme: str, repository: str, version: str) -> str:
    """Return the README with no link that is relative to the repository."""
    if repository:
        return RELATIVE_LINK.sub(rf"[\1]({repository}/blob/v{version}/\2)", readme)
    return RELATIVE_LINK.sub(r"\1 (`\2`)", readme) + "\n" + IN_THE_ARCHIVE


if __name__ == "__main__":
    version = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    repository = os.environ.get("SCORESHEET_REPOSITORY", "").rstrip("/")
    setup(
        long_description=description((HERE / "README.md").read_text(encoding="utf-8"), repository, version),
        long_description_content_type="text/markdown",
        project_urls={
            "Repository": repository,
            "Changelog": f"{repository}/blob/v{version}/CHANGELOG.md",
            "Issues": f"{repository}/issues",
        }
        if repository
        else {},
    )
