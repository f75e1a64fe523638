"""diversity against independent programs: pyndeval, ir_measures, scikit-learn, and naive twins."""

import math
from collections import Counter
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyndeval
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_distances

from scoresheet.metrics.diversity.measures import mapped_grades

from .conftest import Study, made_up

NAMES = {"ERR-IA": "ERR_IA", "alpha-DCG": "alpha_DCG", "alpha-nDCG": "alpha_nDCG"}
NAMES |= {"strec": "S_Recall"}
EXACT: dict[str, Any] = {"rel": 0, "abs": 1e-9}


def run_of(study: Study) -> list[tuple[str, str, float]]:
    rows = study.tables()["outputs"]
    return [*zip(rows["query"], rows["item"], -rows["rank"], strict=True)]


@pytest.mark.parametrize("alpha", [0.5, 0.25])
@pytest.mark.parametrize("seed", range(6))
def test_ndeval_is_reproduced(seed: int, alpha: float) -> None:
    study = made_up(seed)
    units = study.units(definition="ndeval", cutoffs="2,5,10,20", alpha=alpha)
    qrels = [pyndeval.SubtopicQrel(q, s, d, int(g)) for q, s, d, g in study.judgments]
    run = [pyndeval.ScoredDoc(*scored) for scored in run_of(study)]
    wanted = [f"{name}@{k}" for name in NAMES for k in (5, 10, 20)]
    found = pyndeval.ndeval(qrels, run, measures=wanted, alpha=alpha)
    assert set(found) == set(units.index)
    for query, values in found.items():
        for measure, value in values.items():
            name, k = measure.split("@")
            assert units.loc[query, f"{NAMES[name]}@{k}"] == pytest.approx(value, **EXACT)


def test_ir_measures_agrees_on_what_it_has() -> None:
    study = made_up(7)
    units = study.units(definition="ndeval")
    qrels = [ir_measures.Qrel(q, d, int(g), s) for q, s, d, g in study.judgments]
    run = [ir_measures.ScoredDoc(*scored) for scored in run_of(study)]
    for name in ("alpha_nDCG", "alpha_DCG", "ERR_IA", "S_Recall"):
        measure = getattr(ir_measures, name.replace("S_Recall", "StRecall")) @ 10
        for found in ir_measures.iter_calc([measure], qrels, run):
            assert units.loc[found.query_id, f"{name}@10"] == pytest.approx(found.value, **EXACT)


def test_text_distances_are_those_of_scikit_learn() -> None:
    texts = ["A red cat", "a red, red dog", "the cat and the dog", "blue whale", "cat"]
    items = pd.DataFrame({"item": list("abcde"), "text": texts})
    study = Study({"q": list("cadbe")}, further={"items": items})
    vectors = TfidfVectorizer(token_pattern=r"\w+").fit_transform(texts)
    apart = cosine_distances(vectors)
    for k in (2, 3, 5):
        order = ["abcde".index(item) for item in "cadbe"[:k]]
        expected = apart[np.ix_(order, order)].sum() / (k * (k - 1))
        found = study.units(cutoffs=str(k))[f"ILD@{k}"].iloc[0]
        assert found == pytest.approx(expected, **EXACT)


