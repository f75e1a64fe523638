"""How much of a long search every test run does, and how much is left to `make soak`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

PROFILE = "soak"
USUAL = 100  # examples in the usual profile

# no test asserts a time, and a busy machine is slow to make examples
settings.register_profile("usual", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(PROFILE, settings.get_profile("usual"), max_examples=20 * USUAL)
if settings.get_current_profile_name() != PROFILE:
    settings.load_profile("usual")


def examples(count: int) -> settings:
    """Try a property on so many examples, always the same; under the profile of `make soak` on more, always others."""
    soaking = settings.get_current_profile_name() == PROFILE
    times = settings.default.max_examples // USUAL if soaking and settings.default else 1
    return settings(max_examples=count * times, derandomize=not soaking)


def first(count: int, values: Sequence[Any]) -> list[Any]:
    """Values for a parameter of which every test run tries the first few, and only `make soak` the others."""
    later = [value if isinstance(value, tuple) else (value,) for value in values[count:]]
    return [*values[:count], *(pytest.param(*value, marks=pytest.mark.soak) for value in later)]
