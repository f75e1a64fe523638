"""Over which queries are systems compared?"""

from __future__ import annotations

import pytest

from tests.helpers.diversity import RANKING, Lab


def test_a_query_in_several_sheets_is_one_unit_of_a_comparison(lab: Lab) -> None:
    worse = RANKING.replace(",A,1", ",Z,1").replace(",B,2", ",A,2")
    for sheet in ("s1", "s2", "s3"):
        lab.put(f"outs/good/{sheet}.csv", RANKING)
        lab.put(f"outs/poor/{sheet}.csv", worse)
    assert lab.score().code == 0
    line = lab.comparison()
    assert line["Shared"] == 8
    assert line["P_Value"] == pytest.approx(2 / 2**8)
    assert line["Finding"] == "good is higher"


def test_a_system_of_one_sheet_is_compared_with_one_of_several(lab: Lab) -> None:
    lab.put("outs/one.csv", RANKING)
    lab.put("outs/two/s1.csv", RANKING)
    lab.put("outs/two/s2.csv", RANKING)
    assert lab.score().code == 0
    line = lab.comparison()
    assert (line["Shared"], line["Difference"], line["P_Value"]) == (8, 0, 1)


def test_too_few_queries_are_called_too_few(lab: Lab) -> None:
    lab.put("outs/a.csv", "".join(RANKING.splitlines(keepends=True)[:7]))
    lab.put("outs/b.csv", "query,item,rank\nq1,B,2\nq1,Z,1\nq2,B,2\nq2,Z,1\nq3,B,2\nq3,Z,1\n")
    assert lab.score().code == 0
    assert lab.comparison()["Finding"] == "too few queries to tell"
