"""Free text to options: exact, alias, the only one mentioned; and by a naive twin."""

import random
import re
import unicodedata
from collections.abc import Sequence

import pytest

from scoresheet.metrics.mode_collapse.matching import Matcher, OptionClashError

Options = dict[str, list[str]]

COUNTRIES: Options = {
    name: [] for name in ("Japan", "Brazil", "Netherlands", "Oman", "Côte d'Ivoire")
}
LANGUAGES: Options = {name: [] for name in ("C", "C++", "C#", "Java")}
KOREAS: Options = {name: [] for name in ("Korea", "South Korea", "North Korea")}
STATES = {"United States": ["USA", "U.S.", "America"], "United Kingdom": ["UK", "Britain"]}
LETTERS: Options = {"A": [], "B": [], "I": []}
NUMBERS: Options = {"1": [], "3": [], "10": []}
HAN: Options = {"日本": [], "中国": [], "日本語": []}
HOW = {"=": "exact", "~": "alias", "in": "mention", "": "none", "2": "two options"}

# option and how it is found, then texts; `=` exact, `~` alias, `in` mention
CASES: list[tuple[Options, str, str, Sequence[str]]] = [
    (
        COUNTRIES,
        "Japan",
        "=",
        ("Japan", "JAPAN", " japan\n", "Ｊａｐａｎ", "Japan.", "“Japan”!", "(Japan)"),
    ),
    (
        COUNTRIES,
        "Japan",
        "=",
        ("**Japan**", "_Japan_", "# Japan", "b) Japan", "(B) Japan", "b. Japan"),
    ),
    (COUNTRIES, "Japan", "=", ("c: the Japan", '"Japan."', "「Japan」", "*b) Japan*", "b)Japan")),
    (COUNTRIES, "Netherlands", "=", ("the Netherlands", "b) The Netherlands.", "THE NETHERLANDS")),
    (COUNTRIES, "Côte d'Ivoire", "=", ("cote d'ivoire", "CÔTE D’IVOIRE", "Co\u0302te d'Ivoire")),
    (
        COUNTRIES,
        "",
        "",
        ("thenetherlands", "Japan2", "Japanese", "a woman", "Romania", "France", "b)"),
    ),
    (
        COUNTRIES,
        "Japan",
        "in",
        ("I say Japan", "Japan, for its food", "1) Japan", "Japan 🇯🇵", "-> Japan"),
    ),
    (
        COUNTRIES,
        "Japan",
        "in",
        ("Japan. Japan! I said Japan.", "it's **Japan**, clearly", "Japan's the one"),
    ),
    (COUNTRIES, "", "2", ("Japan or Brazil", "Not Brazil, but Japan", "b) Japan c) Brazil")),
    (LANGUAGES, "C", "=", ("C", "c.", "(C)", "b) C")),
    (LANGUAGES, "C++", "=", ("C++", "c++.", "**C++**", "b) C++")),
    (LANGUAGES, "C#", "=", ("C#", "c#!", "a. C#")),
    (LANGUAGES, "C#", "in", ("I like C# most", "My answer is (C#).")),
    (LANGUAGES, "C", "in", ("I like C most", "I like C.")),
    (LANGUAGES, "", "2", ("C++ rather than C", "C or C#")),
    ({"C": [], "Java": []}, "", "", ("C++", "C#", "I like C++")),
    (KOREAS, "South Korea", "in", ("I'd pick South Korea", "South Korea. Yes, south korea!")),
    (KOREAS, "Korea", "in", ("I'd pick Korea",)),
    (KOREAS, "", "2", ("Korea, or rather South Korea",)),
    (STATES, "United States", "~", ("USA", "the U.S.", "u.s", "America!", "b) USA")),
    (STATES, "United States", "in", ("I would go to the USA", "USA, i.e. the United States")),
    (STATES, "United Kingdom", "~", ("UK", "(UK)", "britain")),
    # an alias of up to three capitals is found in capitals only
    (STATES, "", "", ("uk", "usa", "we ask uk people", "Ukraine")),
    ({"Norway": ["NO"], "Italy": ["IT"]}, "Norway", "in", ("I pick NO", "it is NO")),
    ({"Norway": ["NO"], "Italy": ["IT"]}, "", "", ("No.", "no", "it is nice")),
    (LETTERS, "A", "=", ("A", "a", "(a)", "A.", "**A**", "a)")),
    (
        LETTERS,
        "B",
        "in",
        ("The answer is B.", "B) Paris", "Answer: b", "we pick (b) today", "option b"),
    ),
    (LETTERS, "", "", ("a hard question", "it is a pity", "i think so", "what a choice (a pity)")),
    (NUMBERS, "1", "in", ("I say 1.", "number 1 it is", "1 - the best", "the first (1)")),
    (NUMBERS, "", "", ("I say -1", "about 3,000", "version 1.5", "1/10", "21")),
    (HAN, "日本", "in", ("私は日本に行きたい", "I would choose 日本 today", "我想去日本旅行")),
    (HAN, "日本語", "in", ("日本語が一番",)),
    (HAN, "日本", "=", ("日本", "「日本」", "日本。", "b) 日本")),
    (HAN, "", "2", ("日本と中国",)),
    ({"한국": [], "일본": []}, "한국", "in", ("저의 답은 한국 입니다",)),
    ({"Can": [], "Will": []}, "", "", ("I can't say", "canned")),
]


