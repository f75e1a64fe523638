"""Names choose: columns that nobody named change nothing, whatever they hold."""

import random
import shlex

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoresheet.cli.input.frames import FileTables
from scoresheet.cli.input.grammar import (
    Said,
    filter_rows,
    join_names,
    parse_where,
    split_names,
    where_option,
)
from scoresheet.cli.input.mapping import Reading
from scoresheet.cli.input.tidy import load_table
from scoresheet.metrics.problem import Refusal
from scoresheet.metrics.role import Table, normal
from tests.input.conftest import FAMILIES, frame_of, rules_of, source_of, text_of

# Tables that are read without a problem: family, table, options.
VALID: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "sinfo": ("sinfo", "model idiom output gold; a x p q; a y r s; b x t q; b y u s", ()),
    "sinfo, wide": ("sinfo", "id m1 m2 gold; x p q r; y s t u", ("--column model=@header:m1,m2",)),
    "sinfo, asked": ("sinfo", "prompt_id prompt output gold; x p q r; y s t u", ()),
    "entropy": ("entropy", "model id text; a x p; a y q; b x r; b y p", ()),
    "mode-collapse": ("mode-collapse", "model answer; a tea; a tea; b tea; b milk", ()),
    "crosstab": (
        *("mode-collapse", "model tea milk Total; a 9 1 10; b 4 6 10"),
        ("--column choice=@header:tea,milk",),
    ),
    "walk": ("mode-collapse", "a b; x y; x z; w y", ("--column level=@header:a,b",)),
    "diversity": ("diversity", "qid docno rank score; u a 1 9; u b 2 8; v a 1 7; v c 2 6", ()),
    "disagree": ("disagree", "item judge score; x k 1; x l 2; y k 3; y l 5", ()),
    "disagree, wide": ("disagree", "item k l; x 1 1; y 1 2; z 3 2", ("--column judge=@header",)),
    "disagree, pattern": (
        *("disagree", "item a_k a_l b_k b_l; x 1 2 3 4; y 5 4 3 2"),
        ("--column 'score={model}_{judge}'",),
    ),
    "collective": (*("collective", "id label model pred; x p m p; x p n q; y q m p; y q n q", ()),),
    "scores": ("scores", "id acc; x 1; y 0; z 1", ()),
    "scores, runs": ("scores", "id acc seed; x 1 1; y 0 1; x 1 2; y 1 2", ("--column run=seed",)),
    "scores, path": ("scores", "id acc; x [1,2]; y [3,4]", ("--column score=acc.0",)),
}
CELLS = (
    st.integers(-5, 5000).map(str),
    st.sampled_from(["0.5", "0.25", "1"]),
    st.sampled_from(["red", "blue"]),
    st.sampled_from(["1", "2", "3", "4", "5"]),
    st.sampled_from(["p", "q", "x", "y", "tea", ""]),
    st.text("abcdefg ", min_size=12, max_size=40).map(lambda text: f"{text} and so on"),
    st.sampled_from(["[1, 2]", '["a"]', "[]"]),
    st.just(""),
)
HEADERS = st.one_of(
    st.text("abcgkmxyABC019_-. ,:{}@*'\"=<>", min_size=1, max_size=9),
    st.sampled_from(
        ["Total", "seed", "temperature", "confidence_2", "run", "cluster", "a_k", "c_d"]
    ),
)


def table_of(family: str) -> Table:
    return FAMILIES[family][0]


def read(family: str, frame: pd.DataFrame, options: tuple[str, ...]) -> Reading:
    content, rules = FileTables({"": frame}), rules_of(family, options, ())
    return load_table(table_of(family), source_of("table.csv"), content, "", rules)


def rows_of(loaded: Reading, family: str) -> list[tuple[str, ...]]:
    """Return the rows of a tidy table, in any order and with the columns sorted."""
    names = [*table_of(family).role_names, "part", "asked"]
    long = loaded.frame()[sorted(name for name in names if name in loaded.columns)]
    rows = [tuple(map(text_of, row)) for row in long.itertuples(index=False, name=None)]
    return sorted([tuple(long.columns), *rows])


