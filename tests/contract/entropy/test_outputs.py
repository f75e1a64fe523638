"""What is in the reports of `entropy`, and are the numbers those that a person would work out?"""

from __future__ import annotations

import json
import math
import re
import statistics
import zipfile
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pytest
from openpyxl.utils import get_column_letter

from tests.helpers.entropy import (
    ALPHABET,
    FOX,
    LABELS,
    MEASURES,
    NOT_SCORED,
    TEXTS,
    Numbers,
    Row,
    Study,
    alike,
    alone,
    babble,
    chunks,
    corpus,
    mean,
    measures,
    read,
    sparse,
)
from tests.helpers.files import digests, header, read_csv, sheet_names, sheet_rows, sheet_text, write_book
from tests.helpers.json_values import leaves, refuse
from tests.helpers.studies import paged

pytestmark = pytest.mark.filterwarnings(
    "ignore:Sparkline Group extension",  # openpyxl does not read them
    "ignore:open_binary is deprecated",  # the vocabularies, when they are opened
)
RESULTS = "entropy_results.xlsx"
WINDOW = 10  # of the five models, whose texts are short
SHEET_MEANS = (
    *(
        "Entropy_At_Length",
        "Word_Entropy",
        "Vocab_Diversity",
        "Quality_Ratio",
        "Semantic_Diversity",
        "Semantic_Entropy",
    ),
    *("Bigram_Entropy", "Trigram_Entropy", "Unique_Ratio", "Words"),
)
MODEL_COLUMNS = [
    *("Entropy_At_Length", "CI_Low", "CI_High", "CI_Note", "Word_Entropy", "Vocab_Diversity", "Quality_Ratio"),
    *("Semantic_Diversity", "Repetitive", "Repetitive_CI_Low", "Repetitive_CI_High", "Repetition"),
    *("Distinct_2", "Self_Repetition", "Pairwise_Similarity", "Vendi", "Compression_Ratio"),
    *("Semantic_Entropy", "Bigram_Entropy", "Trigram_Entropy", "Unique_Ratio", "Words", "Distinct_1", "Distinct_3"),
    *("At_Length_Texts", "Semantic_Texts", "Bigram_Texts", "Trigram_Texts", "Self_Repetition_Texts", "Vendi_Texts"),
]
COUNTS = ["Rows", "Scored", "Coverage"]
RESULTS_COLUMNS = ["Model Name", *MODEL_COLUMNS, "Rank", "Shared", "On_Shared", *COUNTS, "Status"]
IN_WORDS = ("Model Name", "CI_Note", "Repetition", "Status")
DETAIL_COLUMNS = ["Sheet", "Row", "Id", *MEASURES]
COMPARED = (
    *("Entropy_At_Length", "Word_Entropy", "Bigram_Entropy", "Vocab_Diversity"),
    *("Semantic_Entropy", "Semantic_Diversity", "Quality_Ratio", "Repetitive"),
)
SIDE_COLUMNS = ["Model", "Other_Model", "Measure", "Mean", "Other_Mean", "Difference", "Ratio", "Entropy_Similarity"]
PAIRED = ("Difference", "CI_Low", "CI_High", "P_Value", "P_Holm")

# a, b and c answer the same prompts; d has no ids; e has two sheets and ids of its own
MODELS: dict[str, dict[str, str]] = {
    "a": {f"p{i}": babble(i, 12 + 5 * i) for i in range(6)},
    "b": {f"p{i}": babble(10 + i, 12 + 5 * i, 6) for i in range(6)},
    "c": {f"p{i}": babble(20 + i, 9 + 4 * i, 9) for i in (4, 3, 2, 1, 0, 9)},
}
NAMELESS = ["Red fox. Sea sky.", "", "red fox den oak sea", "red fox den oak moon"]
BOOK: dict[str, dict[str, str]] = {
    "it's me": {"x1": FOX, "x2": babble(30, 60), "x3": "!!", "x4": babble(31, 25), "x5": babble(32, 100)},
    "Two, too": {"y1": babble(33, 45), "y2": "red fox"},
}


