"""The public names of the core: each has a home, can be imported, and is documented as numpydoc has it."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
import textwrap
from dataclasses import fields, is_dataclass

import pytest

import scoresheet
import scoresheet.metrics
from scoresheet.metrics import permutation_test

CORE = sorted(scoresheet.metrics.__all__)
ALL = [*((scoresheet.metrics, name) for name in CORE), *((scoresheet, name) for name in sorted(scoresheet.__all__))]
CONSTANTS = {"DEFAULT_STRATEGIES"}
DOCUMENTED = [(home, name) for home, name in ALL if name not in CONSTANTS]
FUNCTIONS = [(home, name) for home, name in DOCUMENTED if inspect.isfunction(getattr(home, name))]
CLASSES = [(home, name) for home, name in DOCUMENTED if inspect.isclass(getattr(home, name))]


def _sections(text: str) -> dict[str, str]:
    """Return what stands under each underlined heading; a line under anything else is none of a docstring."""
    assert not re.search(r"^\S.*\S -{3,}", text, flags=re.MULTILINE)
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(text), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _names(section: str) -> list[str]:
    """Return the names that a section explains: the words before the colon of its flush lines."""
    found = re.findall(r"^(\*{0,2}\w+(?:, \w+)*)(?: :|$)", section, flags=re.MULTILINE)
    return [name.strip("*") for names in found for name in names.split(", ")]


def test_every_public_name_has_one_home_and_is_listed_in_order() -> None:
    homes = [name for names in scoresheet.metrics._HOMES.values() for name in names]
    assert sorted(homes) == CORE
    assert list(scoresheet.metrics._HOMES) == sorted(scoresheet.metrics._HOMES)
    assert set(scoresheet.__all__) == set(scoresheet._HOMES)
    assert set(dir(scoresheet)) >= {*CORE, *scoresheet.__all__, "__version__"}


@pytest.mark.parametrize("name", CORE)
def test_every_name_of_the_core_is_found_in_the_package_too(name: str) -> None:
    assert getattr(scoresheet, name) is getattr(scoresheet.metrics, name)


def test_a_name_that_nobody_has_is_an_attribute_error_that_names_it() -> None:
    for home in (scoresheet, scoresheet.metrics):
        with pytest.raises(AttributeError, match="no attribute 'mode'"):
            _ = home.mode


@pytest.mark.parametrize(("home", "name"), FUNCTIONS, ids=lambda part: part if isinstance(part, str) else "")
def test_every_public_function_is_documented_with_parameters_returns_raises_and_an_example(
    home: object, name: str
) -> None:
    function = getattr(home, name)
    text = inspect.getdoc(function) or ""
    first, sections = text.splitlines()[0], _sections(text)
    assert first.startswith("Return ")
    assert first.endswith(".")
    assert _names(sections["Parameters"]) == list(inspect.signature(function).parameters)
    assert sections["Returns"].strip()
    assert ">>> " in sections["Examples"]
    for line in (line for line in sections["Parameters"].splitlines() if line and not line.startswith(" ")):
        assert " : " in line or line.startswith("**"), f"{line} has no type"
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raising = any(isinstance(node, ast.Raise) for node in ast.walk(tree))
    checking = any(isinstance(node, ast.Name) and node.id == "check_choice" for node in ast.walk(tree))
    assert not (raising or checking) or "Raises" in sections


@pytest.mark.parametrize(("home", "name"), CLASSES, ids=lambda part: part if isinstance(part, str) else "")
def test_every_public_class_explains_every_field(home: object, name: str) -> None:
    known = getattr(home, name)
    if issubclass(known, Exception):
        assert inspect.getdoc(known)
        return
    sections = _sections(inspect.getdoc(known) or "")
    held = [field.name for field in fields(known)] if is_dataclass(known) else list(known._fields)
    explained = _names(sections.get("Attributes", "") or sections["Parameters"])
    assert explained == [name for name in held if not name.startswith("_")]


@pytest.mark.parametrize("name", scoresheet.__all__)
def test_the_examples_of_the_package_are_true(name: str) -> None:
    known = getattr(scoresheet, name)
    module = importlib.import_module(known.__module__)
    for example in doctest.DocTestFinder().find(known, name, globs=vars(module).copy()):
        assert not doctest.DocTestRunner().run(example).failed


def test_importing_the_package_loads_neither_pandas_nor_numpy() -> None:
    code = (
        "import sys, scoresheet; early = {'numpy', 'pandas'} & set(sys.modules); "
        "scoresheet.__version__; dir(scoresheet); scoresheet.metrics; early |= {'numpy', 'pandas'} & set(sys.modules); "
        "scoresheet.holm([0.01]); early |= {'pandas'} & set(sys.modules); print(sorted(early))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_permutation_test_is_the_same_whoever_comes_first() -> None:
    one, other = permutation_test([20, 1, 1], [9, 8, 7]), permutation_test([9, 8, 7], [20, 1, 1])
    assert one.distance == other.distance
    assert one.difference == -other.difference
    assert one.p_distance == pytest.approx(other.p_distance, abs=0.01)


def test_a_permutation_test_of_two_who_choose_alike_shows_nothing() -> None:
    test = permutation_test([5, 4, 3], [5, 4, 3])
    assert (test.distance, test.difference, test.p_distance) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(("ours", "theirs"), [([3], [4]), ([0, 0], [1, 2]), ([1, 2], [0, 0])])
def test_a_permutation_test_with_nothing_to_compare_is_undefined(ours: list[int], theirs: list[int]) -> None:
    assert all(value != value for value in permutation_test(ours, theirs))  # noqa: PLR0124 - NaN alone differs from itself


@pytest.mark.parametrize(
    ("ours", "theirs", "why"),
    [
        ([1, 2], [1, 2, 3], "over the same options, not over 2 and 3"),
        ([[1, 2]], [[1, 2]], "one dimension"),
        ([1, -2], [1, 2], "whole numbers from 0 on"),
        ([1, 2], [0.5, 2], "whole numbers from 0 on"),
        ([1, 2], [1, float("nan")], "whole numbers from 0 on"),
        (["1", "2"], [1, 2], "whole numbers from 0 on"),
    ],
)
def test_a_permutation_test_says_what_is_wrong_with_the_counts(ours: list[int], theirs: list[int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        permutation_test(ours, theirs)
