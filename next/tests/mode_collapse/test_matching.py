"""Free text to options: exact, alias, the only one mentioned; and by a naive twin."""

import random
import re
import unicodedata
from pathlib import Path

import pytest

from scoresheet.metrics.mode_collapse.matching import Matcher

BLOCKS = (Path(__file__).parent / "matching.txt").read_text(encoding="utf-8").split("\n\n")[1:]


def options_of(line: str) -> dict[str, list[str]]:
    """Return options and their aliases as in `Japan|Nippon; Peru`."""
    return {name: aliases for name, *aliases in (part.split("|") for part in line.split("; "))}


@pytest.mark.parametrize("block", BLOCKS)
def test_a_text_is_read_as_an_option(block: str) -> None:
    options, *lines = block.strip().splitlines()
    matcher = Matcher(options_of(options))
    for how, option, *texts in (line.split(" / ") for line in lines):
        for text in texts:
            assert (text, *matcher.match(text)) == (text, option.strip(), how)


@pytest.mark.parametrize("text", ["incomplete", "Incomplete.", "", "  ", "\u3000", "\n"])
def test_incomplete_and_blank_are_filtered_first(text: str) -> None:
    assert Matcher({"incomplete": [], "x": []}).match(text) == ("", "incomplete")


@pytest.mark.parametrize(
    "options",
    [
        *("Japan; JAPAN.", "Côte; cote", "the dog; dog"),
        *("Japan|Nippon; Oman|nippon", "Japan; Oman|japan", "x|US; y|US"),
    ],
)
def test_options_that_are_equal_by_the_rules_are_refused(options: str) -> None:
    with pytest.raises(ValueError, match="can be"):
        Matcher(options_of(options))


def naive(text: str, options: dict[str, list[str]]) -> str:
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


NAMES = "Korea; South Korea; North Korea; Côte d'Ivoire|Ivory Coast; C++|cpp plus; Guinea; dog"
OTHERS = "Ivory Coast/cpp plus/or/the/koreas/Papua/GUINEA/dogs/b)/(c)/a./cote d'ivoire"
OTHERS += "/north/**dog**/dog,/South/!/C+/#dog"


def test_the_naive_twin_agrees() -> None:
    rng, options = random.Random(1), options_of(NAMES)
    words, matcher = [*options, *OTHERS.split("/")], Matcher(options)
    for _ in range(4000):
        text = " ".join(rng.choices(words, k=rng.randint(1, 4)))
        assert matcher.match(text)[0] == naive(text, options), text