def five_models(study: Study) -> None:
    """The models above."""
    for name, texts in MODELS.items():
        study.texts(texts, name)
    study.table([("nr", "text"), *enumerate(NAMELESS)], "d")
    sheets: dict[str, list[Row]] = {name: [("id", "text"), *texts.items()] for name, texts in BOOK.items()}
    write_book(study.outs / "e.xlsx", sheets)


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The models above, scored once."""
    study = alone(tmp_path_factory, "five")
    five_models(study)
    ended = study.score("--window", str(WINDOW))
    assert ended.code == 0, ended.err
    return study


def sheets_of(model: str) -> list[list[str]]:
    """The texts of each sheet of a model, those without words left out."""
    if model == "e":
        return [[text for text in sheet.values() if text != "!!"] for sheet in BOOK.values()]
    return [[text for text in NAMELESS if text] if model == "d" else list(MODELS[model].values())]


def sheet_line(texts: Sequence[str]) -> Numbers:
    """The measures of a sheet."""
    lines = [measures(text, WINDOW) for text in texts]
    means: Numbers = {name: mean(lines, name) for name in SHEET_MEANS}
    return {**means, "Repetitive": statistics.fmean(line["Repetitive"] == "yes" for line in lines), **corpus(texts)}


def model_line(model: str) -> Numbers:
    """The measures of a model: the means of its sheets."""
    lines = [sheet_line(texts) for texts in sheets_of(model)]
    return {name: mean(lines, name) for name in lines[0]}


def number(value: object) -> float:
    """A cell that must hold a number."""
    assert isinstance(value, int | float)
    return float(value)


# --- files, columns and pages -----------------------------------------------------------------------------------------


def test_a_run_writes_these_files_and_no_others(five: Study) -> None:
    names = {path.name for path in five.res.iterdir() if path.is_file()} - {".scoresheet.lock"}
    reports = {f"{model}_entropy.{kind}" for model in "abcde" for kind in ("csv", "xlsx")}
    tables = {"entropy_results.csv", "comparisons.csv", RESULTS, "problems.csv"}
    assert names == reports | tables | {"metrics.json", "manifest.json"}


def test_the_tables_have_these_columns_in_this_order(five: Study) -> None:
    assert header(five.res / "entropy_results.csv") == RESULTS_COLUMNS
    assert sorted(map(str, sheet_rows(five.res / RESULTS, "Summary")[0])) == sorted(RESULTS_COLUMNS)
    assert sheet_rows(five.res / RESULTS, "Side by side")[0] == SIDE_COLUMNS
    for model in "abcde":
        assert header(five.res / f"{model}_entropy.csv") == DETAIL_COLUMNS
    head = sheet_rows(five.workbook("e"), "Summary")[0]
    assert head == ["Sheet", *MODEL_COLUMNS, *COUNTS]


def test_the_workbooks_have_these_pages(five: Study) -> None:
    assert sheet_names(five.workbook("a")) == ["Summary", "Sheet1", "Problems", "About"]
    assert sheet_names(five.workbook("e")) == ["Summary", *BOOK, "Problems", "About"]
    assert sheet_names(five.res / RESULTS) == ["Summary", "Comparison", "Side by side", "Problems", "About"]


def columns(page: Sequence[Mapping[str, object]]) -> tuple[set[str], list[str]]:
    """What a page has between Id and Text and Problem, in any order, and what it has after them."""
    first, second, *rest = page[0]
    assert (first, second) == ("Id", "Text")
    end = rest.index("Problem")
    assert len(set(rest)) == len(rest)
    return set(rest[:end]), rest[end + 1 :]


def test_a_page_of_a_sheet_shows_each_text_with_its_measures(five: Study) -> None:
    for sheet, texts in BOOK.items():
        page, lines = five.page(sheet, "e"), [line for line in five.lines("e") if line["Sheet"] == sheet]
        most = max(len(chunks(text)) for part in BOOK.values() for text in part.values())
        assert columns(page) == ({*MEASURES, "Local_Entropy", "Repeated"}, [f"Local_{i + 1}" for i in range(most)])
        assert [(row["Id"], row["Text"]) for row in page] == list(texts.items())
        for row, line in zip(page, lines, strict=True):
            shown = read(line)
            for name in MEASURES:
                wanted = shown[name] or None if name in LABELS else shown[name]
                assert row[name] == (pytest.approx(wanted, rel=1e-12) if isinstance(wanted, float) else wanted), name


def test_only_a_row_without_a_score_has_a_problem(five: Study) -> None:
    problems = {row["Id"]: row["Problem"] for row in five.page("it's me", "e") if row["Problem"]}
    assert list(problems) == ["x3"]
    assert "no words" in str(problems["x3"])
    line = next(line for line in five.page("Problems", "e") if line["kind"] == "empty-text")
    assert (line["sheet"], line["row"], line["kind"], line["effect"]) == ("it's me", 4, "empty-text", NOT_SCORED)


def test_texts_without_chunks_have_no_columns_for_them(five: Study) -> None:
    assert columns(five.page("Sheet1", "d")) == ({*MEASURES, "Repeated"}, [])


@pytest.mark.parametrize("model", "abcde")
def test_every_text_has_the_numbers_that_a_person_would_work_out(five: Study, model: str) -> None:
    texts = [text for sheet in sheets_of(model) for text in sheet]
    lines = [line for line in five.lines(model) if line["Words"]]
    assert all(alike(line, measures(text, WINDOW)) for line, text in zip(lines, texts, strict=True))


# --- the small lines and the chart ------------------------------------------------------------------------------------


def part(book: Path, name: str) -> ElementTree.Element:
    """One part of a workbook."""
    with zipfile.ZipFile(book) as parts:
        return ElementTree.fromstring(parts.read(name))


def sparklines(book: Path, sheet: str) -> dict[str, str]:
    """What each small line of a page is drawn from, by the cell it stands in."""
    tree = part(book, f"xl/worksheets/sheet{sheet_names(book).index(sheet) + 1}.xml")
    found = [list(line) for line in tree.iter() if line.tag.endswith("}sparkline")]
    return {str(cell.text): str(source.text) for source, cell in found}


@pytest.mark.parametrize("sheet", BOOK)
def test_a_text_with_two_chunks_or_more_has_a_small_line_drawn_from_its_own_row(five: Study, sheet: str) -> None:
    page = five.page(sheet, "e")
    head = list(page[0])
    letters = [get_column_letter(head.index(name) + 1) for name in ("Local_Entropy", "Local_1", head[-1])]
    quoted = "'" + sheet.replace("'", "''") + "'"
    wanted = {
        f"{letters[0]}{i}": f"{quoted}!{letters[1]}{i}:{letters[2]}{i}"
        for i, row in enumerate(page, 2)
        if len(chunks(BOOK[sheet][str(row["Id"])])) > 1
    }
    assert wanted
    assert sparklines(five.workbook("e"), sheet) == wanted


def test_the_chunks_stand_at_the_end_and_are_blank_beyond_those_of_a_text(five: Study) -> None:
    for sheet, texts in BOOK.items():
        for row in five.page(sheet, "e"):
            local = chunks(texts[str(row["Id"])])
            cells = [value for name, value in row.items() if re.fullmatch(r"Local_\d+", name)]
            assert cells[: len(local)] == pytest.approx(local)
            assert set(cells[len(local) :]) <= {None}


def test_a_page_has_at_most_twenty_chunks(study: Study) -> None:
    study.texts({"219": babble(1, 219), "5000": " ".join(ALPHABET * 250), "20": " ".join(ALPHABET)})
    assert study.score().code == 0
    page = study.page("Sheet1")
    assert list(page[0])[-1] == "Local_20"
    assert [sum(row[f"Local_{i}"] is not None for i in range(1, 21)) for row in page] == [
        len(chunks(text)) for text in (babble(1, 219), " ".join(ALPHABET * 250), " ".join(ALPHABET))
    ]


@pytest.mark.parametrize("model", ["a", "c", "e"])
def test_the_chart_of_a_summary_counts_every_text_that_fills_a_window_once(five: Study, model: str) -> None:
    book = five.workbook(model)
    relations = part(book, "xl/worksheets/_rels/sheet1.xml.rels")
    assert [True for relation in relations if str(relation.get("Type")).endswith("/drawing")] == [True]
    tree = part(book, "xl/charts/chart1.xml")
    caches = [
        [str(point[0].text) for point in cache.iter() if point.tag.endswith("}pt")]
        for cache in tree.iter()
        if cache.tag.endswith("Cache")
    ]
    bins, counts = caches[0], list(map(int, caches[1]))
    entropies = [measures(text, WINDOW)["Entropy_At_Length"] for sheet in sheets_of(model) for text in sheet]
    values = [number(value) for value in entropies if value is not None]
    assert sum(counts) == len(values)
    ends = [tuple(map(float, name.split("–"))) for name in bins]
    for (low, high), count in zip(ends, counts, strict=True):
        sure = sum(low + 1e-6 < value < high - 1e-6 for value in values)
        assert sure <= count <= sum(low - 1e-6 <= value <= high + 1e-6 for value in values)


def test_the_results_have_a_chart(five: Study) -> None:
    with zipfile.ZipFile(five.res / RESULTS) as book:
        assert "xl/charts/chart1.xml" in book.namelist()


# --- what a text repeats ----------------------------------------------------------------------------------------------

REPEATED = {
    FOX: None,
    "red fox sea red fox": "red fox × 2",
    "Red fox, RED fox! red (fox)": "red fox × 3",
    "one two three four, one two three five; red fox red fox red fox": "one two three × 2",
    "sea sky and red fox or red fox not sea sky but red fox": "red fox × 3",
    "sea sky and red fox or red fox not sea sky": "sea sky × 2",
    "the the the": None,
    "the the the the": "the the × 2",
    " ".join(ALPHABET[:10] * 2): f"{' '.join(ALPHABET[:8])} × 2",
    "it is a fact it is I fact": "it is fact × 2",  # one-letter words are none
    "我爱猫。你不是。我爱猫": "我爱猫 × 2",
    "red": None,
}


def test_the_repeated_phrase_is_the_longest_then_the_commonest_then_the_first(study: Study) -> None:
    study.texts(list(REPEATED))
    assert study.score().code == 0
    assert {row["Text"]: row["Repeated"] for row in study.page("Sheet1")} == REPEATED


# --- texts that are hostile to spreadsheets ---------------------------------------------------------------------------

HOSTILE = {
    "=1+1": "=1+1 yes yes",
    "+cmd": "+cmd|' /C calc'!A0",
    "@sum": "@SUM(1,2) here",
    "-5": "-5 is less",
    "link": "https://example.org/a?b=c mailto:me@example.org",
    "error": "#DIV/0!",
    "controls": "one\x01two\x00three\x1b[31m four\x7f",
    "surrogate": "broken \ud800 text. more \udfff words",
    "non-character": "odd \uffff\ufffe here",
    "escaped": "literal _x0041_ here",
    "long": "word " * 8_000,
    "emoji": "😀" * 20_000 + " smile",
    "huge words": " ".join(["x" * 20_000, "y" * 20_000] * 2),
    "spaces": "  red   fox  ",
    "breaks": "red\r\nfox\u2028den\tsea",
}
LIMIT = 32_767


@pytest.fixture(scope="module", params=["auto", "bpe"])
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Study]:
    """The texts above from JSON lines, by words and by tokens."""
    study = alone(tmp_path_factory, f"hostile_{request.param}")
    study.lines_of_json(HOSTILE)
    ended = study.score("--tokenizer", request.param)
    assert ended.code == 0, ended.err
    return request.param, study


def test_hostile_texts_are_shown_as_text_and_nothing_else(hostile: tuple[str, Study]) -> None:
    _, study = hostile
    book = openpyxl.load_workbook(study.workbook())
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert not [cell for cell in cells if cell.hyperlink and cell.hyperlink.target]
    assert max(len(str(cell.value).encode("utf-16-le")) // 2 for cell in cells) <= LIMIT
    book.close()
    for key in ("=1+1", "+cmd", "@sum", "-5", "link", "error"):
        assert HOSTILE[key] in {str(cell.value) for cell in cells}


def test_what_xml_cannot_hold_is_shown_escaped(hostile: tuple[str, Study]) -> None:
    _, study = hostile
    shown = {str(row["Text"]).partition(" ")[0]: str(row["Text"]) for row in study.page("Sheet1")}
    assert shown["broken"] == r"broken \ud800 text. more \udfff words"
    assert shown["odd"] == r"odd \uffff\ufffe here"
    assert any(r"one\x01two\x00three\x1b[31m" in text for text in shown.values())
    assert shown["literal"] == HOSTILE["escaped"]


def test_a_text_too_long_for_a_cell_is_cut_with_a_mark_and_scored_whole(hostile: tuple[str, Study]) -> None:
    name, study = hostile
    rows = {str(row["Id"]): row for row in study.page("Sheet1")}
    for key in ("long", "emoji", "huge words"):
        shown = str(rows[key]["Text"])
        kept = len(shown) - next(
            i for i in range(len(shown) + 1) if shown[: len(shown) - i] == HOSTILE[key][: len(shown) - i]
        )
        assert 10_000 < kept < len(shown)
        assert re.search(r"\d", shown[kept:])
    if name == "auto":
        assert study.line("long")["Words"] == "8000"
        assert study.line("emoji")["Words"] == "1"
        assert str(rows["long"]["Repeated"]) == "word word word word word word word word × 1000"


def test_hostile_texts_have_their_numbers_all_the_same(hostile: tuple[str, Study]) -> None:
    name, study = hostile
    lines = study.lines()
    assert [line["Row"] for line in lines] == [str(i) for i in range(1, len(HOSTILE) + 1)]
    assert all(line["Words"] for line in lines)
    if name == "auto":
        assert all(alike(line, measures(text)) for line, text in zip(lines, HOSTILE.values(), strict=True))


def test_an_id_that_would_run_has_an_apostrophe_unless_it_is_a_number_or_raw_is_asked_for(study: Study) -> None:
    ids = ["=1+1", "+cmd", "@sum", "-5", "plain"]
    study.texts(dict.fromkeys(ids, "red fox"))
    assert study.score().code == 0
    assert [line["Id"] for line in study.lines()] == ["'=1+1", "'+cmd", "'@sum", "-5", "plain"]
    assert study.score("--raw-csv").code == 0
    assert [line["Id"] for line in study.lines()] == ids


# --- sheets and models ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", "abcde")
def test_the_line_of_a_model_has_the_means_of_its_sheets(five: Study, model: str) -> None:
    line, wanted = five.results()[model], model_line(model)
    assert {name for name in wanted if line[name] == ""} == {name for name, v in wanted.items() if v is None}
    for name, value in wanted.items():
        if value is not None:
            assert float(line[name]) == pytest.approx(value, rel=1e-7), name
    if line["CI_Low"]:
        assert float(line["CI_Low"]) <= float(line["Entropy_At_Length"]) <= float(line["CI_High"])
    assert (line["CI_Low"] == "") == (line["CI_Note"] != "")


def test_an_interval_has_five_texts_or_a_note_that_says_why_there_is_none(five: Study) -> None:
    notes = {model: line["CI_Note"] for model, line in five.results().items()}
    few = "too few texts of 10 words for an interval: {}, at least 5 are needed"
    assert notes == {"a": "", "b": "", "c": "", "d": few.format(0), "e": few.format(4)}
    words = {model: line["Repetition"] for model, line in five.results().items()}
    assert words["d"] == "too few texts"
    assert {words[model] for model in "abce"} <= {"rare to frequent", "frequent"}


def test_rows_scored_and_coverage_count_texts(five: Study) -> None:
    counts = {model: (line["Rows"], line["Scored"], float(line["Coverage"])) for model, line in five.results().items()}
    six = ("6", "6", 1)
    assert counts == {"a": six, "b": six, "c": six, "d": ("4", "3", 0.75), "e": ("7", "6", pytest.approx(6 / 7))}
    assert {line["Status"] for line in five.results().values()} == {"ok"}


def test_the_summary_has_a_line_per_sheet_and_their_mean(five: Study) -> None:
    *lines, overall = five.page("Summary", "e")
    assert [line["Sheet"] for line in lines] == list(BOOK)
    for line, texts in zip(lines, sheets_of("e"), strict=True):
        for name, value in sheet_line(texts).items():
            assert line[name] == (None if value is None else pytest.approx(value, rel=1e-7)), name
        assert line["Vendi_Texts"] == len(texts)
    for name, value in model_line("e").items():
        assert overall[name] == (None if value is None else pytest.approx(value, rel=1e-7)), name


CORPORA: dict[str, list[str]] = {
    "same": [FOX] * 4,
    "strangers": ["red fox den oak", "sea sky moon star"],
    "single": [FOX],
    "words": ["red", "sea", "red"],
    "loop": ["red fox den oak red fox den oak", "red fox den oak", "red fox den sea", "ash elm"],
    "chinese": ["我爱猫我爱狗", "我爱猫", "你好"],
}


def test_the_texts_of_a_sheet_are_measured_together(study: Study) -> None:
    for name, texts in CORPORA.items():
        study.texts(texts, name)
    assert study.score().code == 0
    for name, texts in CORPORA.items():
        line, wanted = study.results()[name], corpus(texts)
        assert {key for key in wanted if line[key] == ""} == {key for key, v in wanted.items() if v is None}, name
        assert {k: float(line[k]) for k, v in wanted.items() if v is not None} == pytest.approx(
            {k: v for k, v in wanted.items() if v is not None}, rel=1e-7, abs=1e-9
        ), name
    same, single = study.results()["same"], study.results()["single"]
    assert (float(same["Self_Repetition"]), float(same["Vendi"])) == pytest.approx((1, 1))
    assert single["CI_Low"] == single["CI_High"] == single["Vendi"] == single["Self_Repetition"] == ""


# --- models side by side ----------------------------------------------------------------------------------------------

Lines = dict[tuple[str, str, str], dict[str, object]]


def side_by_side(study: Study, page: str = "Side by side", res: str = "res") -> Lines:
    """The lines of a page of pairs by models and measure."""
    rows = paged(study.root / res / RESULTS, page)
    return {(str(row["Model"]), str(row["Other_Model"]), str(row["Measure"])): row for row in rows}


def comparisons(study: Study, res: str = "res") -> Lines:
    """The lines of the page of tests."""
    return side_by_side(study, "Comparison", res)


def similarity(one: Mapping[str, float | str | None], other: Mapping[str, float | str | None]) -> float:
    """Mean of min/max over word, semantic and vocabulary entropy and semantic diversity."""
    parts = []
    for name in ("Word_Entropy", "Semantic_Entropy", "Word_Entropy", "Semantic_Diversity"):
        if one[name] is not None and other[name] is not None:
            low, high = sorted((number(one[name]), number(other[name])))
            parts.append(low / high if high else 1)
    return statistics.fmean(parts)


def test_every_two_models_stand_side_by_side_in_every_compared_measure(five: Study) -> None:
    found = side_by_side(five)
    assert list(found) == [(*pair, name) for pair in combinations("abcde", 2) for name in COMPARED]
    for (one, other, name), line in found.items():
        ours, theirs = model_line(one), model_line(other)
        if ours[name] is None or theirs[name] is None:
            assert "d" in (one, other)
            assert (name, line["Difference"]) == ("Entropy_At_Length", None)
            continue
        first, second = number(ours[name]), number(theirs[name])
        seen = [line[key] for key in ("Mean", "Other_Mean", "Difference", "Entropy_Similarity")]
        assert seen == pytest.approx([first, second, first - second, similarity(ours, theirs)])
        assert line["Ratio"] == (pytest.approx(first / second) if second else None)


def differences(one: str, other: str, name: str) -> list[float]:
    """The differences over the ids that both have a value for."""
    shared = [key for key in MODELS[one] if key in MODELS[other]]
    pairs = [[measures(MODELS[model][key], WINDOW)[name] for model in (one, other)] for key in shared]
    values = [[float(cell == "yes") if isinstance(cell, str) else cell for cell in pair] for pair in pairs]
    return [number(x) - number(y) for x, y in values if x is not None and y is not None]


def chance(values: Sequence[float]) -> float:
    """How often the mean is at least as far from 0 if the signs are anything."""
    observed = abs(math.fsum(values)) - 1e-9
    flips = list(product((1, -1), repeat=len(values)))
    return sum(abs(math.fsum(s * v for s, v in zip(flip, values, strict=True))) >= observed for flip in flips) / len(
        flips
    )


def holm(chances: Sequence[float]) -> list[float]:
    """Holm's correction."""
    order = sorted(range(len(chances)), key=lambda i: chances[i])
    found, most = [0.0] * len(chances), 0.0
    for rank, i in enumerate(order):
        most = max(most, min(1, chances[i] * (len(chances) - rank)))
        found[i] = most
    return found


