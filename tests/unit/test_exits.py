"""Which exit code goes before which?"""

from __future__ import annotations

from itertools import combinations

import pytest

from scoresheet.cli.exits import Exit, worst

ORDER = (1, 130, 143, 5, 75, 2, 4, 74, 10, 3, 0)


def test_every_code_has_its_place() -> None:
    assert sorted(ORDER) == sorted(int(code) for code in Exit)


@pytest.mark.parametrize(("first", "second"), list(combinations(ORDER, 2)))
def test_of_two_codes_the_worse_is_said_whatever_their_order(first: int, second: int) -> None:
    assert worst([first, second]) == worst([second, first]) == first


def test_nothing_wrong_is_0_and_a_strange_code_is_a_bug() -> None:
    assert worst([]) == Exit.OK
    assert worst([0, 139]) == Exit.BUG