def twin(study: Study, query: str, k: int, alpha: float, *, graded: bool) -> dict[str, float]:
    """Every measure as its formula is printed, with loops and dictionaries."""
    grades = zip(study.judgments, mapped_grades([g for *_, g in study.judgments]), strict=True)
    rel = {(d, s): float(r) for (q, s, d, _), r in grades if q == query and r > 0}
    subtopics = sorted({s for _, s in rel})
    size, top = len(subtopics), study.rankings[query][:k]
    counts = Counter(s for d in top for s in subtopics if (d, s) in rel)
    total = sum(counts.values())
    shares = [counts[s] / total if total else math.nan for s in subtopics]

    def alpha_dcg(items: list[str]) -> float:
        seen: Counter[str] = Counter()
        dcg = 0.0
        for i, d in enumerate(items, 1):
            for s in (s for s in subtopics if (d, s) in rel):
                dcg += (rel[d, s] if graded else 1) * (1 - alpha) ** seen[s] / math.log2(i + 1)
                seen[s] += 1
        return dcg / size

    def gain(d: str, chosen: list[str]) -> float:
        again = {s: sum((other, s) in rel for other in chosen) for s in subtopics if (d, s) in rel}
        return sum((rel[d, s] if graded else 1) * (1 - alpha) ** n for s, n in again.items())

    pool, ideal = sorted({d for d, _ in rel}), list[str]()
    while pool and len(ideal) < k:
        best = max(pool, key=lambda d: (round(gain(d, ideal), 12), [-ord(c) for c in d]))
        ideal.append(best)
        pool.remove(best)

    def err(s: str) -> float:
        value, going_on = 0.0, 1.0
        for i, d in enumerate(top, 1):
            value += going_on * rel.get((d, s), 0) / i
            going_on *= 1 - rel.get((d, s), 0)
        return value

    sets = {d: {s for s in subtopics if (d, s) in rel} for d in top}
    known = [(i, d) for i, d in enumerate(top) if sets[d]]
    both = [(a, b) for _, a in known for _, b in known]
    apart = {(a, b): 1 - len(sets[a] & sets[b]) / len(sets[a] | sets[b]) for a, b in both}
    chance = {d: max((rel.get((d, s), 0) for s in subtopics), default=0) for d in top}
    pairs = [(a, b) for a in known for b in known if a != b]
    seen_next = {(i, j): 0.85 ** (max(1, j - i) - 1) for (i, _), (j, _) in pairs}
    normal = 0.0
    for i, a in known:
        others = [(seen_next[i, j] * chance[b], apart[a, b]) for j, b in known if j != i]
        if weight := sum(w for w, _ in others):
            normal += 0.85**i * chance[a] * sum(w * x for w, x in others) / weight
    most = max(alpha_dcg(ideal), alpha_dcg(top))
    several = len(known) > 1
    entropy = -sum(p * math.log(p) for p in shares if p) if total else math.nan
    gini = sum(abs(counts[a] - counts[b]) for a in subtopics for b in subtopics)
    return {
        "S_Recall": len(counts) / size,
        "S_Entropy": entropy,
        "S_Entropy_Norm": entropy / math.log(size) if size > 1 else math.nan,
        "Gini": gini / (2 * size * total) if total else math.nan,
        "Proportionality": 1 - sum(abs(1 / size - p) for p in shares) / 2,
        "alpha_DCG": alpha_dcg(top),
        "alpha_nDCG": alpha_dcg(top) / most,
        "ERR_IA": sum(err(s) for s in subtopics) / size,
        "ILD": sum(apart[a, b] for (_, a), (_, b) in pairs) / len(pairs) if several else math.nan,
        "EILD": sum(chance[a] * chance[b] * apart[a, b] for a, b in both) if several else math.nan,
        "EILD_Norm": normal / sum(0.85**i for i, _ in known) if several else math.nan,
        "Judged": sum(d in {j[2] for j in study.judgments if j[0] == query} for d in top)
        / len(top),
    }


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize(("seed", "alpha", "grades"), [(1, 0.5, 1), (2, 0.5, 4), (3, 0.3, 3)])
def test_every_measure_equals_its_naive_twin(
    seed: int, alpha: float, grades: int, graded: bool
) -> None:
    study = made_up(seed, grades=grades)
    units = study.units(alpha=alpha, graded=graded, cutoffs="1,5,12,40")
    for query in study.rankings:
        for k in (1, 5, 12, 40):
            for name, value in twin(study, query, k, alpha, graded=graded).items():
                found = units.loc[query, f"{name}@{k}"]
                assert found == pytest.approx(value, **EXACT, nan_ok=True), (query, name, k)