def test_models_with_ids_in_common_are_tested_pair_by_pair(five: Study) -> None:
    found, pairs = comparisons(five), list(combinations("abc", 2))
    for family in (COMPARED[:1], COMPARED[1:]):
        keys = [(*pair, name) for pair in pairs for name in family]
        values = [differences(*key) for key in keys]
        for key, shared, adjusted in zip(keys, values, holm([chance(v) for v in values]), strict=True):
            line = found[key]
            assert (line["Family"] == "headline") == (key[2] == "Entropy_At_Length")
            assert line["Shared"] == len(shared)
            assert line["Difference"] == pytest.approx(statistics.fmean(shared))
            if len(shared) >= 5:
                assert number(line["CI_Low"]) <= number(line["Difference"]) <= number(line["CI_High"])
                assert min(shared) - 1e-9 <= number(line["CI_Low"])
                assert number(line["CI_High"]) <= max(shared) + 1e-9
            assert line["P_Value"] == pytest.approx(chance(shared))
            assert line["P_Holm"] == pytest.approx(adjusted)


def test_models_without_ids_in_common_are_not_tested(five: Study) -> None:
    lines = [line for (one, other, _), line in comparisons(five).items() if {one, other} & {"d", "e"}]
    assert len(lines) == 7 * len(COMPARED)
    assert not [line for line in lines if {line[name] for name in PAIRED} != {None}]
    assert {line["Shared"] for line in lines} == {0}


