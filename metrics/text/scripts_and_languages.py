"""Which language a text is in, as far as its script tells, and which language a name or file name means."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import MissingExtra
from scoresheet.metrics.text.rouge_tokenizer import unspaced_script_pattern

# code: (how it is written, names and further codes). Languages written alike cannot be told apart by script.
_LANGUAGES: Final[dict[str, tuple[str, str]]] = {
    "ar": ("Arabic", "arabic ara"),
    "bg": ("Cyrillic", "bulgarian bul"),
    "bn": ("Bengali", "bengali bangla"),
    "cs": ("Latin", "czech ces cze"),
    "da": ("Latin", "danish"),
    "de": ("Latin", "german deu ger deutsch"),
    "el": ("Greek", "greek ell gre"),
    "en": ("Latin", "english eng"),
    "es": ("Latin", "spanish spa español espanol castilian"),
    "fa": ("Arabic", "persian farsi fas"),
    "fi": ("Latin", "finnish"),
    "fr": ("Latin", "french fra fre français francais"),
    "he": ("Hebrew", "hebrew heb"),
    "hi": ("Devanagari", "hindi hin"),
    "hu": ("Latin", "hungarian hun"),
    "id": ("Latin", "indonesian ind"),
    "it": ("Latin", "italian ita italiano"),
    "ja": ("ja", "japanese jpn 日本語"),
    "km": ("Khmer", "khmer khm"),
    "ko": ("ko", "korean kor 한국어"),
    "lo": ("Lao", "lao"),
    "ms": ("Latin", "malay msa"),
    "my": ("Myanmar", "burmese mya bur"),
    "nl": ("Latin", "dutch nld dut nederlands"),
    "no": ("Latin", "norwegian nor nb nob nn nno"),
    "pl": ("Latin", "polish pol"),
    "pt": ("Latin", "portuguese por português portugues"),
    "ro": ("Latin", "romanian ron rum"),
    "ru": ("Cyrillic", "russian rus русский"),
    "sv": ("Latin", "swedish swe"),
    "sw": ("Latin", "swahili swa"),
    "ta": ("Tamil", "tamil tam"),
    "te": ("Telugu", "telugu"),
    "th": ("Thai", "thai tha"),
    "tl": ("Latin", "tagalog filipino tgl"),
    "tr": ("Latin", "turkish tur"),
    "uk": ("Cyrillic", "ukrainian ukr"),
    "ur": ("Arabic", "urdu urd"),
    "vi": ("Latin", "vietnamese vie"),
    "zh": ("zh", "chinese mandarin zho cmn 中文 汉语 漢語"),
    "zh-Hans": ("zh", "simplified_chinese chinese_simplified zh_hans zh_cn zh_sg 简体中文 简体"),
    "zh-Hant": ("zh", "traditional_chinese chinese_traditional zh_hant zh_tw zh_hk 繁體中文 繁體"),
}

_CODES: Final[dict[str, str]] = {
    name: code
    for code, (_, names) in _LANGUAGES.items()
    for listed in [code.lower().replace("-", "_"), *names.split()]
    # file names write two words together or apart
    for name in {listed.replace("_", " "), listed.replace("_", "") if len(listed) > 7 else listed.replace("_", " ")}
}

# codes that are English words too: they name a language alone or at the end, as in "idioms_it", not in "my_idioms"
_WORDS_TOO: Final = {"my", "no", "it", "he", "hi", "id", "lo", "ms", "uk", "nor", "may", "ell", "pol", "por", "ind"}

_SCRIPTS: Final = ("Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Bengali", "Tamil", "Telugu", "Thai")
_SCRIPTS_OF_EAST_ASIA: Final = {"ja": r"\p{Hiragana}\p{Katakana}", "ko": r"\p{Hangul}", "zh": r"\p{Han}"}
_LETTERS: Final = "|".join(
    [f"(?P<{code}>[{letters}]+)" for code, letters in _SCRIPTS_OF_EAST_ASIA.items()]
    + [rf"(?P<{script}>\p{{{script}}}+)" for script in (*_SCRIPTS, "Lao", "Khmer", "Myanmar")]
)
# a syllable or word sign says about as much as this many letters of an alphabet
_WEIGHT_OF_A_SIGN: Final = 2


def language_named(name: str) -> str | None:
    """Return the code of the language that a name or one of a file name's words means, the longest match first.

    >>> language_named("traditional_chinese"), language_named("Chinese"), language_named("references")
    ('zh-Hant', 'zh', None)
    """
    words = [word for word in re.split(r"[\W\d_]+", name.lower()) if word]
    for length in (2, 1):
        for start in range(len(words) - length + 1):
            named = " ".join(words[start : start + length])
            if named in _CODES and (named not in _WORDS_TOO or start == len(words) - 1):
                return _CODES[named]
    return None


def is_language_header(header: str) -> bool:
    """Return whether a column is headed by a language, as in a table with a column of references for each.

    >>> [header for header in ("English", "中文", "ja", "id", "category") if is_language_header(header)]
    ['English', '中文', 'ja']
    """
    return language_named(header) is not None and header.strip().lower() not in _WORDS_TOO


def detect_script(text: str) -> str:
    """Return how a text is written: ja, ko, zh, the name of its main script, or '' if it has no letters.

    >>> detect_script("画蛇添足 means to ruin a thing by adding to it")
    'Latin'
    >>> detect_script("余計なことをする"), detect_script("弄巧成拙")
    ('ja', 'zh')
    """
    if text.isascii():
        return "Latin" if text[:1].isalpha() or any(map(str.isalpha, text)) else ""
    weights: Counter[str] = Counter()
    for run in unspaced_script_pattern(_LETTERS).finditer(text):
        group = run.lastgroup or ""
        sign = _WEIGHT_OF_A_SIGN if group in _SCRIPTS_OF_EAST_ASIA else 1
        weights[group] += sign * (run.end() - run.start())
    if not weights:
        return ""
    signs = sum(weights[code] for code in _SCRIPTS_OF_EAST_ASIA)
    script, weight = max(
        ((name, count) for name, count in weights.items() if name not in _SCRIPTS_OF_EAST_ASIA),
        key=lambda pair: pair[1],
        default=("", 0),
    )
    if weight >= signs:
        return script
    if weights["ja"] or weights["ko"]:  # Han signs stand in Japanese and Korean too; kana and Hangul decide
        return "ja" if weights["ja"] >= weights["ko"] else "ko"
    return "zh"


def script_of(language: str) -> str:
    """Return how a language is written, '' if it is not one we know."""
    return _LANGUAGES[language][0] if language in _LANGUAGES else ""


def is_variant_of(language: str, wanted: str) -> bool:
    """Return whether a language is the wanted one or a variety of it (zh-Hant of zh)."""
    return language == wanted or language.startswith(wanted + "-")


def detect_language(text: str, among: Sequence[str]) -> str:
    """Return the likeliest of some languages by the offline detector; varieties of one language are not told apart."""
    codes = {language.split("-")[0] for language in among}
    return next((code for code, _ in language_detector()(text) if code in codes), "")


@cache
def language_detector() -> Callable[[str], list[tuple[str, float]]]:
    """Return the offline detector's ranking of languages, or say which extra brings it."""
    try:
        import py3langid
    except ImportError:
        raise MissingExtra(flag("language detect"), "langid") from None
    ranking: Callable[[str], list[tuple[str, float]]] = py3langid.rank
    return ranking
