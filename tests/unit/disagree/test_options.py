"""Options of disagree that contradict each other are refused before anything is read."""

from __future__ import annotations

from typing import Any

import pytest

from scoresheet.metrics.families.disagree.options import DisagreeOptions


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"columns_are": "judges", "strategies": "strategies.csv"}, "columns-are judges contradicts strategies"),
        (
            {"level": "nominal", "strategies": "strategies.csv"},
            "level nominal knows labels only, and strategies move scores",
        ),
    ],
)
def test_what_contradicts_strategies_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        DisagreeOptions(**options)
    assert DisagreeOptions(**options | {"strategies": ""}).strategies == ""
