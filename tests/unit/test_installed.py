"""What installed packages say of themselves is what the standard library says they do."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from scoresheet.metrics import installed


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    """What was found of other paths is forgotten, before and after."""
    for known in (installed.package_metadata, installed._folders):
        known.cache_clear()
    yield
    for known in (installed.package_metadata, installed._folders):
        known.cache_clear()


def package(folder: Path, name: str, version: str, file: str = "METADATA") -> None:
    folder.mkdir(parents=True)
    (folder / file).write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nVersion: a description\n")


def test_every_package_of_this_environment_is_found_as_the_standard_library_finds_it() -> None:
    names = {each.metadata["Name"] for each in importlib.metadata.distributions()}
    assert "scoresheet" in names
    for name in names:
        one = importlib.metadata.distribution(name)
        assert installed.version(name) == one.version
        assert installed.package_metadata(name).get("Requires-Dist", []) == (
            one.metadata.get_all("Requires-Dist") or []
        )


def test_names_are_spelled_in_several_ways_and_the_first_on_the_path_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path / "one/Some_pack.age-2.0.dist-info", "Some-pack.age", "2.0")
    package(tmp_path / "two/some_pack_age-1.0.dist-info", "some-pack-age", "1.0")
    package(tmp_path / "two/Old.egg-info", "Old", "0.5", "PKG-INFO")
    package(tmp_path / "two/Older-0.1-py3.11.egg-info", "Older", "0.1", "PKG-INFO")
    places = [str(tmp_path / "none"), str(tmp_path / "one"), str(tmp_path / "two")]
    monkeypatch.setattr(sys, "path", [*places, *sys.path])
    expected = {"some.pack-age": "2.0", "Some_Pack_Age": "2.0", "old": "0.5", "older": "0.1"}
    assert {name: installed.version(name) for name in expected} == expected
    assert {name: importlib.metadata.version(name) for name in expected} == expected


def test_a_package_in_an_archive_is_found_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed-3.0.dist-info/METADATA", "Name: packed\nVersion: 3.0\n\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "packed.zip")])
    assert installed.version("packed") == "3.0"
    assert installed.version("scoresheet") == importlib.metadata.version("scoresheet")


def test_of_one_that_is_not_installed_nothing_is_known() -> None:
    assert installed.package_metadata("no-such-package") == {}
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        installed.version("no-such-package")
