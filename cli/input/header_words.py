"""What headers say by their words: which tell models apart, which tell repeats apart, which are mere attributes."""

from __future__ import annotations

import re
from typing import Final

# compiled when first used: most runs have no headers but those of their own columns
_MODEL: Final = (
    r"(?:ai|base|chat|gen|generating|language|llm)?"
    r"(?:models?|llms?|modell|modelle|modèle|modele|modelo|modello|модель|模型|モデル|모델)"
)
_OF_MODEL: Final = r"(?:id|names?|version|label|key|slug|tag|path|api|code|alias|名|名称|名稱|名前|编号)?"
_SYSTEM: Final = r"(?:system|engine|système|systeme|sistema|система|系统|系統|システム|시스템)(?:name|id)?"
# each may be something else as well: a chat has an assistant's texts, a trainer its checkpoints
_PERHAPS: Final = r"(?:checkpoint|provider|generator|bot|agent|deployment|backend|assistant)(?:id|name|version)?"
_MODELS: Final = rf"(?:{_MODEL}{_OF_MODEL}|{_SYSTEM})"
_NO_MODELS: Final = frozenset({"modelsname", "modelsused"})

# the same thing done again
_AGAIN: Final = """
    attempt completion copy draw generation iter iteration n no number rep repeat repetition replica replicate resample
    sample sampling seed take temp temperature topk topp trial try turn
"""
# what a row is, was asked or came to, and no way of doing it
_OF_ROWS: Final = """
    age answer batch category chars comment correct cost country created culture date day difficulty domain duration
    error field finish flag gender genre hash hour label lang language latency length level lines locale metric month
    note position price quality rank rating ratio reason region relevance score section sentiment size split status stop
    subject tags text time timestamp title token topic truth url valid value week weight words year
    语言 类别 难度 日期 备注 言語 カテゴリ sprache kategorie datum langue catégorie idioma categoría fecha
"""
# the same as a whole header, not as a part of run_id or prompt_type
_WHOLE: Final = "class id idx index key kind order part row stage step type unit user uuid"
_REPEATS: Final = frozenset(_AGAIN.split())
_ATTRIBUTES: Final = frozenset(_OF_ROWS.split())
_BARE_ATTRIBUTES: Final = frozenset(_WHOLE.split())
_WORDS: Final = r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|[^\W_]+"


def tells_models(header: str) -> bool:
    """Return whether a header can hardly name anything but models or systems; of a path into JSON, its last part.

    >>> [tells_models(name) for name in ("Model ID", "response.body.model", "model.name", "Modèle", "LLM name", "模型")]
    [True, True, True, True, True, True]
    >>> [tells_models(name) for name in ("modelling", "systems", "models_used", "judge_model", "method")]
    [False, False, False, False, False]
    """
    return any(re.fullmatch(_MODELS, name) and name not in _NO_MODELS for name in _names(header))


def may_tell_models(header: str) -> bool:
    """Return whether a header names models if its cells are names.

    >>> [may_tell_models(name) for name in ("checkpoint", "Agent", "meta.provider", "assistant", "agents of change")]
    [True, True, True, True, False]
    """
    return any(re.fullmatch(_PERHAPS, name) for name in _names(header))


def last_part(header: str) -> str:
    """Return a header without case, blanks and punctuation; of a path into JSON, its last part.

    >>> last_part("SYS-TEM"), last_part("meta.Prompt type")
    ('system', 'prompttype')
    """
    return _bare(header.rpartition(".")[2])


def tells_repeats(header: str) -> bool:
    """Return whether a header counts or seeds what was done again.

    >>> [tells_repeats(name) for name in ("seed", "sample_id", "randomSeed", "Temperature", "system")]
    [True, True, True, True, False]
    """
    return not _REPEATS.isdisjoint(_words(header))


def is_attribute(header: str) -> bool:
    """Return whether a header names what a row is, was asked or came to.

    >>> [is_attribute(name) for name in ("category", "prompt_language", "finishReason", "id", "run_id", "method")]
    [True, True, True, True, False, False]
    """
    return not _ATTRIBUTES.isdisjoint(_words(header)) or last_part(header) in _BARE_ATTRIBUTES


def _names(header: str) -> tuple[str, ...]:
    """Return what a header may be called: model.name is a model's name as well as a name."""
    parts = [_bare(part) for part in header.split(".")]
    return (parts[-1], "".join(parts[-2:])) if len(parts) > 1 else (parts[-1],)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _words(header: str) -> set[str]:
    found = [word.casefold() for word in re.findall(_WORDS, header.rpartition(".")[2])]
    return {*found, *(word.removesuffix("s") for word in found)}
