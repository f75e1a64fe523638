"""Which column is taken for the text and which for the id, and is it said where another could have been?"""

from __future__ import annotations

import re
import shlex
from itertools import pairwise

import pytest

from scoresheet.metrics.problems import InputError
from tests.helpers.parsing import Parsed, parsed

LOUD, QUIET = "several-candidates", "other-columns"
ORDER = ("id", "prompt_id", "item_id", "question_id", "item", "prompt", "question")


def hinted(found: Parsed) -> dict[str, str]:
    """What the one note tells to add to the command line."""
    (problem,) = found.problems
    said = re.search(r"--column ('[^']+'|\S+)", problem.message)
    assert said is not None
    name, _, header = shlex.split(said[1])[0].partition("=")
    return {name: header}


@pytest.mark.parametrize(("first", "second"), list(pairwise(ORDER)))
def test_of_two_columns_that_could_be_the_id_the_likelier_one_is_taken(first: str, second: str) -> None:
    rows = [(second, first, "completion"), ("a", "1", "one two"), ("a", "2", "three")]
    found = parsed("entropy", rows)
    assert list(found.sheet.ids) == ["1", "2"]
    assert [problem.effect for problem in found.problems] == ["note"]
    assert f"'{first}' was taken" in found.problems[0].message


def test_prompts_beside_their_ids_are_noted_without_alarm() -> None:
    rows = [("prompt_id", "prompt", "completion"), ("p1", "Why?", "one"), ("p1", "Why?", "two"), ("p2", "How?", "one")]
    found = parsed("entropy", rows)
    assert list(found.sheet.ids) == ["p1", "p1", "p2"]
    assert found.kinds == [QUIET]


@pytest.mark.parametrize("prompts", [("p1", "p1"), ("p1", "p2")])
def test_an_id_of_each_row_beside_that_of_its_prompt_is_said_aloud_and_the_hint_takes_the_other(
    prompts: tuple[str, str],
) -> None:
    rows = [("id", "prompt_id", "text"), *((str(n), prompt, "one two") for n, prompt in enumerate(prompts))]
    found = parsed("entropy", rows)
    assert (found.kinds, list(found.sheet.ids)) == ([LOUD], ["0", "1"])
    other = parsed("entropy", rows, columns=hinted(found))
    assert (other.kinds, tuple(other.sheet.ids)) == ([], prompts)


def test_the_same_id_twice_is_nothing_to_shout_about() -> None:
    assert parsed("entropy", [("id", "prompt_id", "text"), ("1", "1 ", "one"), ("2", "2", "two")]).kinds == [QUIET]


def test_two_spellings_of_the_id_refuse_nothing() -> None:
    found = parsed("entropy", [("Id", "ID", "text"), ("a", "1", "one"), ("a", "2", "two")])
    assert (found.kinds, list(found.sheet.ids)) == ([LOUD], ["a", "a"])
    assert list(parsed("entropy", [("Id", "ID", "text"), ("a", "1", "one")], columns={"id": "ID"}).sheet.ids) == ["1"]


def test_a_text_beside_the_answer_is_said_aloud_and_the_hint_takes_the_answer() -> None:
    rows = [("text", "model_output"), ("the prompt", "what was answered")]
    found = parsed("entropy", rows)
    assert (found.kinds, list(found.sheet.texts)) == ([LOUD], ["the prompt"])
    other = parsed("entropy", rows, columns=hinted(found))
    assert (other.kinds, list(other.sheet.texts)) == ([], ["what was answered"])


def test_two_names_of_the_text_that_are_equally_good_refuse_the_sheet() -> None:
    with pytest.raises(InputError) as refused:
        parsed("entropy", [("answer", "completion"), ("one", "two")])
    assert refused.value.problem.kind == "ambiguous-column"


@pytest.mark.parametrize(
    "text",
    [
        '{"role": "user", "content": "one two"}',
        "[1, 2, 3]",
        "def f(x):\n    return x",
        "<p>one <b>two</b></p>",
        "=A1+B2",
    ],
)
def test_code_json_and_markup_are_texts(text: str) -> None:
    found = parsed("entropy", [("id", "text"), ("a", text)])
    assert (found.problems, list(found.sheet.texts)) == ([], [text])


@pytest.mark.parametrize(("key", "text"), [("Average", ""), ("Total:", "54.2"), ("Note: at T=0.7", ""), ("合计", "3")])
def test_a_row_that_sums_up_is_no_text(key: str, text: str) -> None:
    found = parsed("entropy", [("prompt", "response"), ("a", "one two"), (key, text)])
    assert (found.kinds, list(found.sheet.ids), found.sheet.rows) == (["summary-row"], ["a"], 1)


def test_an_answer_under_such_a_heading_is_a_text() -> None:
    found = parsed("entropy", [("prompt", "response"), ("total eclipse", ""), ("Total", "all of it")])
    assert (found.kinds, found.sheet.rows) == ([], 2)
