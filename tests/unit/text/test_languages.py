"""Languages: by name, by script, and which references a prediction is held to."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from scoresheet.metrics.families.sinfo.references import SelectedReferences, reference, select_references
from scoresheet.metrics.problems import MissingExtra
from scoresheet.metrics.text import rouge_tokenizer as tokens
from scoresheet.metrics.text import scripts_and_languages as languages
from scoresheet.metrics.text.rouge_l import Text
from scoresheet.metrics.text.scripts_and_languages import detect_script, language_named


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("japanese", "ja"),
        ("traditional_chinese", "zh-Hant"),
        ("TraditionalChinese", "zh-Hant"),
        ("idioms-zh_TW", "zh-Hant"),
        ("Chinese (Traditional)", "zh-Hant"),
        ("simplified chinese", "zh-Hans"),
        ("my_chinese_idioms", "zh"),
        ("zh", "zh"),
        ("English", "en"),
        ("ref.fr.v2", "fr"),
        ("한국어", "ko"),
        ("references", None),
        ("gold", None),
        ("", None),
    ],
)
def test_a_name_means_a_language_by_one_of_its_words(name: str, code: str | None) -> None:
    assert language_named(name) == code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to overdo it", "Latin"),
        ("déjà vu", "Latin"),
        ("画蛇添足", "zh"),
        ("余計なことをする", "ja"),
        ("그림의 떡", "ko"),
        ("лишнее", "Cyrillic"),
        ("画蛇添足 means to ruin a thing by adding to it", "Latin"),
        ("现在常用ChatGPT来写文章和回答问题", "zh"),
        ("123 !?", ""),
        ("", ""),
    ],
)
def test_the_script_in_the_lead_tells_how_a_text_is_written(text: str, expected: str) -> None:
    assert detect_script(text) == expected


ENGLISH, FRENCH = reference(Text("to overdo it"), "en"), reference(Text("en faire trop"), "fr")
CHINESE, JAPANESE = reference(Text("多此一举"), "zh"), reference(Text("余計なことをする"), "ja")
TRADITIONAL = reference(Text("多此一舉"), "zh-Hant")


def _chosen(prediction: str, *references: Any, language: str = "auto") -> SelectedReferences:
    return select_references(Text(prediction), references, language)


def test_the_references_in_the_language_of_the_prediction_are_used() -> None:
    assert _chosen("做了多余的事", ENGLISH, CHINESE, JAPANESE) == SelectedReferences.of((CHINESE,))
    assert _chosen("余計なこと", ENGLISH, CHINESE, JAPANESE) == SelectedReferences.of((JAPANESE,))
    assert _chosen("doing too much", ENGLISH, CHINESE, JAPANESE) == SelectedReferences.of((ENGLISH,))


def test_languages_of_one_script_are_all_used_and_it_is_said() -> None:
    choice = _chosen("doing too much", ENGLISH, FRENCH, CHINESE)
    assert choice.references == (ENGLISH, FRENCH)
    assert "cannot be told apart" in choice.ambiguity
    assert _chosen("多餘", CHINESE, TRADITIONAL, ENGLISH).references == (CHINESE, TRADITIONAL)


def test_the_detector_tells_languages_of_one_script_apart() -> None:
    assert _chosen("this is doing far too much of it", ENGLISH, FRENCH, language="detect") == SelectedReferences.of(
        (ENGLISH,)
    )
    assert _chosen(
        "c'est vraiment en faire beaucoup trop", ENGLISH, FRENCH, language="detect"
    ) == SelectedReferences.of((FRENCH,))


def test_the_detector_leaves_varieties_of_one_language_in_doubt() -> None:
    choice = _chosen("做了多餘的事", CHINESE, TRADITIONAL, ENGLISH, language="detect")
    assert choice.references == (CHINESE, TRADITIONAL)
    assert choice.ambiguity


def test_no_reference_in_the_language_of_the_prediction_means_all_and_it_is_said() -> None:
    choice = _chosen("лишнее", ENGLISH, CHINESE)
    assert choice.references == (ENGLISH, CHINESE)
    assert "Cyrillic" in choice.ambiguity
    assert _chosen("doing too much", CHINESE).ambiguity


def test_a_named_language_overrides_what_the_script_says() -> None:
    assert _chosen("画蛇添足", ENGLISH, CHINESE, language="en") == SelectedReferences.of((ENGLISH,))
    assert _chosen("x", ENGLISH, TRADITIONAL, language="Chinese") == SelectedReferences.of((TRADITIONAL,))
    assert "no reference in ko" in _chosen("x", ENGLISH, CHINESE, language="ko").ambiguity


def _without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    original = builtins.__import__

    def refusing(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return original(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", refusing)


def test_a_missing_extra_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    languages.language_detector.cache_clear()
    tokens.chinese_segmenter.cache_clear()
    _without(monkeypatch, "py3langid")
    with pytest.raises(MissingExtra, match=r"pip install 'scoresheet\[langid\]'"):
        languages.language_detector()
    _without(monkeypatch, "rjieba")
    with pytest.raises(MissingExtra, match=r"pip install 'scoresheet\[words\]'"):
        tokens.chinese_segmenter()


def test_the_segmenter_cuts_chinese_into_words_and_leaves_the_rest_to_auto() -> None:
    assert tokens.sentences("喜爱得舍不得放手。用GPT-4", "words") == [
        ["喜爱", "得", "舍不得", "放手", "。", "用", "GPT", "-", "4"]
    ]
    assert tokens.sentences("plain words. here", "words") == [["plain", "words"], ["here"]]
    assert tokens.sentences("余計な", "words")[0][-1] == "な"
