"""The command and the options of mode-collapse."""

from dataclasses import dataclass

from scoresheet.metrics.command import Command, option


@dataclass(frozen=True)
class ModeCollapseOptions:
    """How choices are counted and tested."""

    options: str = option(
        "", "The options, instead of a table of them, e.g. 'Japan|Nippon,Peru'.", "LIST"
    )
    target: str = option(
        "",
        "Table of level, parent, option and share to test against, instead of equal shares.",
        "FILE",
        table="target",
    )
    extract: str = ""  # this and the following are common options
    ci: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.options and len(listed_options(self.options)) < 2:
            raise ValueError(f"options must name two or more, as in A,B,C, not {self.options!r}")


def listed_options(text: str) -> dict[str, list[str]]:
    """Return the options of a list, each with its aliases.

    >>> listed_options("Japan|Nippon, Peru,")
    {'Japan': ['Nippon'], 'Peru': []}
    """
    parts = [[name.strip() for name in item.split("|")] for item in text.split(",")]
    return {name: [alias for alias in aliases if alias] for name, *aliases in parts if name}


COMMAND = Command(
    "mode-collapse",
    "Choices that models repeat: Gini, entropy and effective number of options.",
    ModeCollapseOptions,
    {"outputs": "data/choices", "options": "data/choice_options"},
    "results/mode_collapse",
    ("choices", "choice_options"),
)
