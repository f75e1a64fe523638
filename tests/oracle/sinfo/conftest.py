"""Every oracle of sinfo is asked about both kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers.kernels import KERNELS, using


@pytest.fixture(autouse=True, scope="module", params=KERNELS)
def kernel(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare texts with the compiled kernel, and with its twin."""
    with using(request.param):
        yield