def test_blank_ids_are_not_shared_and_an_id_in_several_rows_counts_once_by_its_mean(study: Study) -> None:
    study.table([("id", "text"), ("", "red fox"), ("p", "red fox den oak"), ("p", "red fox"), ("q", "red fox")], "m")
    study.table([("id", "text"), ("", "red"), ("p", "red"), ("q", "red red")], "n")
    assert study.score().code == 0
    line = comparisons(study)["m", "n", "Word_Entropy"]
    assert (line["Shared"], line["Difference"]) == (2, pytest.approx(statistics.fmean([1.5, 1])))


def test_two_zeros_are_alike_and_a_ratio_to_zero_is_undefined(study: Study) -> None:
    study.texts(["red fox"], "m")
    for name in ("y", "z"):
        study.texts(["red red"], name)
    study.texts(["Red red. Red."], "w")
    assert study.score().code == 0
    found = side_by_side(study)
    nil = found["y", "z", "Word_Entropy"]
    assert (nil["Mean"], nil["Other_Mean"], nil["Difference"], nil["Ratio"]) == (0, 0, 0, None)
    assert math.copysign(1, number(nil["Difference"])) == 1
    assert nil["Entropy_Similarity"] == 1
    assert (found["m", "z", "Word_Entropy"]["Ratio"], found["m", "z", "Word_Entropy"]["Entropy_Similarity"]) == (
        None,
        0,
    )
    one_sided = found["w", "y", "Semantic_Diversity"]
    assert (one_sided["Other_Mean"], one_sided["Difference"], one_sided["Ratio"]) == (None, None, None)
    assert one_sided["Entropy_Similarity"] == 1  # of the entropies of words alone


