"""From free text to one of the options: exactly, by an alias, or as the only one mentioned."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, cached_property

import regex

from scoresheet.metrics.text import has_unspaced

INCOMPLETE = "incomplete"  # the answer that is not one
SHORT = 3  # letters of an alias that is found in capitals only: US is not us

_WIDTH = {c: unicodedata.normalize("NFKC", chr(c)) for c in (0x3000, *range(0xFF01, 0xFFEF))}
_APOSTROPHES = dict.fromkeys(map(ord, "’‘ʼ"), "'")
_ACCENTS = re.compile("[\u0300-\u036f]")  # marks of other scripts are letters of their own
AROUND = (
    " .,:;!?*_…。，、：；！？·¿¡؟،؛।\"'`´“”„‟‚‛«»‹›「」『』〝〞〟"
    "()[]{}<>（）［］｛｝〈〉《》【】〔〕〖〗⟨⟩"
)
# a full stop or a colon needs a blank behind it: U.S. does not begin with a list letter
_LIST_LETTER = re.compile(r"[a-z](?:\)\s*|[.:]\s+)(?=\S)", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the)\s+(?=\S)", re.IGNORECASE)

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]"
_AFTER = rf"(?!{_WORD}|[+#]|'t\b)"  # C is not in C++, can not in can't
# 3 is neither in 3,000 nor in 1/3 nor in -3
_NUMBER_BEFORE, _NUMBER_AFTER = r"(?<!\p{N}[.,/])(?<!(?:^|[\s(])[-−])", r"(?![.,/]\p{N})"


def plain(text: str) -> str:
    """Return a text without accents, width, typographic apostrophes and runs of blanks."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFD", text.translate(_WIDTH).translate(_APOSTROPHES))
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))
    return " ".join(text.split())


def clean(text: str) -> str:
    """Return a plain text without list letter, leading article and what is around it.

    >>> clean("b) The **Ｃａｆé**!"), clean("C++."), clean("#C#"), clean("U.S."), clean("A")
    ('Cafe', 'C++', 'C#', 'U.S', 'A')
    """
    text = _bare(plain(text))
    for begins in (_LIST_LETTER, _ARTICLE):
        text = _bare(begins.sub("", text, count=1) if begins.match(text) else text)
    return text


def _bare(text: str) -> str:
    """Return a text without the marks around it; # only leads, as in C#."""
    return text.strip(AROUND).lstrip(AROUND + "#") or text


@cache
def normal_choice(text: str) -> str:
    """Return the form in which two choices are equal."""
    return clean(text).casefold()


class Matcher:
    """The options of a cell with their aliases, ready to be found in texts."""

    def __init__(self, options: Mapping[str, Sequence[str]]) -> None:
        """Raise ValueError where two options, or their aliases, are equal by the rules."""
        self.options = tuple(options)
        self._names: dict[str, tuple[str, str]] = {}  # in small letters; short aliases in capitals
        names: list[tuple[str, str, str]] = [(option, option, "exact") for option in options]
        for option, aliases in options.items():
            names += [(alias, option, "alias") for alias in aliases if alias]
        for name, option, how in names:
            form = clean(name)
            short = how == "alias" and len(form) <= SHORT and form.isalpha() and form.isupper()
            other = self._names.setdefault(form if short else form.casefold(), (option, how))[0]
            if other != option:
                raise ValueError(f"{name!r} can be {other!r} or {option!r}")

    def named(self, text: str) -> tuple[str, str]:
        """Return the option that a text is the name or an alias of, empty where there is none."""
        form = clean(text)
        return self._names.get(form.casefold()) or self._names.get(form, ("", "none"))

    def match(self, text: str, *, last: bool = False) -> tuple[str, str]:
        """Return the option of a text and how it was found; with `last` the last one mentioned.

        >>> Matcher({"Japan": ["Nippon"], "Peru": []}).match("I would choose Nippon.")
        ('Japan', 'mention')
        >>> Matcher({"Japan": [], "Peru": []}).match("Peru is far, so Japan.", last=True)
        ('Japan', 'last')
        """
        if normal_choice(text) in ("", INCOMPLETE):
            return "", "incomplete"
        option, how = self.named(text)
        if option:
            return option, how
        mentioned = self._mentioned(text)
        if len(set(mentioned)) == 1:
            return mentioned[0], "mention"
        if last and mentioned:
            return mentioned[-1], "last"
        return "", "two options" if mentioned else "none"

    def _mentioned(self, text: str) -> list[str]:
        """Return the options mentioned, in their order; the longer of two in one place."""
        hits = (hit[0] for hit in self._mentions.finditer(plain(text)))
        return [(self._names.get(hit) or self._names[hit.casefold()])[0] for hit in hits]

    @cached_property
    def _mentions(self) -> regex.Pattern[str]:
        longest_first = sorted(filter(None, self._names), key=lambda name: (-len(name), name))
        return regex.compile("|".join(map(_mention, longest_first)) or "(?!)", regex.V1)


def _mention(name: str) -> str:
    """Return the pattern of a name in a text, as whole words where its script has spaces.

    A single letter is a capital, in front of a bracket, or the end of the text.
    """
    found, letter = regex.escape(name), len(name) == 1 and name.isalpha()
    if not name.isupper():
        found = f"(?i:{found})"
    if letter and not name.isupper() and not has_unspaced(name):
        found = rf"(?:{name.upper()}|{name}(?=\)|\W*$))"
    before = "" if has_unspaced(name[0]) else f"(?<!{_WORD})"
    after = "" if has_unspaced(name[-1]) else _AFTER
    before += _NUMBER_BEFORE if name[0].isdigit() else ""
    after += _NUMBER_AFTER if name[-1].isdigit() else ""
    return before + found + after
