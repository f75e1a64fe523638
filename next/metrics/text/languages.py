"""The language of a text by its script, and of a file by its name.

A script that one language of the table uses gives that language ("ja", "th"). A script that
several share gives its ISO 15924 code ("Latn", "Cyrl", "Arab", "Deva"): its languages cannot be
distinguished here. Traditional and simplified Chinese are both "zh" as texts.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable

import regex

# What script_language returns → the languages written so: ISO 639-1 code, then English and native
# names. A language in two rows is written in both. "cn" and the like are common in file names.
_LANGUAGES = {
    "Latn": """
        en english, de german deutsch, fr french français francais, es spanish español espanol,
        it italian italiano, pt portuguese português portugues, nl dutch nederlands, ca catalan,
        sv swedish svenska, da danish dansk, no norwegian norsk nb nn, fi finnish suomi,
        is icelandic, pl polish polski, cs czech čeština, sk slovak, hu hungarian magyar,
        ro romanian, hr croatian, sr serbian, tr turkish türkçe, vi vietnamese, id indonesian,
        ms malay, tl tagalog filipino, sw swahili""",
    "Cyrl": """
        ru russian русский, uk ukrainian українська, bg bulgarian български, sr serbian српски,
        kk kazakh""",
    "Arab": "ar arabic العربية, fa persian farsi فارسی, ur urdu اردو",
    "Deva": "hi hindi हिन्दी, mr marathi, ne nepali",
    "zh": """
        zh chinese mandarin cn 中文, ja,
        zh-Hans simplified-chinese chinese-simplified zh-cn zh-sg 简体 简体中文 簡體中文,
        zh-Hant traditional-chinese chinese-traditional zh-tw zh-hk 繁體 繁體中文 繁体中文""",
    "ja": "ja japanese jp 日本語",
    "ko": "ko korean kr 한국어",
    "th": "th thai ไทย",
    "lo": "lo lao ລາວ",
    "km": "km khmer ខ្មែរ",
    "my": "my burmese myanmar မြန်မာ",
    "el": "el greek ελληνικά",
    "he": "he hebrew עברית",
    "hy": "hy armenian",
    "ka": "ka georgian",
    "bn": "bn bengali bangla বাংলা",
    "ta": "ta tamil தமிழ்",
    "te": "te telugu",
}
_ENTRIES = [(key, entry.split()) for key, row in _LANGUAGES.items() for entry in row.split(",")]
_SCRIPTS = {script: (script,) for script in _LANGUAGES} | {
    code: tuple(script for script, (other, *_) in _ENTRIES if other == code)
    for _, (code, *_) in _ENTRIES
}
# Native names are often written together with other words, so only ASCII ones need spaces.
_CODES = {
    f" {name.casefold().replace('-', ' ')} " if name.isascii() else name: names[0]
    for _, names in _ENTRIES
    for name in names
}
# These codes are English words too: in the middle of a file name they are probably that.
_ENGLISH_WORDS = (" he ", " id ", " is ", " it ", " my ", " no ")

# A character of a script without spaces says about as much as a word of another one. So each
# counts once, and a Chinese sentence with a few English names in it is Chinese.
_SCRIPT = regex.compile(
    r"(?P<Latn>\p{Latin}+)|(?P<Cyrl>\p{Cyrillic}+)|(?P<Arab>\p{Arabic}+)|(?P<Deva>\p{Devanagari}+)"
    r"|(?P<zh>\p{Han})|(?P<ja>[\p{Hiragana}\p{Katakana}])|(?P<ko>\p{Hangul}+)|(?P<th>\p{Thai})"
    r"|(?P<lo>\p{Lao})|(?P<km>\p{Khmer})|(?P<my>\p{Myanmar})|(?P<el>\p{Greek}+)"
    r"|(?P<he>\p{Hebrew}+)|(?P<hy>\p{Armenian}+)|(?P<ka>\p{Georgian}+)|(?P<bn>\p{Bengali}+)"
    r"|(?P<ta>\p{Tamil}+)|(?P<te>\p{Telugu}+)"
)
_CASE_CHANGE = regex.compile(r"(?<=\p{Ll})(?=\p{Lu})")
_NAME_PART = regex.compile(r"[\p{L}\p{M}]+|\p{N}+")


def script_language(text: str) -> str:
    """Return the language that the script of most words gives, or the script if several share it.

    Text with kana is Japanese, with Han only Chinese. Text without letters, or in a script that is
    not in the table, gives "".

    >>> [script_language(text) for text in ("猫の手", "放手", "손", "рука", "let go", "42")]
    ['ja', 'zh', 'ko', 'Cyrl', 'Latn', '']
    """
    counts = Counter(match.lastgroup or "" for match in _SCRIPT.finditer(text))
    kana = counts.pop("ja", 0)
    counts["zh"] += kana
    winner, count = counts.most_common(1)[0]
    if count == 0:
        return ""
    # A Chinese text may quote a few kana; Japanese prose has many more.
    return "ja" if winner == "zh" and 10 * kana >= count else winner


def scripts_of(language: str) -> tuple[str, ...]:
    """Return all that `script_language` can return for texts in a language, nothing if unknown.

    >>> scripts_of("de"), scripts_of("ja"), scripts_of("zh-Hant"), scripts_of("Latn")
    (('Latn',), ('zh', 'ja'), ('zh',), ('Latn',))
    """
    return _SCRIPTS.get(language) or _SCRIPTS.get(language.partition("-")[0], ())


def matching_languages(text_language: str, languages: Iterable[str]) -> list[str]:
    """Return the languages that a text may be in, given its `script_language` or a language code.

    The same language wins over one that shares its script; an unknown one only matches itself.
    More than one means that they cannot be distinguished; an empty list means that the text is in
    a different script, or has none.

    >>> matching_languages("Latn", ["en", "de", "ja"]), matching_languages("de", ["en", "de"])
    (['en', 'de'], ['de'])
    >>> matching_languages("zh", ["ja", "zh-Hant"]), matching_languages("zh", ["ja", "en"])
    (['zh-Hant'], ['ja'])
    """
    codes = list(dict.fromkeys(languages))
    if text_language in codes:
        return [text_language]
    same = [code for code in codes if code.partition("-")[0] == text_language]
    return same or [code for code in codes if text_language in scripts_of(code)]


def language_in_name(name: str) -> str:
    """Return the language in a file name without its suffix, or in a label; "" if there is none.

    The longest name or code counts, the last one of equal length.

    >>> [language_in_name(name) for name in ("traditional_chinese", "ref_de", "German2024", "refs")]
    ['zh-Hant', 'de', 'de', '']
    """
    spaced = _CASE_CHANGE.sub(" ", unicodedata.normalize("NFC", name)).casefold()
    joined = f" {' '.join(_NAME_PART.findall(spaced))} "
    found = [
        (len(word), joined.rfind(word), code)
        for word, code in _CODES.items()
        if word in joined and (word not in _ENGLISH_WORDS or joined.endswith(word))
    ]
    return max(found)[2] if found else ""