def is_declared(family: str, header: str) -> bool:
    return any(role.takes(header) for role in table_of(family).roles)


@st.composite
def with_junk(draw: st.DrawFn) -> tuple[str, pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """Return a family, a valid table, the same with columns of any content, and options."""
    family, text, options = draw(st.sampled_from(list(VALID.values())))
    frame = frame_of(text)
    wider = frame.copy()
    for _ in range(draw(st.integers(1, 3))):
        header = draw(HEADERS).strip()
        taken = {normal(name) for name in wider.columns}
        assume(header and not is_declared(family, header) and normal(header) not in taken)
        cells = draw(
            st.lists(draw(st.sampled_from(CELLS)), min_size=len(frame), max_size=len(frame))
        )
        wider.insert(draw(st.integers(0, len(wider.columns))), header, cells)
    return family, frame, wider, options


@given(with_junk())
def test_columns_that_are_not_named_change_nothing_or_are_refused(
    case: tuple[str, pd.DataFrame, pd.DataFrame, tuple[str, ...]],
) -> None:
    family, frame, wider, options = case
    try:
        loaded = read(family, wider, options)
    except Refusal:
        return
    used = {header for filling in loaded.mapping.fillings for header in filling.headers}
    if used <= set(frame.columns):
        assert rows_of(loaded, family) == rows_of(read(family, frame, options), family)
        assert set(wider.columns) - set(frame.columns) <= set(loaded.mapping.unused)
    else:  # only headers that --column speaks of, and the line names them
        assert "{" in str(options) or options == ("--column judge=@header",)
        line = " · ".join(loaded.mapping.phrases())
        assert all(header in line for header in used)


@given(st.sampled_from(list(VALID.values())), st.integers(0, 10**6))
def test_the_order_of_columns_and_rows_changes_nothing(
    case: tuple[str, str, tuple[str, ...]], seed: int
) -> None:
    family, text, options = case
    frame = frame_of(text)
    columns = random.Random(seed).sample(list(frame.columns), len(frame.columns))
    shuffled = frame[columns].sample(frac=1, random_state=seed)
    expected = rows_of(read(family, frame, options), family)
    assert rows_of(read(family, shuffled, options), family) == expected


@given(with_junk())
def test_a_mapping_that_is_typed_in_full_reads_the_same_table(
    case: tuple[str, pd.DataFrame, pd.DataFrame, tuple[str, ...]],
) -> None:
    family, _, frame, options = case
    try:
        first = read(family, frame, options)
    except Refusal:
        return
    table = table_of(family)
    sources = [(f.role, source) for f in first.mapping.fillings if (source := f.typed())]
    sources += [("ignore", join_names([header])) for header in first.mapping.unused]
    again = read(family, frame, tuple(Said(table.name, *pair).option for pair in sources))
    assert rows_of(again, family) == rows_of(first, family)
    assert not again.mapping.strict_notes()


@given(st.lists(st.text("ab ,*{}.'", min_size=1).map(str.strip).filter(bool), min_size=1))
def test_names_are_read_back_from_a_list(names: list[str]) -> None:
    assert split_names(join_names(names)) == names


@given(
    st.text("ab =<>'", min_size=1).map(str.strip).filter(bool), st.text("and =<>1'").map(str.strip)
)
def test_a_printed_where_finds_its_row(column: str, value: str) -> None:
    frame = pd.DataFrame({column: [value, f"{value}x", "0"]}, dtype=object)
    option, text = shlex.split(where_option(column, "==", value))
    kept = filter_rows(frame, parse_where(text))
    assert option == "--where"
    assert value in kept[column].tolist()
    assert f"{value}x" not in kept[column].tolist()


@pytest.mark.parametrize("table", [table for tables in FAMILIES.values() for table in tables])
def test_no_word_belongs_to_two_roles_of_a_table(table: Table) -> None:
    words = [
        word
        for role in table.roles
        for word in {*map(normal, (role.own_name * role.name, *role.words, *role.seed))} - {""}
    ]
    assert len(set(words)) == len(words)
