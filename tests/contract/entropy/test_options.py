"""Which options of `entropy` contradict each other?"""

from __future__ import annotations

from pathlib import Path

from tests.helpers.files import write_csv
from tests.helpers.runs import Run


def test_a_vocabulary_that_no_tokenizer_uses_is_a_slip(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "in" / "m.csv", [("text",), ("red fox",)])
    ended = run("entropy", "in", "-o", "out", "--vocabulary", "cl100k_base")
    assert (ended.code, "--tokenizer bpe" in ended.err) == (2, True)
    assert not (tmp_path / "out").exists()
