"""Functions of one process that take turns: what a call of each costs."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from measure import Measurement

SHORTEST = 0.05  # CPU seconds of one turn: a call that takes less is repeated, or the clock would be measured


def take_turns(
    sides: Mapping[str, Callable[[], object]],
    *,
    repeat: int,
    check: Callable[[Mapping[str, Any]], None],
    long: bool = False,
) -> list[dict[str, Measurement]]:
    """Return what one call of each side costs, for each round, after `check` has seen what they returned.

    Every round begins with another side, so that none of them always runs in another's wake. `long` calls are made
    once a turn; the caller has made an unmeasured one of each.
    """
    loops = {side: 1 if long else loops_for(call) for side, call in sides.items()}
    order = list(sides)
    rounds = []
    for _ in range(repeat):
        measured, results = {}, {}
        for side in order:
            measured[side], results[side] = timed(sides[side], loops[side])
        check(results)
        rounds.append({side: measured[side] for side in sides})
        order.append(order.pop(0))
    return rounds


def loops_for(call: Callable[[], object]) -> int:
    """Return how many calls make one turn, after an unmeasured one that pays for what is made only once."""
    call()
    loops = 1
    while (cost := timed(call, loops)[0].cpu * loops) < SHORTEST / 2:
        loops = math.ceil(loops * min(10.0, SHORTEST / max(cost, 1e-9)))
    return loops


def timed(call: Callable[[], object], loops: int) -> tuple[Measurement, object]:
    """Return the cost of one call, as the mean of so many, and what the last one returned."""
    result: object = None
    gc.collect()  # what the side before has left is not this one's to clean up
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(loops):
        result = call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Measurement(cpu=cpu / loops, wall=wall / loops, peak=0), result
