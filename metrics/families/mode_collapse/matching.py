"""Free text to one of the declared options: exact, alias, the only one mentioned, fuzzy; in this order, offline."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple

import regex

from scoresheet.metrics.checks import check_between, check_text, checked_texts
from scoresheet.metrics.families.mode_collapse.options import FUZZY_OFF, MOST_FUZZY
from scoresheet.metrics.families.mode_collapse.refusals import without_refusals
from scoresheet.metrics.text.rouge_tokenizer import UNSPACED, unspaced_script_pattern

INCOMPLETE: Final = "incomplete"  # the answer that is none
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")  # of alphabets; the marks of other scripts are letters of their own
# quotes, brackets, full stops, commas, colons, semicolons, exclamation and question marks; never + or # (C, C++, C#)
_IGNORED: Final = (
    "\"'`´‘’‚‛“”„‟«»‹›「」『』〝〞〟＂＇()[]{}<>（）［］｛｝〈〉《》【】〔〕〖〗〘〙⟨⟩.,:;!?…。．，、：；！？¡¿｡､·؟،؛।॥"
)
_EDGES: Final = _IGNORED + " "
# a mark with a full stop or a colon needs a blank behind it: U.S. is no list
_LIST_MARK: Final = re.compile(r"\A(?:\([a-z]\)\s*|[a-z]\)\s*|[a-z][.:]\s+)(?=\S)")
_SLIP: Final = 75  # of MOST_FUZZY: how much a text must resemble an option to be taken for a slip of the pen
_LONGEST_SLIP: Final = 40  # characters
_EQUAL: Final = "are equal but for case, accents, articles, list letters and punctuation"
_APOSTROPHES: Final = dict.fromkeys(map(ord, "’‘ʼ＇"), "'")
# -4, ≤3, 1/10 and 1 000 are other numbers than 4, 3, 1 and 10; a hyphen after a word or a blank is none's sign
_IN_NUMBER_BEFORE: Final = r"(?<!(?:^|[\s(])[-−–])(?<![<>≤≥±/])(?<!\p{N}\s(?=\p{N}{3}\b))"
_IN_NUMBER_AFTER: Final = r"(?!/\p{N})(?!\s\p{N}{3}\b)"
_ONE_LETTER_WORDS: Final = ("a", "i")  # of English; only a capital is a mention of an option of that name
_ARTICLE: Final = re.compile(r"\A(?:an?|the)\s+(?=\S)")
_LETTER: Final = r"[^\W\d_]"
_HYPHEN: Final = re.compile(rf"(?<={_LETTER})[-‐‑–](?={_LETTER})")  # street-food is street food
# **Japan**, __Japan__, ~~Japan~~; a name may end in a star of its own (A*), so that marks come in pairs
_EMPHASIS: Final = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|~~)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_HASH: Final = re.compile(rf"(?<![\w#+&/])#+ ?(?={_LETTER})")  # of a hashtag or a heading; #1 and C# are names
_MOST_MARKS: Final = 3  # around each other
# full width letters and half width kana, each with what is meant
_WIDTHS: Final = {
    place: int(parts[1], 16)
    for place in (0x3000, *range(0xFF01, 0xFFDD))
    if (parts := unicodedata.decomposition(chr(place)).split()) and parts[0] in ("<wide>", "<narrow>")
}
_SHORT: Final = 3  # letters of an alias that is found in capitals only: US is no us
# what such an alias may be in small letters; any other stands for its option where it is all of the answer
_SHORT_WORDS: Final = frozenset(
    {
        *("am", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "go", "he", "if", "in", "is"),
        *("it", "may", "me", "my", "no", "not", "of", "on", "or", "per", "so", "to", "up", "us", "we"),
    }
)

How = Literal["exact", "alias", "mention", "last", "fuzzy", "incomplete", "refused", "none", "ambiguous"]


class Match(NamedTuple):
    """The option that a text stands for, and how it was found.

    Attributes
    ----------
    option : str
        The option, '' if it is none.
    how : {'exact', 'alias', 'mention', 'last', 'fuzzy', 'incomplete', 'refused', 'none', 'ambiguous'}
        By which rule; `incomplete` is a text that gives no answer, `refused` one that declines to give one, `ambiguous`
        one that gives several.
    """

    option: str
    how: How


def normalize_answer(text: str) -> str:
    """Return the form in which texts are equal under the exact rule.

    Case, accents, width, surrounding punctuation, list letters and leading articles are gone.

    >>> normalize_answer(" b) The Café! "), normalize_answer("U.S."), normalize_answer("C++"), normalize_answer("A")
    ('cafe', 'u.s', 'c++', 'a')
    >>> normalize_answer("Ｊａｐａｎ")
    'japan'
    """
    text = _fold(text).strip(" ")
    text = _strip_punctuation(_LIST_MARK.sub("", text.lstrip("\"'“”‘’«»「『 "), count=1))
    return _strip_punctuation(_ARTICLE.sub("", text, count=1))


def match_option(
    text: str,
    options: Sequence[str] | Mapping[str, Sequence[str]],
    *,
    fuzzy: float = FUZZY_OFF,
    last: bool = False,
) -> Match:
    """Return which of the options a text stands for.

    Rules are tried in this order: the text is an option, or an alias of one, but for case, accents, articles, list
    letters and punctuation; it mentions exactly one option; it declines to choose; it resembles one. An alias of up to
    three capitals is mentioned in capitals only.

    Parameters
    ----------
    text : str
        The answer.
    options : sequence of str, or mapping of str to sequence of str
        The options; a mapping gives each option's aliases.
    fuzzy : float, optional
        How much a text must resemble an option, from 0 to 100, to be taken for it; by default no resemblance is enough.
    last : bool, optional
        Whether a text that mentions several options stands for the last of them; by default it stands for none.

    Returns
    -------
    Match
        The option, '' if there is none, and how it was found.

    Raises
    ------
    ValueError
        If the text, an option or an alias is no text, or `fuzzy` is not between 0 and 100.
    OptionClash
        If two options, or their aliases, cannot be told apart.

    Examples
    --------
    >>> match_option("I would pick Japan.", ["Japan", "Oman"])
    Match(option='Japan', how='mention')
    >>> match_option("Nippon", {"Japan": ["Nippon"], "Oman": []})
    Match(option='Japan', how='alias')
    >>> match_option("Oman is hot, so Japan.", ["Japan", "Oman"], last=True)
    Match(option='Japan', how='last')
    >>> match_option("I can't choose between Japan and Oman.", ["Japan", "Oman"])
    Match(option='', how='refused')
    """
    check_text("text", text)
    check_between("fuzzy", fuzzy, FUZZY_OFF, MOST_FUZZY)
    names = checked_texts("options", options)
    aliases = options if isinstance(options, Mapping) else dict.fromkeys(names, ())
    for name, others in aliases.items():
        checked_texts(f"alias of {name!r}", others)
    return Matcher(aliases).match(text, fuzzy=fuzzy, last=last)


def declines(text: str) -> bool:
    """Return whether a text declines to choose, so that it is no name of an option that nobody declared.

    >>> declines("I'm sorry, but I cannot choose."), declines("Japan")
    (True, False)
    """
    left = without_refusals(_spoken(text), "", ())
    return left.declines or left.disclaims


class OptionClash(Exception):
    """Two options of one cell, or aliases of theirs, that no text could tell apart."""


class Matcher:
    """The options of a cell, ready to be found in texts."""

    def __init__(self, options: Mapping[str, Sequence[str]]) -> None:
        self.options = tuple(options)
        self._exact: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        for name in options:
            form = normalize_answer(name)
            if self._exact.setdefault(form, name) != name:
                raise OptionClash(f"the options {self._exact[form]!r} and {name!r} {_EQUAL}")
        for name, aliases in options.items():
            for alias in filter(None, aliases):
                form = normalize_answer(alias)
                if self._exact.get(form, name) != name:
                    raise OptionClash(f"{alias!r}, an alias of {name!r}, and the option {self._exact[form]!r} {_EQUAL}")
                if self._aliases.setdefault(form, name) != name:
                    raise OptionClash(f"{alias!r} is an alias of both {self._aliases[form]!r} and {name!r}")
        every = [alias.strip() for aliases in options.values() for alias in aliases]
        small = {normalize_answer(alias) for alias in every if not _is_short_capitals(alias)}
        # who lists us beside US wants both, and so does who calls the option itself so
        self._capitals = (
            {normalize_answer(alias) for alias in every if _is_short_capitals(alias)} - small - {*self._exact}
        )
        self._matches: dict[tuple[str, float, bool], Match] = {}

    def option_named(self, text: str) -> str:
        """Return the option that a text is a name of, exactly or by an alias; '' if it is of none."""
        form = normalize_answer(text)
        return self._exact.get(form) or self._aliases.get(form, "")

    def suggestion(self, text: str) -> str:
        """Return a question that names the option a short text resembles, '' if there is none."""
        if len(text) > _LONGEST_SLIP:
            return ""
        nearest = self._nearest(normalize_answer(text), _SLIP)
        return f"; did you mean {nearest.option!r}?" if nearest.option else ""

    def match(self, text: str, *, fuzzy: float = FUZZY_OFF, last: bool = False) -> Match:
        """Return which option a text stands for; texts repeat, so each is looked at once."""
        key = (text, fuzzy, last)
        if key not in self._matches:
            self._matches[key] = self._match(text, fuzzy, last=last)
        return self._matches[key]

    def _match(self, text: str, fuzzy: float, *, last: bool) -> Match:
        form = normalize_answer(text)
        if form in ("", INCOMPLETE):  # before all else, even where an option has that name
            return Match("", INCOMPLETE)
        if form in self._exact:
            return Match(self._exact[form], "exact")
        if form in self._aliases and not self._is_plain_word(form, text):
            return Match(self._aliases[form], "alias")
        left = without_refusals(self._spoken(text), self._spoken(text, cased=True), self._spoken_names)
        mentioned = self._mentioned_options(left.text, left.cased, text)
        several = len(set(mentioned)) > 1
        if mentioned and (last or not several):
            return Match(mentioned[-1], "last" if several else "mention")
        if mentioned:
            return Match("", "ambiguous")
        if left.declines or left.disclaims:
            return Match("", "refused")
        return self._nearest(form, fuzzy) if fuzzy else Match("", "none")

    def _is_plain_word(self, form: str, text: str) -> bool:
        """Return whether an answer is a word of the language and not the capitals of an alias: No. is no Norway."""
        return form in self._capitals and form in _SHORT_WORDS and form.upper() not in text.translate(_WIDTHS)

    def _mentioned_options(self, spoken: str, cased: str, text: str) -> list[str]:
        """Return the options mentioned as whole words, in order; Korea is not, where South Korea is."""
        options, reached = [], 0
        for hit in self._mentions.finditer(spoken):
            end = hit.end(1)
            if hit[1] in _ONE_LETTER_WORDS or (hit[1] in self._capitals and len(hit[1]) == 1):
                if not _is_letter(hit[1], text):
                    continue
            elif hit[1] in self._capitals and not _is_in_capitals(hit[1], hit.span(1), spoken, cased):
                continue
            if end > reached:
                options.append(self._spoken_names[hit[1]])
            reached = max(reached, end)
        return options

    @cached_property
    def _names(self) -> dict[str, str]:
        return {**self._aliases, **self._exact}

    @cached_property
    def _spoken_names(self) -> dict[str, str]:
        """The names as texts are looked through for them."""
        return {self._spoken(name): option for name, option in self._names.items()}

    @cached_property
    def _are_plain(self) -> bool:
        """Whether marks and hyphens tell nothing: no option has a mark of its own, and no two differ by them."""
        plain: dict[str, str] = {}
        return all(
            _unmarked(name) == name and plain.setdefault(_spoken(name), option) == option
            for name, option in self._names.items()
        )

    def _spoken(self, text: str, *, cased: bool = False) -> str:
        """Return a text in the form in which options are looked for in it."""
        return _spoken(text, cased=cased) if self._are_plain else _fold(text, cased=cased)

    @cached_property
    def _mentions(self) -> regex.Pattern[str]:
        """Every place where an option begins, the longest first; without spaces between words, contained is enough."""
        longest_first = sorted((name for name in self._spoken_names if name), key=lambda name: (-len(name), name))
        word = rf"[[\p{{L}}\p{{M}}\p{{N}}_+#]--[{UNSPACED}]]"
        forms = []
        for name in longest_first:
            # inside a number a point or comma ends no word (3,000), nor does the apostrophe of can't
            before = rf"(?<!{word})(?<!\p{{N}}[.,])" if unspaced_script_pattern(word).match(name[0]) else ""
            before += _IN_NUMBER_BEFORE if name[0].isdigit() else ""
            after = rf"(?!{word})(?![.,]\p{{N}})(?!'t\b)" if unspaced_script_pattern(word).match(name[-1]) else ""
            after += _IN_NUMBER_AFTER if name[-1].isdigit() else ""
            forms.append(before + re.escape(name) + after)
        return unspaced_script_pattern(f"(?=({'|'.join(forms)}))") if forms else unspaced_script_pattern(r"(?!)()")

    def _nearest(self, form: str, fuzzy: float) -> Match:
        from rapidfuzz import fuzz, process

        near = process.extract(form, list(self._names), scorer=fuzz.ratio, score_cutoff=fuzzy, limit=None)
        best = {self._names[name] for name, score, _ in near if score == near[0][1]}
        if len(best) > 1:
            return Match("", "ambiguous")
        return Match(best.pop(), "fuzzy") if best else Match("", "none")


def _is_letter(letter: str, text: str) -> bool:
    """Return whether a text has a letter as one: a capital, or marked as a list's is, b) or (b), or Answer: b."""
    marked = rf"(?:^|\s|\(){letter}\)|^{letter}[.:]\s|(?::|\b(?:option|answer|choice|letter))\s*{letter}\b"
    return bool(re.search(rf"\b{letter.upper()}\b", text) or re.search(marked, text.strip(), re.IGNORECASE))


