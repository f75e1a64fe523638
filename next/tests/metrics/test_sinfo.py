"""sinfo as a function of tables."""

import pandas as pd

from scoresheet.metrics.sinfo import SinfoOptions
from scoresheet.metrics.sinfo.score import score


def scored(references: list[tuple[str, str]], **options: str | bool) -> pd.DataFrame:
    rows = {"sheet": "s", "idiom": "x", "prediction": "let it go", "row": 2}
    place = {"file": "a.csv", "worksheet": ""}
    table = pd.DataFrame(references, columns=["reference", "language"]).assign(idiom="x")
    tables = {"outputs": pd.DataFrame([rows | place]), "references": table}
    return score(tables, SinfoOptions(**options)).units  # type: ignore[arg-type]


def test_a_reference_without_words_after_normalize_counts_as_missing() -> None:
    only = scored([("?!", "")], normalize=True, length="tokens")
    assert only["Problem"].tolist() == ["no reference"]
    both = scored([("?!", ""), ("Let it go!", "")], normalize=True, length="tokens")
    assert both[["Reference", "S_Info"]].values.tolist() == [["Let it go!", 1.0]]


def test_languages_are_named_by_code_or_name_and_unknown_ones_are_ignored() -> None:
    references = [("deixa ir", "Portuguese"), ("let it go", "en"), ("jImej", "Klingon")]
    assert scored(references, language="pt-BR")["Language"].tolist() == ["pt"]
    assert scored(references, language="en")["S_Info"].tolist() == [1.0]
    assert scored(references[1:])["Language"].tolist() == ["en"]
