"""Free text mapped to an option, worked by hand: exact, then alias, then the only mention, then fuzzy if asked for."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.metrics import match_option
from tests.helpers.soak import examples

Options = Sequence[str] | Mapping[str, Sequence[str]]

EXAMPLES = examples(40)

COUNTRIES = ["Japan", "Brazil", "Netherlands", "Oman", "Côte d'Ivoire"]
LANGUAGES = ["C", "C++", "C#", "Java"]
KOREAS = ["Korea", "South Korea", "North Korea"]
STATES: dict[str, list[str]] = {
    "United States": ["USA", "U.S.", "America"],
    "United Kingdom": ["UK", "Britain"],
    "Oman": [],
}
LETTERS = {"Japan": ["a"], "Brazil": ["b"], "Oman": ["c"]}

FOUND = {"exact", "alias", "mention", "fuzzy"}
NOT_FOUND = {"none", "ambiguous", "incomplete"}


def mapped(text: str, options: Options, fuzzy: int = 0) -> tuple[str, str]:
    match = match_option(text, options, fuzzy=fuzzy)
    return match.option, match.how


# --- exact ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["Japan", "japan", "JAPAN", "jApAn", "  Japan ", "Japan\n", "\tJapan", "\u00a0Japan\u3000"]
)
def test_case_and_outer_space_are_ignored(text: str) -> None:
    assert mapped(text, COUNTRIES) == ("Japan", "exact")


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Cote d'Ivoire", "Côte d'Ivoire"),
        ("CÔTE D'IVOIRE", "Côte d'Ivoire"),
        ("cote d'ivoire", "Côte d'Ivoire"),
        (unicodedata.normalize("NFD", "Côte d'Ivoire"), "Côte d'Ivoire"),
        ("Sao Tome", "São Tomé"),
        ("são tomé", "São Tomé"),
        ("Mexico", "México"),
        ("México", "México"),
        ("Bogotá", "Bogota"),
        ("Zürich", "Zurich"),
        ("Việt Nam", "Viet Nam"),
        ("Αθηνα", "Αθήνα"),
    ],
)
def test_accents_are_ignored_on_either_side(text: str, option: str) -> None:
    assert mapped(text, [option, "Japan"]) == (option, "exact")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_option_may_be_written_in_either_unicode_form(form: str) -> None:
    option = "São Tomé" if form == "NFC" else unicodedata.normalize("NFD", "São Tomé")
    for text in ("São Tomé", unicodedata.normalize("NFD", "São Tomé"), "SAO TOME"):
        assert mapped(text, [option, "Japan"]) == (option, "exact")


@pytest.mark.parametrize(
    "text",
    [
        "Japan.",
        "Japan,",
        "Japan;",
        "Japan:",
        "Japan!",
        "Japan?",
        "Japan...",
        "Japan?!",
        '"Japan"',
        "'Japan'",
        "“Japan”",
        "‘Japan’",
        "«Japan»",
        "(Japan)",
        "[Japan]",
        "{Japan}",
        '("Japan").',
        '"Japan."',
        " ( Japan ) ",
        "!Japan",
    ],
)
def test_surrounding_punctuation_is_ignored(text: str) -> None:
    assert mapped(text, COUNTRIES) == ("Japan", "exact")


def test_surrounding_punctuation_of_the_option_is_ignored_too() -> None:
    assert mapped("wait", ["Wait!", "Go!"]) == ("Wait!", "exact")
    assert mapped("Go.", ["Wait!", "Go!"]) == ("Go!", "exact")


@pytest.mark.parametrize(
    "text", ["*Japan*", "**Japan**", "#Japan", "Japan+", "-> Japan", "= Japan", "~Japan~", "Japan 🇯🇵"]
)
def test_other_signs_are_not_ignored_so_that_the_report_shows_the_mapping(text: str) -> None:
    assert mapped(text, ["Japan", "Brazil"])[1] != "exact"


@pytest.mark.parametrize("text", ["*Japan*", "**Japan**", "-> Japan", "= Japan", "Japan 🇯🇵"])
def test_an_option_between_other_signs_is_mentioned(text: str) -> None:
    assert mapped(text, ["Japan", "Brazil"]) == ("Japan", "mention")


@pytest.mark.parametrize(
    ("text", "options", "option"),
    [
        ("the Netherlands", COUNTRIES, "Netherlands"),
        ("The Netherlands.", COUNTRIES, "Netherlands"),
        ("THE NETHERLANDS", COUNTRIES, "Netherlands"),
        ("Gambia", ["The Gambia", "Japan"], "The Gambia"),
        ("the Gambia", ["The Gambia", "Japan"], "The Gambia"),
        ("a dog", ["dog", "cat"], "dog"),
        ("A cat", ["dog", "cat"], "cat"),
        ("an apple", ["apple", "pear"], "apple"),
        ("apple", ["an apple", "a pear"], "an apple"),
        ('"The Netherlands"', COUNTRIES, "Netherlands"),
    ],
)
def test_a_leading_article_is_ignored_on_either_side(text: str, options: Options, option: str) -> None:
    assert mapped(text, options) == (option, "exact")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("thenetherlands", COUNTRIES),
        ("Theodore", ["Odore", "other"]),
        ("Anapple", ["apple", "pear"]),
        ("Ajapan", COUNTRIES),
    ],
)
def test_an_article_is_a_word_of_its_own(text: str, options: Options) -> None:
    assert mapped(text, options) == ("", "none")


# --- list marks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "b) Japan",
        "b. Japan",
        "(b) Japan",
        "b: Japan",
        "B) Japan",
        "B. Japan",
        "(B) Japan",
        "B: Japan",
        "a) Japan",
        "a. japan",
        "z) Japan",
        " b)  Japan ",
        "b) Japan.",
        "(b) JAPAN!",
        'b) "Japan"',
        "b: (Japan)",
    ],
)
def test_a_list_mark_before_more_text_is_ignored(text: str) -> None:
    assert mapped(text, COUNTRIES) == ("Japan", "exact")


def test_a_list_mark_an_article_and_punctuation_together_are_ignored() -> None:
    for text in ("b) The Netherlands.", "(b) the Netherlands", "B: the Netherlands!", 'b. "the Netherlands"'):
        assert mapped(text, COUNTRIES) == ("Netherlands", "exact"), text


@pytest.mark.parametrize(
    "text", ["b)Japan", "(b)Japan", "1) Japan", "2. Japan", "- Japan", "Answer: Japan", "Option b) Japan"]
)
def test_other_marks_still_leave_the_option_mentioned(text: str) -> None:
    option, how = mapped(text, COUNTRIES)
    assert option == "Japan"
    assert how in {"exact", "mention"}


@pytest.mark.parametrize("text", ["b", "B", "b)", "b.", "(b)", "b:", "a", "A.", "(a)"])
def test_a_bare_letter_is_no_option(text: str) -> None:
    assert mapped(text, COUNTRIES) == ("", "none")


@pytest.mark.parametrize("text", ["b", "B", " b ", "b)", "b.", "(b)", "b:", "B)"])
def test_a_bare_letter_maps_as_an_alias(text: str) -> None:
    assert mapped(text, LETTERS) == ("Brazil", "alias")


@pytest.mark.parametrize("text", ["a", "A", "a)", "(A)"])
def test_the_letter_a_is_an_alias_though_it_is_an_article_too(text: str) -> None:
    assert mapped(text, LETTERS) == ("Japan", "alias")


def test_the_named_option_wins_over_the_letter_before_it() -> None:
    # the options were shown in another order than the table lists them
    assert mapped("b) Japan", LETTERS) == ("Japan", "exact")
    assert mapped("(c) Brazil.", LETTERS) == ("Brazil", "exact")


def test_options_may_be_letters_themselves() -> None:
    for text in ("A", "a", "A.", "(A)", '"A"'):
        assert mapped(text, ["A", "B", "C"]) == ("A", "exact"), text
    assert mapped("b", ["A", "B", "C"]) == ("B", "exact")


def test_dots_of_an_abbreviation_are_no_list_mark() -> None:
    # were "U." a list mark, both options would be S
    assert mapped("U.S.", ["U.S.", "S."]) == ("U.S.", "exact")
    assert mapped("S.", ["U.S.", "S."]) == ("S.", "exact")
    assert mapped("u.s", ["U.S.", "Japan"]) == ("U.S.", "exact")
    assert mapped("U.S.", ["U.K.", "U.S.", "U.N."]) == ("U.S.", "exact")
    assert mapped("U.S.", STATES) == ("United States", "alias")
    assert mapped("the U.S.", STATES) == ("United States", "alias")


def test_a_word_behind_an_abbreviation_is_not_the_whole_answer() -> None:
    assert mapped("U.S. Virgin Islands", ["Virgin Islands", "U.S. Virgin Islands"]) == ("U.S. Virgin Islands", "exact")
    assert mapped("U.S. Virgin Islands", ["Virgin Islands", "Japan"]) == ("Virgin Islands", "mention")
    assert mapped("e.g. Japan", COUNTRIES) == ("Japan", "mention")
    assert mapped("i.e. Japan", COUNTRIES) == ("Japan", "mention")


def test_a_list_mark_is_one_letter() -> None:
    assert mapped("bb) Japan", COUNTRIES) == ("Japan", "mention")
    assert mapped("Dr. Japan", COUNTRIES) == ("Japan", "mention")
    assert mapped("Asia: Japan", COUNTRIES) == ("Japan", "mention")


# --- signs that are part of a name ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("C", "C"),
        ("c", "C"),
        ("C.", "C"),
        ("(C)", "C"),
        ("C++", "C++"),
        ("c++", "C++"),
        ("C++.", "C++"),
        ('"C++"', "C++"),
        ("b) C++", "C++"),
        ("C#", "C#"),
        ("c#!", "C#"),
        ("(C#)", "C#"),
        ("a. C#", "C#"),
        ("b) C", "C"),
    ],
)
def test_plus_and_hash_tell_options_apart(text: str, option: str) -> None:
    assert mapped(text, LANGUAGES) == (option, "exact")


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("I like C++ most", "C++"),
        ("I like C++", "C++"),
        ("I like C++.", "C++"),
        ("I like C# most", "C#"),
        ("My answer is (C#).", "C#"),
        ("I like C most", "C"),
        ("I like C.", "C"),
        ("Definitely java, no doubt", "Java"),
    ],
)
def test_a_mentioned_name_keeps_its_plus_and_hash(text: str, option: str) -> None:
    assert mapped(text, LANGUAGES) == (option, "mention")


def test_several_names_with_signs_are_several_options() -> None:
    assert mapped("C++ rather than C", LANGUAGES) == ("", "ambiguous")
    assert mapped("C or C#", LANGUAGES) == ("", "ambiguous")
    assert mapped("C++ and C#", LANGUAGES) == ("", "ambiguous")


@pytest.mark.parametrize("text", ["C++", "C#", "I like C++", "I like C# most"])
def test_a_name_with_a_sign_is_not_the_name_without(text: str) -> None:
    assert mapped(text, ["C", "Java"]) == ("", "none")


# --- the only option mentioned -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("I would choose Japan", "Japan"),
        ("Japan, because of its food", "Japan"),
        ("I would choose japan.", "Japan"),
        ("MY ANSWER IS JAPAN", "Japan"),
        ("My answer: **Brazil**.", "Brazil"),
        ("It has to be the Netherlands!", "Netherlands"),
        ("Let's say cote d'ivoire today", "Côte d'Ivoire"),
        ("Japan. Japan! I said Japan.", "Japan"),
        ("Answer:\nOman\n", "Oman"),
        ("(Oman, of course)", "Oman"),
        ("Brazil/", "Brazil"),
    ],
)
def test_the_only_option_mentioned_is_taken(text: str, option: str) -> None:
    assert mapped(text, COUNTRIES) == (option, "mention")


@pytest.mark.parametrize(
    "text",
    [
        "a woman",
        "Romania",
        "I love Romania",
        "Omani",
        "Japanese",
        "I like Japanese food",
        "Brazilian",
        "xJapan",
        "Japan2",
        "2Japan",
        "I choose none of them",
        "France",
    ],
)
def test_a_part_of_a_word_is_no_mention(text: str) -> None:
    assert mapped(text, COUNTRIES) == ("", "none")


def test_a_part_of_an_accented_word_is_no_mention() -> None:
    # with accents taken off before words are cut, or words cut at accents, these would match
    assert mapped("un café noir", ["caf", "tea"]) == ("", "none")
    assert mapped(unicodedata.normalize("NFD", "un café noir"), ["caf", "tea"]) == ("", "none")
    assert mapped("naïve", ["na", "ve"]) == ("", "none")


def test_all_words_of_an_option_must_stand_together() -> None:
    options = ["South Africa", "New Zealand"]
    assert mapped("I go to south africa now", options) == ("South Africa", "mention")
    assert mapped("the south of Africa", options) == ("", "none")
    assert mapped("Africa", options) == ("", "none")


@pytest.mark.parametrize(
    "text",
    [
        "Japan or Brazil",
        "Japan and Brazil",
        "Not Brazil, but Japan",
        "Japan, Brazil, Oman",
        "Between japan and the netherlands I cannot choose",
        "b) Japan c) Brazil",
    ],
)
def test_two_options_are_ambiguous(text: str) -> None:
    assert mapped(text, COUNTRIES) == ("", "ambiguous")


@pytest.mark.parametrize(
    ("text", "options", "option"),
    [
        ("I'd pick South Korea", KOREAS, "South Korea"),
        ("I'd pick North Korea, not another", KOREAS, "North Korea"),
        ("I'd pick Korea", KOREAS, "Korea"),
        ("South Korea. Yes, south korea!", KOREAS, "South Korea"),
        ("I'd visit Papua New Guinea", ["Guinea", "Papua New Guinea"], "Papua New Guinea"),
        ("I'd visit Guinea", ["Guinea", "Papua New Guinea"], "Guinea"),
        ("I read the New York Times daily", ["New York", "New York Times"], "New York Times"),
        ("I drink green tea only", {"tea": [], "green tea": []}, "green tea"),
    ],
)
def test_a_longer_option_covers_the_shorter_inside_it(text: str, options: Options, option: str) -> None:
    assert mapped(text, options) == (option, "mention")


def test_a_shorter_option_beside_the_longer_is_a_second_one() -> None:
    assert mapped("Korea, or rather South Korea", KOREAS) == ("", "ambiguous")
    assert mapped("South Korea and North Korea", KOREAS) == ("", "ambiguous")
    assert mapped("not Guinea but Papua New Guinea", ["Guinea", "Papua New Guinea"]) == ("", "ambiguous")


def test_an_option_inside_a_name_that_is_no_option_is_mentioned() -> None:
    assert mapped("South Korea", ["Korea", "Japan"]) == ("Korea", "mention")


def test_exact_comes_before_mention() -> None:
    options = ["Japan", "Brazil", "Japan and Brazil"]
    assert mapped("Japan and Brazil", options) == ("Japan and Brazil", "exact")
    assert mapped("b) japan and brazil.", options) == ("Japan and Brazil", "exact")
    assert mapped("South Korea", KOREAS) == ("South Korea", "exact")
    assert mapped("Korea", KOREAS) == ("Korea", "exact")


# --- aliases -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("USA", "United States"),
        ("usa", "United States"),
        ("the USA.", "United States"),
        ("b) USA", "United States"),
        ("America", "United States"),
        ("UK", "United Kingdom"),
        ("(Britain)", "United Kingdom"),
    ],
)
def test_an_alias_maps_by_the_rule_of_names(text: str, option: str) -> None:
    assert mapped(text, STATES) == (option, "alias")


def test_a_name_is_exact_though_it_has_aliases() -> None:
    assert mapped("The United States", STATES) == ("United States", "exact")
    assert mapped("oman", STATES) == ("Oman", "exact")


@pytest.mark.parametrize(
    "text", ["I would go to the USA", "Perhaps America?", "The USA, that is America", "USA, i.e. the United States"]
)
def test_a_mentioned_alias_counts_like_its_option(text: str) -> None:
    assert mapped(text, STATES) == ("United States", "mention")


@pytest.mark.parametrize("text", ["USA or UK", "the United States or Britain", "America and Oman"])
def test_a_mentioned_alias_beside_another_option_is_ambiguous(text: str) -> None:
    assert mapped(text, STATES) == ("", "ambiguous")


def test_alias_comes_before_mention() -> None:
    options = {"Japan": [], "Brazil": [], "Both": ["Japan and Brazil"]}
    assert mapped("japan and brazil", options) == ("Both", "alias")


def test_a_longer_alias_covers_the_option_inside_it() -> None:
    options = {"South Korea": ["Republic of Korea"], "Korea": []}
    assert mapped("I choose the Republic of Korea today", options) == ("South Korea", "mention")


def test_a_part_of_a_word_is_no_alias() -> None:
    assert mapped("Ukraine", STATES) == ("", "none")
    assert mapped("I am Lusaka-born", {"United States": ["USA"], "Oman": []}) == ("", "none")


def test_names_alone_and_names_without_aliases_are_the_same() -> None:
    bare: dict[str, list[str]] = {name: [] for name in COUNTRIES}
    for text in ("japan", "I say Oman", "Japan or Oman", "nothing", "", "incomplete", "b) Brazil"):
        assert mapped(text, COUNTRIES) == mapped(text, bare) == mapped(text, tuple(COUNTRIES))


# --- scripts without spaces, and other scripts ---------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "option"),
    [
        ("私は日本に行きたいです", ["日本", "中国"], "日本"),
        ("我最喜欢的国家是中国，因为那里很美。", ["日本", "中国"], "中国"),
        ("ラーメンが好き", ["ラーメン", "すし"], "ラーメン"),
        ("やっぱりすしだね", ["ラーメン", "すし"], "すし"),
        ("ฉันชอบประเทศไทยมาก", ["ไทย", "ลาว"], "ไทย"),
        ("日本語が一番", ["日本", "日本語"], "日本語"),
        ("I would choose 日本 today", ["日本", "中国"], "日本"),
        ("答案：日本。", {"Japan": ["日本"], "China": ["中国"]}, "Japan"),
        ("我想去日本旅行", {"Japan": ["日本"], "China": ["中国"]}, "Japan"),
    ],
)
def test_in_unspaced_scripts_contained_is_mentioned(text: str, options: Options, option: str) -> None:
    assert mapped(text, options) == (option, "mention")


def test_in_unspaced_scripts_two_contained_options_are_ambiguous() -> None:
    assert mapped("日本と中国が好きです", ["日本", "中国"]) == ("", "ambiguous")
    assert mapped("日本語より日本", ["日本", "日本語"]) == ("", "ambiguous")


def test_in_unspaced_scripts_nothing_contained_is_none() -> None:
    assert mapped("韓国に行きたい", ["日本", "中国"]) == ("", "none")


@pytest.mark.parametrize("text", ["日本", " 日本 ", "b) 日本", "「日本」", "（日本）", "日本。", "日本！", "“日本”"])
def test_an_unspaced_name_alone_is_that_option(text: str) -> None:
    assert mapped(text, ["日本", "中国"]) == ("日本", "exact")


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("한국", ["한국", "일본"], ("한국", "exact")),
        (unicodedata.normalize("NFD", "한국"), ["한국", "일본"], ("한국", "exact")),
        ("저의 답은 한국 입니다", ["한국", "일본"], ("한국", "mention")),
        ("Япония", ["Япония", "Китай"], ("Япония", "exact")),
        ("ЯПОНИЯ!", ["Япония", "Китай"], ("Япония", "exact")),
        ("Я выбираю Китай", ["Япония", "Китай"], ("Китай", "mention")),
        ("Китайский", ["Япония", "Китай"], ("", "none")),
        ("اليابان", ["اليابان", "الصين"], ("اليابان", "exact")),
        ("भारत", ["भारत", "जापान"], ("भारत", "exact")),
        ("मैं जापान चुनता हूँ", ["भारत", "जापान"], ("जापान", "mention")),
    ],
)
def test_spaced_scripts_follow_the_rule_of_words(text: str, options: Options, expected: tuple[str, str]) -> None:
    assert mapped(text, options) == expected


# --- incomplete ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["incomplete", "Incomplete", "INCOMPLETE", "inComplete", " incomplete ", "incomplete\n"]
)
def test_incomplete_in_any_case_is_no_answer(text: str) -> None:
    option, how = mapped(text, COUNTRIES)
    assert how == "incomplete"
    assert option not in COUNTRIES


@pytest.mark.parametrize("text", ["", " ", "   ", "\t", "\n", "\r\n", "\u00a0", "\u3000", " \t\n\u2003"])
def test_blank_is_no_answer(text: str) -> None:
    option, how = mapped(text, COUNTRIES)
    assert how == "incomplete"
    assert option not in COUNTRIES


def test_incomplete_and_blank_are_found_before_any_fuzzy_match() -> None:
    for text in ("incomplete", "Incomplete", "", "  "):
        assert mapped(text, ["Complete", "Completed"], fuzzy=50)[1] == "incomplete", text


@pytest.mark.parametrize("text", ["...", "?", "()", '""', ".", "—", "b)", "the", "a", "🙂", "\u200b", "+", "#"])
def test_text_without_a_word_is_no_option(text: str) -> None:
    option, how = mapped(text, COUNTRIES)
    assert how in {"none", "incomplete"}
    assert option not in COUNTRIES


# --- fuzzy ---------------------------------------------------------------------------------------

# rapidfuzz's ratio: 2 · matching characters / all characters, of 100; Jappan against Japan 2·5/11 = 90.9
MISSPELT = [("Jappan", "Japan"), ("Barzil", "Brazil"), ("Netherland", "Netherlands")]


@pytest.mark.parametrize(("text", "option"), MISSPELT)
def test_fuzzy_is_off_unless_asked_for(text: str, option: str) -> None:
    assert match_option(text, COUNTRIES).how == "none"
    assert mapped(text, COUNTRIES, fuzzy=0) == ("", "none")
    assert mapped(text, [*COUNTRIES, "Peru"], fuzzy=0)[0] != option


@pytest.mark.parametrize(("text", "option"), MISSPELT)
def test_fuzzy_takes_what_is_above_the_threshold(text: str, option: str) -> None:
    assert mapped(text, COUNTRIES, fuzzy=80) == (option, "fuzzy")


@pytest.mark.parametrize(("text", "_option"), MISSPELT)
def test_fuzzy_leaves_what_is_below_the_threshold(text: str, _option: str) -> None:
    assert mapped(text, COUNTRIES, fuzzy=99) == ("", "none")


def test_the_fuzzy_threshold_lies_where_the_ratio_is() -> None:
    assert mapped("Jappan", COUNTRIES, fuzzy=90) == ("Japan", "fuzzy")
    assert mapped("Jappan", COUNTRIES, fuzzy=92) == ("", "none")


def test_fuzzy_takes_the_only_option_above_the_threshold() -> None:
    # Nigeria 93.3, Niger 76.9
    assert mapped("Nigeriaa", ["Niger", "Nigeria", "Algeria"], fuzzy=90) == ("Nigeria", "fuzzy")


def test_fuzzy_comes_last() -> None:
    assert mapped("Japan", [*COUNTRIES, "Jappan"], fuzzy=50) == ("Japan", "exact")
    assert mapped("USA", {**STATES, "USSR": []}, fuzzy=50) == ("United States", "alias")
    assert mapped("Say Japan", ["Japan", "Say Japon"], fuzzy=50) == ("Japan", "mention")


def test_fuzzy_does_not_decide_between_two_options() -> None:
    assert mapped("Japan or Brazil", COUNTRIES, fuzzy=90) == ("", "ambiguous")


def test_fuzzy_does_not_turn_other_answers_into_options() -> None:
    assert mapped("France", COUNTRIES, fuzzy=90) == ("", "none")
    assert mapped("I have no preference at all", COUNTRIES, fuzzy=90) == ("", "none")


# --- what holds for any text ---------------------------------------------------------------------

ODD_NAMES = [
    "AC/DC",
    "Plan B",
    "Vitamin C",
    "C++",
    "C#",
    "F*",
    "U.S.",
    "O'Brien",
    "Guinea-Bissau",
    "São Tomé",
    "The Gambia",
    "7-Eleven",
    "100%",
    "3",
    "日本",
    "ไทย",
    "한국",
    "Q&A",
    "yes/no",
    "@home",
    "$5",
    ".NET",
    "naïve",
    "St. John's",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_every_name_is_exactly_itself(name: str) -> None:
    for text in (name, name.upper(), name.lower(), f"  {name} ", f'"{name}"', f"b) {name}", f"({name})", f"{name}!"):
        assert mapped(text, ODD_NAMES) == (name, "exact"), text


@pytest.mark.parametrize("name", ["E. coli", "A. Smith", "T: the sequel", "The The", "A", "an A"])
def test_a_name_that_begins_like_a_list_mark_or_an_article_is_itself(name: str) -> None:
    assert mapped(name, [name, "Japan"]) == (name, "exact")


@EXAMPLES
@given(
    st.sampled_from(COUNTRIES),
    st.sampled_from([str.upper, str.lower, str.title, str.swapcase]),
    st.sampled_from(["", "the ", "The ", "a ", "an "]),
    st.sampled_from(["", "b) ", "B. ", "(c) ", "d: ", " (E)  "]),
    st.sampled_from([("", ""), ("", "."), ('"', '"'), ("“", "”."), ("(", ")"), ("[", "]!"), ("", "?!"), ("", " ;")]),
)
def test_ignored_parts_may_come_together(
    name: str, spell: object, article: str, mark: str, around: tuple[str, str]
) -> None:
    assert callable(spell)
    text = f"{mark}{around[0]}{article}{spell(name)}{around[1]}"
    assert mapped(text, COUNTRIES) == (name, "exact")


@EXAMPLES
@given(
    st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from([*COUNTRIES, "or", "the", "b)", "C++", ".", "日本", "incomplete"]), max_size=6).map(
            " ".join
        ),
    ),
    st.sampled_from([0, 60, 100]),
)
def test_any_text_gives_an_option_or_a_reason(text: str, fuzzy: int) -> None:
    options = [*COUNTRIES, "C", "C++", "日本"]
    option, how = mapped(text, options, fuzzy)
    if how in FOUND:
        assert option in options
    else:
        assert how in NOT_FOUND
        assert option not in options
    if not fuzzy:
        assert how != "fuzzy"


@EXAMPLES
@given(st.lists(st.sampled_from([*KOREAS, "or", "not", "USA", "UK", "the", "Oman"]), max_size=6).map(" ".join))
def test_the_order_of_the_options_does_not_matter(text: str) -> None:
    options = {**STATES, **{name: [] for name in KOREAS}}
    assert mapped(text, options) == mapped(text, dict(reversed(options.items())))


def test_no_options_map_nothing() -> None:
    assert mapped("Japan", []) == ("", "none")


# --- words, letters and numbers by themselves -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("I choose a nice place", ["A", "B"], ""),
        ("I choose A", ["A", "B"], "A"),
        ("about 3,000 of them", ["1", "3"], ""),
        ("version 1.5", ["1", "5"], ""),
        ("I can't say", ["Can", "Will"], ""),
        ("Japan's the one", ["Japan", "Peru"], "Japan"),
        ("Côte d’Ivoire", ["Côte d'Ivoire"], "Côte d'Ivoire"),
    ],
)
def test_a_mention_is_a_word_of_its_own(text: str, options: list[str], expected: str) -> None:
    assert match_option(text, options).option == expected


@pytest.mark.parametrize("text", ["a) Japan", "I pick (a)", "Answer: a", "option a.", "A"])
def test_a_letter_that_is_marked_as_one_is_an_option(text: str) -> None:
    assert match_option(text, {"A": [], "B": []}).option == "A"


@pytest.mark.parametrize("text", ["a hard question", "it is a pity", "i think so", "what a choice (a pity)"])
def test_an_article_is_no_letter(text: str) -> None:
    assert match_option(text, {"A": [], "I": []}).option == ""


@pytest.mark.parametrize("text", ["I say -1", "1 000 of them", "1/10", "≤1", "about 1/1"])
def test_a_part_of_another_number_mentions_nothing(text: str) -> None:
    assert match_option(text, {"1": [], "3": []}).option == ""


@pytest.mark.parametrize("text", ["I say 1.", "number 1 it is", "1 - the best", "the first (1)"])
def test_a_number_by_itself_is_mentioned(text: str) -> None:
    assert match_option(text, {"1": [], "3": []}).option == "1"
