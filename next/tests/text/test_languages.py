"""Languages by script and by file name."""

import unicodedata

import pytest

from scoresheet.metrics.text.languages import (
    language_in_name,
    matching_languages,
    script_language,
    scripts_of,
)

TEXTS = {
    "Latn": ["to let go", "The idiom 放手 means to let it go"],
    "Cyrl": ["отпустить"],
    "Arab": ["يترك"],
    "Deva": ["छोड़ देना"],
    "zh": [
        "舍不得放手",
        "一石二鳥",
        "这个词在 ChatGPT and OpenAI 中",
        "这句话引用了の字而已没有别的日文",
    ],
    "ja": ["手放したくない"],
    "ko": ["놓아주다"],
    "th": ["ปล่อย"],
    "he": ["לשחרר"],
    "": ["", "42 … !", "ትግርኛ"],
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_script_of_most_words_gives_the_language(language: str) -> None:
    assert [script_language(text) for text in TEXTS[language]] == [language] * len(TEXTS[language])


@pytest.mark.parametrize("language", ["xx", "English", "tlh-Latn"])
def test_an_unknown_language_matches_only_itself(language: str) -> None:
    assert scripts_of(language) == ()
    assert matching_languages(language, ["en", language]) == [language]
    assert matching_languages("Latn", ["en", language]) == ["en"]


@pytest.mark.parametrize(
    ("text", "languages", "matching"),
    [
        ("let go", ["en", "zh", "de", "en"], ["en", "de"]),
        ("放手", ["en", "ja", "zh"], ["zh"]),
        ("放手", ["en", "ja"], ["ja"]),
        ("放手", ["zh-Hans", "zh-Hant", "en"], ["zh-Hans", "zh-Hant"]),
        ("手放す", ["zh", "ja"], ["ja"]),
        ("手放す", ["zh", "en"], []),
        ("отпустить", ["ru", "sr", "en"], ["ru", "sr"]),
        ("let go", ["sr", "pt-BR", "zh"], ["sr", "pt-BR"]),
        ("let go", ["Latn", "zh"], ["Latn"]),
        ("42", ["en", "zh"], []),
    ],
)
def test_references_are_chosen_by_the_script_of_the_text(
    text: str, languages: list[str], matching: list[str]
) -> None:
    assert matching_languages(script_language(text), languages) == matching


def test_a_language_given_by_code_matches_only_itself() -> None:
    assert matching_languages("de", ["en", "fr"]) == []
    assert matching_languages("zh-Hant", ["zh-Hans", "zh-Hant"]) == ["zh-Hant"]


NAMES = {
    "en": ["english", "EnglishReferences", "de_en_model", "english_german"],
    "zh-Hant": ["traditional_chinese", "refs.zh-TW", "繁體中文"],
    "zh-Hans": ["Chinese (Simplified)"],
    "zh": ["参考答案中文"],
    "de": ["ref_de", "DE", "german2024"],
    "pt": ["pt-BR"],
    "fr": ["français", unicodedata.normalize("NFD", "français_v2")],
    "ko": ["한국어참조"],
    "it": ["ref_it"],
    "": ["it_answers", "my_refs", "answers_no_3", "thailand", "model", ""],
}


@pytest.mark.parametrize(
    ("language", "name"), [(c, n) for c, names in NAMES.items() for n in names]
)
def test_the_longest_language_word_in_a_file_name_counts(language: str, name: str) -> None:
    assert language_in_name(name) == language


@pytest.mark.parametrize(
    "name", ["русский", "العربية", "हिन्दी", "ไทย", "ລາວ", "ខ្មែរ", "မြန်မာ", "বাংলা", "தமிழ்", "日本語"]
)
def test_a_language_is_found_by_its_name_in_its_own_script(name: str) -> None:
    assert script_language(name) in scripts_of(language_in_name(name))
