"""Languages by script and by file name."""

import unicodedata

import pytest

from scoresheet.metrics.text.languages import (
    language_in_name,
    matching_languages,
    script_language,
    scripts_of,
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("to let go", "Latn"),
        ("отпустить", "Cyrl"),
        ("يترك", "Arab"),
        ("छोड़ देना", "Deva"),
        ("舍不得放手", "zh"),
        ("手放したくない", "ja"),
        ("一石二鳥", "zh"),
        ("놓아주다", "ko"),
        ("ปล่อย", "th"),
        ("לשחרר", "he"),
        ("这个词在 ChatGPT and OpenAI 中", "zh"),
        ("The idiom 放手 means to let it go", "Latn"),
        ("这句话引用了の字而已没有别的日文", "zh"),
        ("", ""),
        ("42 … !", ""),
        ("ትግርኛ", ""),
    ],
)
def test_the_script_of_most_words_gives_the_language(text: str, language: str) -> None:
    assert script_language(text) == language


@pytest.mark.parametrize(
    ("language", "scripts"),
    [
        ("en", ("Latn",)),
        ("sr", ("Latn", "Cyrl")),
        ("ja", ("zh", "ja")),
        ("zh-Hans", ("zh",)),
        ("pt-BR", ("Latn",)),
        ("Cyrl", ("Cyrl",)),
    ],
)
def test_scripts_of_a_language(language: str, scripts: tuple[str, ...]) -> None:
    assert scripts_of(language) == scripts


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
        ("let go", ["Latn", "zh"], ["Latn"]),
        ("놓다", ["en", "zh"], []),
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


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("english", "en"),
        ("traditional_chinese", "zh-Hant"),
        ("Chinese (Simplified)", "zh-Hans"),
        ("ref_de", "de"),
        ("DE", "de"),
        ("refs.zh-TW", "zh-Hant"),
        ("pt-BR", "pt"),
        ("EnglishReferences", "en"),
        ("german2024", "de"),
        ("de_en_model", "en"),
        ("english_german", "en"),
        ("français", "fr"),
        (unicodedata.normalize("NFD", "français_v2"), "fr"),
        ("参考答案中文", "zh"),
        ("繁體中文", "zh-Hant"),
        ("한국어참조", "ko"),
        ("ref_it", "it"),
        ("it_answers", ""),
        ("my_refs", ""),
        ("answers_no_3", ""),
        ("thailand", ""),
        ("model", ""),
        ("", ""),
    ],
)
def test_the_longest_language_word_in_a_file_name_counts(name: str, language: str) -> None:
    assert language_in_name(name) == language


@pytest.mark.parametrize(
    "name", ["русский", "العربية", "हिन्दी", "ไทย", "ລາວ", "ខ្មែរ", "မြန်မာ", "বাংলা", "தமிழ்", "日本語"]
)
def test_a_language_is_found_by_its_name_in_its_own_script(name: str) -> None:
    assert script_language(name) in scripts_of(language_in_name(name))
