"""Scoring of explanations against their references."""

import random
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from scoresheet.metrics.family import Scores, Tables, carried_along
from scoresheet.metrics.measure import measure_of
from scoresheet.metrics.problem import Problem, row_problems
from scoresheet.metrics.sinfo import SinfoOptions
from scoresheet.metrics.sinfo.measures import brevity_penalty, component, precision, s_info
from scoresheet.metrics.sinfo.references import SEPARATOR, Reference, references_of_rows
from scoresheet.metrics.stats import Floats
from scoresheet.metrics.text import fold_case_and_punctuation, has_words, tokenize, words

AUDITED_WORDS = 400  # the library is quadratic and recursive
NO_WORDS = "the prediction has no words"


def score(tables: Tables, options: SinfoOptions) -> Scores:
    """Score every row of one model against its references."""
    rows = tables["outputs"]
    predictions = [text.strip() for text in rows["prediction"]]
    found, problems = references_of_rows(tables, options.language)
    compared = _compared([*predictions, *(ref.text for refs in found for ref in refs)], options)
    references = [[ref for ref in refs if has_words(compared[ref.text])] for refs in found]
    wordless = np.array([not has_words(compared[text]) for text in predictions], dtype=bool)
    missing = np.array([not refs for refs in references], dtype=bool)

    scored = np.flatnonzero(~wordless & ~missing)
    groups = [references[row] for row in scored]
    pairs = _score_pairs([predictions[row] for row in scored], groups, compared, options)
    values = np.full((3, len(rows)), np.nan)
    values[:, scored], best = _combine(pairs, groups, options.references_by)
    p, bp, information = values
    shown = [Reference(refs[0].text if refs else "") for refs in references]
    for row, reference in zip(scored, best, strict=True):
        shown[row] = reference
    if options.unanswered == "zero":
        information[wordless & ~missing] = 0.0

    band = measure_of(s_info).band
    units = {
        "Sheet": rows["sheet"].to_numpy(),
        "Idiom": rows["idiom"].to_numpy(),
        "Reference": [reference.text for reference in shown],
        "Prediction": predictions,
        "P_ROUGE": p,
        "BP": bp,
        "S_Info": information,
        "Row": rows["row"].to_numpy(),
        "Band": [band(value) for value in information.tolist()],
        "Component": component(p, bp),
        "Language": [reference.language for reference in shown],
        "Problem": np.select([wordless, missing], [NO_WORDS, "no reference"], "").tolist(),
    }
    problems += row_problems(rows, wordless, Problem("no-words", "row", NO_WORDS))
    unknown = missing & ~wordless
    hint = _loose_hint(rows["idiom"].to_numpy()[unknown], tables)
    no_reference = Problem("no-reference", "row", "no reference for this key", hint=hint)
    problems += row_problems(rows, unknown, no_reference)
    return Scores(pd.DataFrame(units | carried_along(rows)), problems)


def audit(units: pd.DataFrame, options: SinfoOptions, count: int, seed: int) -> None:
    """Score some rows again with the library `rouge`; a difference is a bug."""
    if options.rouge != "rouge" or options.references_by == "mean":
        return
    from rouge import Rouge

    library = Rouge(metrics=["rouge-l"])
    scored = units.index[units["P_ROUGE"].notna()].tolist()
    chosen = random.Random(seed).sample(scored, min(count, len(scored)))
    columns = ["Prediction", "Reference", "P_ROUGE", "Row"]
    for prediction, reference, found, row in units.loc[chosen, columns].to_numpy().tolist():
        compared = _compared([prediction, reference], options)
        if max(len(text.split()) for text in compared.values()) > AUDITED_WORDS:
            continue
        both = compared[prediction], compared[reference]
        expected = library.get_scores(*both)[0]["rouge-l"]["p"]
        if expected != found:
            raise AssertionError(f"row {row}: P_ROUGE is {found}, the library says {expected}")


def _compared(texts: Iterable[str], options: SinfoOptions) -> dict[str, str]:
    """Return each text as it is compared, with white space between its words."""
    fold = fold_case_and_punctuation if options.normalize else str
    return {text: tokenize(fold(text), how=options.tokenizer) for text in set(texts)}


def _score_pairs(
    predictions: Sequence[str],
    groups: Sequence[Sequence[Reference]],
    compared: dict[str, str],
    options: SinfoOptions,
) -> Floats:
    """Return P_ROUGE, BP and S_Info of each prediction against each reference of its group."""
    answers = [text for text, refs in zip(predictions, groups, strict=True) for _ in refs]
    texts = answers, [ref.text for refs in groups for ref in refs]
    tokens = [[compared[text] for text in column] for column in texts]
    p = precision(*(texts if options.rouge == "charset" else tokens), rouge=options.rouge)
    count = len if options.length == "chars" else lambda text: len(words(compared[text]))
    bp = brevity_penalty(*([count(text) for text in column] for column in texts))
    return np.array([p, bp, s_info(bp, p)])


def _combine(
    values: Floats, groups: Sequence[Sequence[Reference]], how: str
) -> tuple[Floats, list[Reference]]:
    """Return values and reference of each group: the best, the first, or the mean of all."""
    sizes = np.array([len(refs) for refs in groups], dtype=int)
    starts = np.cumsum(sizes) - sizes
    if how == "mean":
        joined = [SEPARATOR.join(ref.text for ref in refs) for refs in groups]
        shown = [Reference(t, refs[0].language) for t, refs in zip(joined, groups, strict=True)]
        return np.add.reduceat(values, starts, axis=1) / sizes, shown
    order = np.arange(sizes.sum())
    if how == "max":  # a stable sort: the first of equal ones
        order = np.lexsort((-values[2], np.repeat(starts, sizes)))
    best = order[starts]
    shown = [refs[i] for refs, i in zip(groups, (best - starts).tolist(), strict=True)]
    return values[:, best], shown


def _loose_hint(keys: Iterable[str], tables: Tables) -> str:
    """Return what to type where references have keys that differ only in case and spaces."""
    others = tables["references"]["idiom"] if "references" in tables else ()
    known = {key.casefold().replace(" ", "") for key in others}
    matches = any(key.casefold().replace(" ", "") in known for key in keys)
    return "--match loose" if matches else ""
