"""Which of several exit codes is the shell told?"""

from __future__ import annotations

import itertools

from scoresheet.cli.exits import Exit, worst

ORDER = (1, 130, 143, 5, 75, 2, 4, 74, 10, 3, 0)


def test_the_order_has_every_code() -> None:
    assert sorted(ORDER) == sorted(map(int, Exit))


def test_the_worse_code_is_told_whichever_came_first() -> None:
    for worse, better in itertools.combinations(ORDER, 2):
        assert worst([worse, better]) == worst([better, worse]) == worse


def test_nothing_at_all_is_well_and_codes_that_are_not_ours_are_not() -> None:
    assert worst([]) == 0
    assert worst([0, 129]) == Exit.TERMINATED  # SIGHUP
    assert worst([0, 7]) == Exit.BUG