def _is_short_capitals(alias: str) -> bool:
    return len(alias) <= _SHORT and alias.isalpha() and alias.isupper()


def _is_in_capitals(name: str, span: tuple[int, int], spoken: str, cased: str) -> bool:
    """Return whether a name that was found stands there in capitals."""
    if len(spoken) == len(cased):
        return cased[slice(*span)].isupper()
    return re.search(rf"\b{re.escape(name.upper())}\b", cased) is not None  # some letters fold to two


def _spoken(text: str, *, cased: bool = False) -> str:
    """Return the text in the form in which options are looked for, or the same in the case it was written in."""
    return _HYPHEN.sub(" ", _unmarked(_fold(text, cased=cased)))


def _unmarked(text: str) -> str:
    """Return the text without the marks of emphasis, hashtags and headings."""
    for _ in range(_MOST_MARKS):
        plain = _EMPHASIS.sub(r"\2", text) if any(mark in text for mark in "*_~") else text
        if plain == text:
            break
        text = plain
    return _HASH.sub("", text) if "#" in text else text


def _fold(text: str, *, cased: bool = False) -> str:
    """Return the text without case, accents, width and runs of blanks; every other character keeps its place."""
    if text.isascii():
        return " ".join((text if cased else text.lower()).split())
    plain = text.translate(_APOSTROPHES).translate(_WIDTHS)
    parts = unicodedata.normalize("NFD", plain if cased else plain.casefold())
    return " ".join(unicodedata.normalize("NFC", _ACCENTS.sub("", parts)).split())


def _strip_punctuation(text: str) -> str:
    """Return the text without the punctuation around it; what is nothing else stays as it is."""
    return text.strip(_EDGES) or text