@pytest.mark.parametrize(
    ("options", "option", "how", "text"),
    [(options, option, how, text) for options, option, how, texts in CASES for text in texts],
)
def test_a_text_is_read_as_an_option(options: Options, option: str, how: str, text: str) -> None:
    assert Matcher(options).match(text) == (option, HOW[how])


@pytest.mark.parametrize("text", ["incomplete", "Incomplete.", "", "  ", "\u3000", "\n"])
def test_incomplete_and_blank_are_filtered_first(text: str) -> None:
    assert Matcher({"incomplete": [], "x": []}).match(text) == ("", "incomplete")


@pytest.mark.parametrize(
    "options",
    [
        {"Japan": [], "JAPAN.": []},
        {"Côte": [], "cote": []},
        {"the dog": [], "dog": []},
        {"Japan": ["Nippon"], "Oman": ["nippon"]},
        {"Japan": [], "Oman": ["japan"]},
        {"x": ["US"], "y": ["US"]},
    ],
)
def test_options_that_are_equal_by_the_rules_are_refused(options: Options) -> None:
    with pytest.raises(OptionClashError):
        Matcher(options)


def test_the_last_option_mentioned_counts_if_asked_for() -> None:
    matcher = Matcher({"Japan": ["Nippon"], "Peru": []})
    assert matcher.match("Peru is far, so Nippon", last=True) == ("Japan", "last")
    assert matcher.match("Peru, Japan, Peru", last=True) == ("Peru", "last")
    assert matcher.match("only Peru", last=True) == ("Peru", "mention")


def naive(text: str, options: Options) -> str:
    """Look for each name at each place of the text, one character after the other."""

    def folded(string: str) -> str:
        apart = unicodedata.normalize("NFD", string.casefold())
        return " ".join("".join(c for c in apart if not unicodedata.combining(c)).split())

    def bare(string: str) -> str:
        around = " .,:;!?*_\"'()[]"
        string = folded(string).strip(around).lstrip(around + "#")
        for pattern in (r"[a-z](\)\s*|[.:]\s+)(?=\S)", r"(an?|the) (?=\S)"):
            string = re.sub("^" + pattern, "", string).strip(around)
        return string

    names = {bare(name): option for option, them in options.items() for name in (option, *them)}
    if bare(text) in names:
        return names[bare(text)]
    found, at, plain = set(), 0, folded(text)
    while at < len(plain):
        here = [
            name
            for name in names
            if plain.startswith(name, at)
            and not (at and plain[at - 1].isalnum())
            and not plain[at + len(name) : at + len(name) + 1].isalnum()
            and plain[at + len(name) : at + len(name) + 1] not in ("+", "#")
        ]
        longest = max(here, key=len, default="")
        found |= {names[longest]} if longest else set()
        at += len(longest) or 1
    return found.pop() if len(found) == 1 else ""


def test_the_naive_twin_agrees() -> None:
    rng = random.Random(1)
    options = {
        **KOREAS,
        "Côte d'Ivoire": ["Ivory Coast"],
        "C++": ["cpp plus"],
        "Guinea": [],
        "dog": [],
    }
    words = [*options, "Ivory Coast", "cpp plus", "or", "the", "koreas", "Papua", "GUINEA", "dogs"]
    words += [
        "b)",
        "(c)",
        "a.",
        "cote d'ivoire",
        "north",
        "**dog**",
        "dog,",
        "South",
        "!",
        "C+",
        "#dog",
    ]
    matcher = Matcher(options)
    for _ in range(4000):
        text = " ".join(rng.choices(words, k=rng.randint(1, 4)))
        assert matcher.match(text)[0] == naive(text, options), text
