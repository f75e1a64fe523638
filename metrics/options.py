"""Options: frozen settings that carry their own help text, so that CLI, docs and signature read one source."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Final

from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, HIGHEST_CONFIDENCE, LOWEST_CONFIDENCE


def option(  # noqa: PLR0913 - what an option is known by is all said where it is declared
    default: Any,
    about: str,
    *,
    choices: tuple[str, ...] = (),
    former: Mapping[str, str] | None = None,
    sign: str = "",
    always: bool = False,
    minimum: float | None = None,
    maximum: float | None = None,
    metavar: str | None = None,
    repeatable: bool = False,
    common: bool | str = False,
) -> Any:
    """Return a dataclass field with its help text, its valid values and its short name in the signature.

    `sign` names the option in the signature, `always` keeps it there at its default value too. `former` has the words
    that a choice was known by, each with today's; they stay valid for a release. A `repeatable` text may be
    given several times, or once with commas. A `common` one stands on the first screen of help,
    with these words where they are a text: half a line, since that screen is short; the others are under --help-all.
    """
    metadata = {
        "about": about,
        "choices": choices,
        "former": former or {},
        "sign": sign,
        "always": always,
        "minimum": minimum,
        "maximum": maximum,
        "metavar": metavar,
        "repeatable": repeatable,
        "common": common,
    }
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Options:
    """What every family can be told; a family adds its own fields below."""

    ci: float = option(
        CONFIDENCE_LEVEL,
        "Level of confidence of intervals; tests and findings go by one minus it.",
        sign="ci",
        minimum=LOWEST_CONFIDENCE,
        maximum=HIGHEST_CONFIDENCE,
        metavar="LEVEL",
        common="Confidence level of intervals.",
    )
    seed: int = option(0, "Seed of everything random: intervals, p-values, samples.", sign="seed", minimum=0)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, todays_word(getattr(self, field.name), field.metadata["former"]))
            check_option(field, getattr(self, field.name))

    def signature(self, *, referenced: bool = True) -> Iterator[str]:
        """Yield `name:value` for each option that can change a number; references may make one idle."""
        for field in own_first(type(self)):
            value = getattr(self, field.name)
            sign = field.metadata["sign"]
            if sign and (field.metadata["always"] or value != field.default):
                yield f"{sign}:{self.in_signature(field.name, value)}"

    def named_headers(self) -> tuple[str, ...]:
        """Return the columns of the user's that the options name: a header has them."""
        return ()

    def in_signature(self, name: str, value: object) -> str:
        """Return how an option's value is written in the signature."""
        return str(value) if value != "" else "off"


def own_first(options: type[Options]) -> list[dataclasses.Field[Any]]:
    """Return the fields of a family's options, its own before those that every family has."""
    shared = {field.name for field in dataclasses.fields(Options)}
    return sorted(dataclasses.fields(options), key=lambda field: field.name in shared)


def todays_word(value: Any, former: Mapping[str, str]) -> Any:
    """Return a value by the word that it goes by today.

    >>> todays_word("seed", {"seed": "printed"}), todays_word(3, {})
    ('printed', 3)
    """
    return former.get(value, value) if former else value


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ValueError, with what would be valid, if a value is not among the choices."""
    if value not in choices:
        raise ValueError(f"{name} cannot be {value!r}; it is one of: {', '.join(choices)}")


_KINDS: Final[Mapping[type, tuple[type, str]]] = {
    bool: (bool, "True or False"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "a text"),
}


def check_option(field: dataclasses.Field[Any], value: Any) -> None:
    """Raise ValueError, with what would be valid, if a field cannot hold this value."""
    name = field.name.replace("_", "-")
    kind, what = _KINDS.get(type(field.default), (object, ""))
    if not isinstance(value, kind):  # from Python it may be anything
        raise ValueError(f"{name} cannot be {value!r}; it is {what}")  # noqa: TRY004 - as for other values
    choices, minimum = field.metadata["choices"], field.metadata["minimum"]
    if choices:
        check_choice(name, value, choices)
    if minimum is not None and not value >= minimum:  # written so that nan is refused too
        raise ValueError(f"{name} cannot be {value}; the least is {minimum}")
    if (maximum := field.metadata["maximum"]) is not None and not value <= maximum:
        raise ValueError(f"{name} cannot be {value}; the most is {maximum}")
