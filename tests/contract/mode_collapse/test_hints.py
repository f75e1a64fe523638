"""Every hint of `mode-collapse` works: a run says what to do, the test does it, and the run goes through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.helpers.files import Rows, write_book, write_csv
from tests.helpers.mode_collapse import CITIES, TREE, Study, roots

Change = Callable[[Study], object]

SAID: list[tuple[object, ...]] = [("answer",), *[("I would go to Rome",)] * 6, *[("Oslo!",)] * 3]
BARE: list[tuple[object, ...]] = [("answer",), *[("Rome",)] * 6, *[("Oslo",)] * 3]
LISTED = ",".join(CITIES)
WALKS: list[tuple[object, ...]] = [("country", "act"), *[("Rome", "food")] * 6, *[("Oslo", "walk")] * 5]
SHARES: list[tuple[object, ...]] = [("level", "option", "share"), (0, "Rome", 1), (0, "Paris", 1)]
PARENTS: list[tuple[object, ...]] = [
    ("parent", "choice"),
    ("", "Rome"),
    ("", "Rome"),
    ("", "Oslo"),
    ("Rome", "food"),
    ("Rome", "walk"),
]


def model(rows: Rows) -> Change:
    return lambda study: study.model(rows)


def options(rows: Rows = TREE) -> Change:
    return lambda study: study.options(rows)


def listed(study: Study) -> None:
    (study.root / "options.txt").write_text("\n".join(CITIES), "utf-8")


def target(study: Study) -> None:
    write_csv(study.root / "target.csv", SHARES)


@dataclass(frozen=True)
class Case:
    """What is there, what is run, what is said; then what is changed and run instead."""

    before: tuple[Change, ...]
    words: tuple[str, ...]
    hint: str
    code: int
    after: tuple[Change, ...] = ()
    instead: tuple[str, ...] = ()
    table: str = ""
    then: str = ""
    gone: str = ""  # the kind of problem that must be gone then


CASES = {
    "free text: list the options": Case((model(SAID),), (), "--options A,B,C", 4, (), ("--options", LISTED)),
    "free text: name a table": Case((model(SAID),), (), "CHOICE_TABLE", 4, (options(),), (), then="table"),
    "free text: name a list": Case((model(SAID),), (), "a list of them", 4, (listed,), (), then="options.txt"),
    "free text: name a list by the option": Case(
        (model(SAID),), (), "--options", 4, (listed,), ("--options", "options.txt")
    ),
    "bare choices": Case((model(BARE),), (), "--column choice=answer", 4, (), ("--column", "choice=answer")),
    "bare choices called response": Case(
        (model([("response",), *BARE[1:]]),), (), "--column choice=response", 4, (), ("--column", "choice=response")
    ),
    "no choice": Case(
        (model([("level", "pick"), (0, "Rome"), (0, "Oslo")]),),
        (),
        "--column choice=HEADER",
        4,
        (),
        ("--column", "choice=pick"),
    ),
    "no free text": Case(
        (model([("level", "said"), (0, "Rome it is"), (0, "Oslo")]), options()),
        (),
        "--column response=HEADER",
        4,
        (),
        ("--column", "response=said"),
        table="table",
        then="table",
    ),
    "a sheet of notes": Case(
        (
            lambda study: write_book(
                study.outs / "m.xlsx",
                {"q": roots(["Rome", "Oslo"]), "my notes": [["what", "when"], ["greedy", "March"]]},
            ),
        ),
        (),
        "--skip-sheet 'my notes'",
        3,
        (),
        ("--skip-sheet", "my notes"),
    ),
    "no level": Case(
        (model([("depth", "parent", "choice"), (0, "", "Rome"), (0, "", "Oslo"), (1, "Rome", "food")]),),
        (),
        "--column level=HEADER",
        0,
        (),
        ("--column", "level=depth"),
        gone="no-level",
    ),
    "parents and no level: add one": Case(
        (model(PARENTS),),
        (),
        "add one",
        0,
        (model([("level", *PARENTS[0]), *((bool(row[0]) + 0, *row) for row in PARENTS[1:])]),),
        gone="unknown-parent",
    ),
    "parents and no level: take the parents out": Case(
        (model(PARENTS),), (), "take the parents out", 0, (model([row[1:] for row in PARENTS]),), gone="unknown-parent"
    ),
    "below the root without a parent": Case(
        (model([("level", "choice"), (0, "Rome"), (0, "Oslo"), (1, "Rome")]), options([*TREE, (1, "Rome")])),
        (),
        "put it at level 0",
        0,
        (model([("level", "choice"), (0, "Rome"), (0, "Oslo"), (0, "Rome")]),),
        table="table",
        then="table",
        gone="empty-key",
    ),
    "a walk: correct the name": Case(
        (model(WALKS),), ("--tree", "county,act"), "correct the name", 4, (), ("--tree", "country,act")
    ),
    "a walk: name the row of its header": Case(
        (lambda study: write_book(study.outs / "m.xlsx", {"Sheet1": [*[["a remark", "or two"]] * 21, *WALKS]}),),
        ("--tree", "country,act"),
        "--header-row N",
        4,
        (),
        ("--tree", "country,act", "--header-row", "22"),
    ),
    "a walk beside a level": Case(
        (model([("level", "choice", "act"), (0, "Rome", "x"), (0, "Oslo", "y")]),),
        ("--tree", "choice,act"),
        "leave out --tree",
        4,
    ),
    "a walk beside corrections": Case(
        (model([("country", "act", "corrected_category"), ("Rome", "food", "Oslo"), ("Oslo", "food", "")]),),
        ("--tree", "country,act"),
        "take the column out",
        4,
        (model([("country", "act"), ("Oslo", "food"), ("Rome", "food")]),),
        ("--tree", "country,act"),
    ),
    "a walk beside marks": Case(
        (model([("country", "act", "is_flagged"), ("Rome", "food", "1"), ("Oslo", "food", "")]),),
        ("--tree", "country,act"),
        "take the column out",
        4,
        (model([("country", "act"), ("Oslo", "food"), ("Rome", "food")]),),
        ("--tree", "country,act"),
    ),
    "a walk with a column twice": Case(
        (model(WALKS),), ("--tree", "act,act"), "name each column once", 2, (), ("--tree", "country,act")
    ),
    "questions that were not kept apart": Case(
        (model([("prompt_id", "choice"), *((q, c) for q in "ab" for c in ("Rome", "Rome", "Oslo"))]),),
        (),
        "--sheet-column prompt_id makes each a sheet",
        0,
        (),
        ("--sheet-column", "prompt_id"),
        gone="not-separated",
    ),
    "numbers that may be counts": Case(
        (model([("choice", "n"), ("Rome", 5), ("Oslo", 2), ("Rome", 4), ("Oslo", 3)]),),
        (),
        "--column count=n counts them",
        0,
        (),
        ("--column", "count=n"),
        gone="not-counted",
    ),
    "one option in line": Case(
        (model(SAID),),
        ("--options", "Rome"),
        "two options or more, joined by commas",
        2,
        (),
        ("--options", "Rome,Oslo"),
    ),
    "options in line and in a table": Case(
        (model(SAID), options()), ("--options", LISTED), "leave one of them out", 2, (), (), "table", "table"
    ),
    "two tables of options": Case(
        (model(SAID), options(), listed),
        ("--options", "options.txt"),
        "leave out --options",
        2,
        (),
        (),
        "table",
        "table",
    ),
    "no regular expression": Case(
        (model(SAID),),
        ("--options", LISTED, "--extract", "("),
        "'Answer: (.*)'",
        2,
        (model([("answer",), *[("Answer: Rome",)] * 3, ("Paris? Answer: Oslo",)]),),
        ("--options", LISTED, "--extract", "Answer: (.*)"),
    ),
    "no regular expression: the last": Case(
        (model(SAID),),
        ("--options", LISTED, "--extract", "("),
        "--extract last",
        2,
        (),
        ("--options", LISTED, "--extract", "last"),
    ),
    "observed beside a table": Case(
        (model(SAID), options()), ("--observed", "sheet"), "leave it or CHOICE_TABLE out", 2, (), (), "table", "table"
    ),
    "observed beside options": Case(
        (model(SAID),),
        ("--options", LISTED, "--observed", "sheet"),
        "leave it or --options out",
        2,
        (),
        ("--options", LISTED),
    ),
    "fuzzy without options": Case(
        (model(roots(["Rome", "Osloo"])),),
        ("--fuzzy", "80"),
        "--options A,B,C",
        2,
        (),
        ("--fuzzy", "80", "--options", LISTED),
    ),
    "a target without options": Case(
        (model(roots(["Rome", "Paris"])), target),
        ("--target", "target.csv"),
        "--options A,B,C",
        2,
        (),
        ("--target", "target.csv", "--options", "Rome,Paris"),
    ),
    "power reads nothing": Case((), ("--power", "--tree", "a,b"), "leave out --tree", 2),
    "options declare no level below": Case(
        (model(roots(["Rome", "Atlantis"])), options()),
        (),
        "add it to the table",
        0,
        (options([*TREE, (0, "Atlantis")]),),
        table="table",
        then="table",
        gone="unknown-option",
    ),
    "Sheet and question": Case(
        (model([("Sheet", "question", "choice"), ("a", "q", "Rome"), ("b", "q", "Oslo")]),),
        (),
        "--sheet-column Sheet",
        4,
        (),
        ("--sheet-column", "Sheet"),
    ),
    "a list without a header: write one": Case(
        (model(SAID), options([("Rome",), ("Oslo",), ("Paris",)])),
        (),
        "write a line option above it",
        0,
        (options([("option",), ("Rome",), ("Oslo",), ("Paris",)]),),
        (),
        "table",
        "table",
        "unknown-option",
    ),
    "a list without a header: save it as text": Case(
        (model(SAID), options([("Rome",), ("Oslo",), ("Paris",)])),
        (),
        "save the list as .txt",
        0,
        (listed,),
        (),
        "table",
        "options.txt",
        "unknown-option",
    ),
    "a sheet that is nearly a question": Case(
        (
            lambda study: write_book(study.outs / "m.xlsx", {"retire": roots(["Rome", "Oslo"])}),
            lambda study: write_book(
                study.root / "table" / "options.xlsx",
                {"retired": [("option",), ("Rome",), ("Oslo",)], "food": [("option",), ("tea",), ("rice",)]},
            ),
        ),
        (),
        "did you mean 'retired'",
        4,
        (lambda study: write_book(study.outs / "m.xlsx", {"retired": roots(["Rome", "Oslo"])}),),
        (),
        "table",
        "table",
        "unknown-question",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_who_does_what_a_hint_says_gets_through(study: Study, case: Case) -> None:
    for change in case.before:
        change(study)
    if "--power" in case.words:
        refused = study.run("mode-collapse", *case.words)
        assert (refused.code, case.hint in refused.err) == (2, True)
        assert study.run("mode-collapse", "--power").code == 0
        return
    refused = study.tables("-v", *case.words, table=case.table, res="before")
    assert refused.code == case.code, refused.err
    assert case.hint in refused.err
    for change in case.after:
        change(study)
    done = study.tables(*case.instead, table=case.then)
    assert done.code == 0, done.err
    assert study.results()["m"]["Gini"]
    kinds = {line["kind"] for line in study.problems()}
    assert not kinds & {case.gone, "missing-column", "needs-options", "ambiguous-column", "walk-and-rows"}
