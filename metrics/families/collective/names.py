"""Names in the sheets of a system: streams, epochs, conditions and classes, however they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal
from typing import Final

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.collective.options import CLEAN, TEST, VALIDATION
from scoresheet.metrics.keys import join_key, loose_key, natural_order
from scoresheet.metrics.numbers import parse_decimal
from scoresheet.metrics.text_columns import coded_cells

# Columns of a history that mean something to us.
TRAIN_LOSS: Final = "train_loss"
VAL_LOSS: Final = "val_loss"
COLLECTIVE_ACCURACY: Final = "collective_acc"
EMERGENCE_RATIO: Final = "emergence_ratio"
ROUTING_ENTROPY: Final = "routing_entropy"
FINGERPRINT_DIVERSITY: Final = "fingerprint_diversity"
LOSSES: Final = (TRAIN_LOSS, VAL_LOSS)
HISTORY_COLUMNS: Final = (
    *LOSSES,
    COLLECTIVE_ACCURACY,
    EMERGENCE_RATIO,
    ROUTING_ENTROPY,
    FINGERPRINT_DIVERSITY,
    "learning_rate",
    "gradient_norm",
)
ACCURACY_PREFIX: Final = "acc:"  # before a stream's name, in a history
WEIGHT_PREFIX: Final = "weight:"  # the same, in parameters
PARAMS_M: Final = "params_m"
DATASET: Final = "dataset"
TARGET_COLUMNS: Final = {  # of the sheet targets: our names, and what else they are called
    "baseline": ("base",),
    "target": ("goal",),
    "state_of_the_art": ("stateofart", "sota", "best"),
}
_SPLITS: Final = {
    VALIDATION: ("", "val", "valid", "validation", "dev", "development"),
    TEST: ("test", "testing"),
}

NameOrder = tuple[int, Decimal, list[tuple[int, int, str, str]]]  # what sorts names: numbers first


def normalize_name(name: str) -> str:
    """Return a name without case, spaces, _ and -.

    >>> normalize_name("Emergence-Ratio") == normalize_name("emergence_ratio") == "emergenceratio"
    True
    """
    return loose_key(name).replace(" ", "")


def epoch_name(text: str) -> str:
    """Return an epoch in one form: 1 and 1.0 are the same.

    >>> epoch_name("1.0"), epoch_name("warm-up")
    ('1', 'warm-up')
    """
    value = parse_decimal(text)
    return text if value is None else number_name(value)


def number_name(value: Decimal) -> str:
    """Return a number in one form, without losing a digit.

    >>> [number_name(Decimal(text)) for text in ("1.0", "-0", "1e3", "9007199254740993.0")]
    ['1', '0', '1000', '9007199254740993']
    """
    short = f"{float(value) + 0.0:.16g}"
    if Decimal(short) == value:
        return short
    return f"{value.normalize(Context(prec=len(value.as_tuple().digits))):f}"


def class_order(names: Iterable[str]) -> Callable[[str], NameOrder]:
    """Return what sorts these classes: by their value if all are numbers, else as people sort names.

    >>> sorted(["1", "-1"], key=class_order(["1", "-1"])), sorted(["c10", "c9"], key=class_order(["c10", "c9"]))
    (['-1', '1'], ['c9', 'c10'])
    """
    return epoch_order if all(parse_decimal(name) is not None for name in names) else name_order


def epoch_order(name: str) -> NameOrder:
    """Return what sorts epochs: numbers by their value, names after them.

    >>> sorted(["10", "2.5", "end", "-1", "2.25"], key=epoch_order)
    ['-1', '2.25', '2.5', '10', 'end']
    """
    value = parse_decimal(name)
    return name_order(name) if value is None else (0, value, [])


def name_order(name: str) -> NameOrder:
    """Return what sorts names as people do, after all numbers."""
    return (1, Decimal(0), natural_order(name))


def condition_names(cells: Sequence[str], clean: str, *, named: bool) -> Coded[str]:
    """Return the conditions; an empty cell is the clean one, and so is every row where there are none."""

    def name_of(cell: str) -> str:
        name = join_key(cell) or CLEAN
        return clean if name.casefold() == clean.casefold() else name

    return coded_cells(cells).mapped(name_of) if named else Coded.repeated(clean, len(cells))


def matching_stream(name: str, streams: Sequence[str]) -> str:
    """Return the stream that a name means: the same, or the only one that differs in case, spaces, _ and -.

    >>> matching_stream("Net 1", ["net_1", "net_2"]), matching_stream("x", ["net_1"])
    ('net_1', 'x')
    """
    matches = matching_names(name, streams)
    return matches[0] if len(matches) == 1 else name


def matching_names(name: str, choices: Sequence[str]) -> list[str]:
    """Return what a name can mean: the same if it is there, else all that differ in case, spaces, _ and - only.

    >>> matching_names("a", ["A", "a"]), matching_names("NET1", ["net_1", "net 1"])
    (['a'], ['net_1', 'net 1'])
    """
    if name in choices:
        return [name]
    return [choice for choice in choices if normalize_name(choice) == normalize_name(name)]


def history_name(name: str) -> str:
    """Return our name for a column of a history, the name itself where we have none.

    >>> history_name("Train Loss"), history_name("ACC: Net 1"), history_name("step_time")
    ('train_loss', 'acc:Net 1', 'step_time')
    """
    is_accuracy = name.strip().casefold().startswith(ACCURACY_PREFIX)
    stream = name.strip()[len(ACCURACY_PREFIX) :] if is_accuracy else ""
    if stream.strip():
        return ACCURACY_PREFIX + join_key(stream)
    return next((own for own in HISTORY_COLUMNS if normalize_name(own) == normalize_name(name)), name)


def target_name(name: str) -> str:
    """Return our name for a column of targets, the name itself where we have none.

    >>> target_name("State-of-Art"), target_name("Baseline"), target_name("ours, 2024")
    ('state_of_the_art', 'baseline', 'ours, 2024')
    """
    short = normalize_name(name)
    for own, others in TARGET_COLUMNS.items():
        if short in (normalize_name(own), *others):
            return own
    return name


def split_name(cell: str) -> str:
    """Return a split in one form; an empty cell is of the validation.

    >>> split_name("Val"), split_name("TEST"), split_name(""), split_name("fold 2")
    ('validation', 'test', 'validation', 'fold 2')
    """
    short = normalize_name(cell)
    return next((own for own, others in _SPLITS.items() if short in others), join_key(cell))


def parameter_name(name: str) -> str:
    """Return our name for a parameter; a stream's name in it stays as it is.

    >>> parameter_name("Params-M"), parameter_name("Weight: Net 1"), parameter_name("depth")
    ('params_m', 'weight:Net 1', 'depth')
    """
    if name.casefold().startswith(WEIGHT_PREFIX):
        return WEIGHT_PREFIX + join_key(name[len(WEIGHT_PREFIX) :])
    return next((own for own in (PARAMS_M, DATASET) if normalize_name(own) == normalize_name(name)), name)
