"""cite: the paper of a measure, and of scoresheet."""

import re
import tomllib
from pathlib import Path

import pytest

from scoresheet.cli.registry import family_entries, load_family

from .conftest import Study


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        ("P_ROUGE", "P_ROUGE: the share of the prediction's words"),
        ("rouge-l precision", "@inproceedings{lin2004,"),
        ("alpha_nDCG@10", "@inproceedings{clarke2008,"),
        ("α-nDCG", "Clarke 2008"),
        ("BP", "BP: 1 where the answer is longer"),
        ("", "@software{scoresheet,"),
    ],
)
def test_a_measure_is_cited_by_name_or_label(study: Study, measure: str, says: str) -> None:
    result = study.run("cite", *([measure] if measure else []))
    assert (result.code, says in result.out) == (0, True), result.out


def test_a_name_in_two_families_gives_both(study: Study) -> None:
    assert study.run("cite", "gini").out.count("Gini: ") == 2


def test_a_wrong_name_is_refused_with_the_nearest(study: Study) -> None:
    result = study.run("cite", "S_Inof")
    assert (result.code, "did you mean S_Info?" in result.text) == (2, True)


def test_the_tool_is_cited_with_its_version(study: Study) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert f"version = {{{project['project']['version']}}}" in study.run("cite").out


@pytest.mark.parametrize("family", family_entries())
def test_every_reference_has_its_paper(study: Study, family: str) -> None:
    for measure in load_family(family).measures:
        if measure.reference:
            out = study.run("cite", measure.name).out
            year = re.search(r"\d{4}", measure.reference)
            assert year, measure.reference
            assert f"year = {{{year[0]}}}" in out, measure.reference
            assert measure.reference.split()[0].strip(",") in out