# --- for machines -----------------------------------------------------------------------------------------------------


def test_metrics_json_holds_the_numbers_of_the_table_and_those_of_the_sheets(five: Study) -> None:
    metrics = json.loads((five.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)
    assert set("abcde") <= set(metrics)
    assert {type(value) for model in "abcde" for value in leaves(metrics[model])} <= {int, float, str, type(None)}
    names = [name for name in MODEL_COLUMNS if name not in IN_WORDS]
    for model, line in five.results().items():
        assert {name: metrics[model][name] for name in names} == {k: float(line[k]) if line[k] else None for k in names}
    assert list(metrics["e"]["Sheets"]) == list(BOOK)
    for sheet, texts in zip(BOOK, sheets_of("e"), strict=True):
        for name, value in sheet_line(texts).items():
            assert metrics["e"]["Sheets"][sheet][name] == (None if value is None else pytest.approx(value, rel=1e-7)), (
                name
            )


def test_with_json_stdout_is_json_with_the_numbers_of_the_results_table(study: Study) -> None:
    study.texts([FOX, ""])
    ended = study.score("--json", "--strict")
    assert ended.code == 3  # a row that is not scored is a problem
    answer = json.loads(ended.out, parse_constant=refuse)
    (line,) = answer["models"]
    assert line["Word_Entropy"] == pytest.approx(measures(FOX)["Word_Entropy"])
    names = [name for name in RESULTS_COLUMNS if name not in IN_WORDS]
    wanted = {name: float(v) if (v := study.results()["m"][name]) else None for name in names}
    assert {name: line[name] for name in names} == wanted
    assert [problem["kind"] for problem in answer["problems"]] == ["empty-text", "short-text"]


def test_strict_has_nothing_to_say_of_blank_ids_or_undefined_measures(study: Study) -> None:
    study.table([("id", "text", "why"), ("", "red", "so"), ("", "sea", "")])
    ended = study.score("--strict")
    assert ended.code == 0, ended.err


def test_a_dry_run_writes_nothing_and_returns_what_the_run_would(study: Study) -> None:
    study.texts([FOX, ""])
    study.table([("id", "txt"), ("p", "red")], "near")
    ended = study.score("--dry-run")
    assert ended.code == 3
    assert "near.csv" in ended.err
    assert "would score 1 row" in ended.out
    assert not study.res.exists()


def test_a_limit_reads_the_first_rows_of_each_sheet(study: Study) -> None:
    five_models(study)
    assert study.score("--limit", "2", "--quiet").code == 0
    assert {model: line["Rows"] for model, line in study.results().items()} == dict.fromkeys("abcd", "2") | {"e": "4"}
    assert float(study.results()["d"]["Distinct_1"]) == 1
    wanted = [measures(text)["Word_Entropy"] for text in (MODELS["a"]["p0"], MODELS["a"]["p1"])]
    assert [float(line["Word_Entropy"]) for line in study.lines("a")] == pytest.approx(wanted)


def test_the_table_of_results_is_on_stdout_and_fits_a_terminal(study: Study) -> None:
    texts = [FOX, sparse(3, 3)]
    study.texts(texts)
    ended = study.score("--window", "6")
    assert "Entropy_At_Length" in ended.out
    assert f"{number(mean([measures(text, 6) for text in texts], 'Entropy_At_Length')):.3f}" in ended.out
    table = ended.out.partition("\n\n")[0]
    assert max(map(len, table.splitlines())) <= 120


def test_about_and_manifest_have_the_same_signature(five: Study) -> None:
    signature = str(json.loads((five.res / "manifest.json").read_text("utf-8"))["signature"])
    assert signature.startswith("entropy|tok:auto|vec:tfidf|def:offdiagonal|win:10|rep:runs|v:")
    assert signature in sheet_text(five.workbook("a"), "About")
    assert signature in sheet_text(five.res / RESULTS, "About")


def test_a_second_run_gives_the_same_bytes_and_the_default_seed_is_0(five: Study) -> None:
    ended = five.score("-j", "2", "--seed", "0", "--window", str(WINDOW), res="again")
    assert ended.code == 0
    first = digests(five.res)
    assert len(first) == 20
    assert digests(five.root / "again") == first


def test_a_seed_changes_intervals_and_nothing_else(five: Study) -> None:
    assert five.score("--seed", "1", "--window", str(WINDOW), res="other").code == 0
    drawn = {"CI_Low", "CI_High"}
    seeded = {line["Model Name"]: line for line in read_csv(five.root / "other" / "entropy_results.csv")}
    assert seeded.keys() == five.results().keys()
    for model, line in five.results().items():
        assert {name for name in line if line[name] != seeded[model][name]} <= drawn
    assert any(line["CI_Low"] != seeded[model]["CI_Low"] for model, line in five.results().items())
    first, second = comparisons(five), comparisons(five, "other")
    assert {name for key in first for name in first[key] if first[key][name] != second[key][name]} <= drawn
    for model in "abcde":
        assert (five.root / "other" / f"{model}_entropy.csv").read_bytes() == (
            five.res / f"{model}_entropy.csv"
        ).read_bytes()


def test_the_order_of_texts_changes_no_number_of_a_text(study: Study) -> None:
    study.texts(TEXTS)
    study.texts(dict(reversed(TEXTS.items())), "n")
    study.texts({key: TEXTS[key] for key in sorted(TEXTS, key=lambda key: (len(TEXTS[key]) % 7, key))}, "o")
    for i, key in enumerate(("600", "sentences")):
        study.texts({key: TEXTS[key]}, f"alone{i}")
    assert study.score().code == 0
    plain = {line["Id"]: read(line) for line in study.lines()}
    for model in ("n", "o", "alone0", "alone1"):
        for line in study.lines(model):
            # the order in which a sum is taken may show in its last digit
            for name, value in read(line).items():
                wanted = plain[line["Id"]][name]
                assert value == (pytest.approx(wanted, rel=1e-12) if isinstance(wanted, float) else wanted), name
    assert [len(study.lines(model)) for model in "mno"] == [len(TEXTS)] * 3
    first, second = study.results()["m"], study.results()["n"]
    apart = {*IN_WORDS, "CI_Low", "CI_High", "Compression_Ratio", "Rank"}
    for name in set(RESULTS_COLUMNS) - apart:
        assert float(first[name]) == pytest.approx(float(second[name]), rel=1e-9), name
