"""Score model outputs that are in CSV and Excel files.

`score` does what the scoring commands do, with data frames or files; the measures are functions of
plain values. scoresheet.cli.api has all names. They are imported when one is used first, so that
`import scoresheet` is quick.

>>> import scoresheet
>>> round(scoresheet.gini([16, 10, 3]), 4)
0.2989
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoresheet.cli.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        from scoresheet.cli import api

        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module 'scoresheet' has no attribute {name!r}")


def __dir__() -> list[str]:
    from scoresheet.cli import api

    return [*globals(), *api.__all__]
