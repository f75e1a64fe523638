"""What collective reads: predictions, and sheets of numbers, each declared with the keys that name its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Literal

from scoresheet.metrics.families.collective.names import (
    ACCURACY_PREFIX,
    COLLECTIVE_ACCURACY,
    WEIGHT_PREFIX,
    history_name,
    normalize_name,
    target_name,
)
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import InputColumn, Schema, TableSchema

SAMPLE: Final = InputColumn(
    "sample",
    "The sample, in predictions, probabilities and routing.",
    "label",
    ("sample_id", "id", "item"),
    required=False,
    both_sides=True,
)
LABEL: Final = InputColumn(
    "label",
    "What is right, in predictions.",
    "label",
    ("target", "truth", "gold", "y_true", "ground_truth", "true_label"),
    required=False,
    both_sides=True,
)
COLLECTIVE: Final = InputColumn(
    "collective", "What the ensemble itself predicts.", "label", ("ensemble", "fused"), required=False
)
CONDITION: Final = InputColumn(
    "condition", "Under which condition; empty: clean.", "label", required=False, both_sides=True
)
EPOCH: Final = InputColumn("epoch", "At which epoch.", "label", required=False, both_sides=True)
SPLIT: Final = InputColumn(
    "split", "Of which split, validation or test, in predictions; empty: validation.", "label", required=False
)
PREDICTION_COLUMNS: Final = (SAMPLE, LABEL, COLLECTIVE, CONDITION, EPOCH, SPLIT)
STREAM: Final = InputColumn(
    "stream", "The stream.", aliases=("model", "model_name", "member"), required=False, both_sides=True
)
PREDICTION: Final = InputColumn(
    "prediction",
    "What the stream of a row predicts, in a long log.",
    aliases=("pred", "predicted", "y_pred", "predicted_label", "output", "answer", "response", "vote"),
    required=False,
    only_with=STREAM.name,
)
# apart they are streams like every other column
LONG_COLUMNS: Final = (
    replace(
        STREAM,
        kind="label",
        aliases=(*STREAM.aliases, "expert", "judge", "annotator", "voter", "classifier"),
        only_with=PREDICTION.name,
    ),
    PREDICTION,
)
EXPERT: Final = InputColumn(
    "expert", "The expert, in a long log of routing; without a column weight, the stream.", required=False
)
WEIGHT: Final = InputColumn(
    "weight", "The weight of an expert, in a long log of routing.", aliases=("gate_weight",), required=False
)
SLOT: Final = InputColumn("slot", "The slot of a router, in routing.", required=False, both_sides=True)
LAYER: Final = InputColumn("layer", "The layer of a router, in routing.", required=False, both_sides=True)
NAME: Final = InputColumn("name", "What a parameter is called, in parameters.", required=False, both_sides=True)
DATASET: Final = InputColumn(
    "dataset", "The data that a target is for, in targets.", aliases=("data", "benchmark"), required=False
)
VALUE: Final = "value"  # of a parameter; no key: an error there is a value that is no number, and costs no row


@dataclass(frozen=True, kw_only=True)
class NumericSheet:
    """A sheet whose rows are named by keys; every other column holds numbers."""

    role: str  # also the sheet's name, with or without its last s
    aliases: tuple[str, ...] = ()  # of its name
    keys: tuple[InputColumn, ...]
    long: tuple[InputColumn, ...] = ()  # of a long log of it: whose name stands in a row, and its number
    required: tuple[InputColumn, ...] = ()  # keys that the sheet, and every row of it, must have
    unique: InputColumn | None = None  # a key that no two rows share
    weights: Literal["shares", "uses"] | None = None  # shares of a row sum to 1; neither is below 0
    complete: bool = False  # a row counts only with a number in every column
    in_order: bool = False  # people look at its rows one by one, in the order of their keys
    column_name: Callable[[str], str] = str  # our name for one of its columns of numbers
    accuracies: tuple[str, ...] = ()  # how columns begin that hold accuracies
    stream_key: InputColumn | None = STREAM  # whose cells name a stream; None: its columns do
    stream_prefix: str = ""  # before the name of a stream

    def table_schema(self) -> TableSchema:
        """Return its keys as columns of ours: found by name, alias or as the user names them, asked of no sheet.

        A merged cell is no reason to lose a row: a layer, say, may well be written once for all its rows.
        """
        columns = (*self.keys, *self.long)
        return TableSchema(tuple(replace(column, kind="text") for column in columns), keeps_others=True)


PREDICTIONS: Final = "predictions"
PROBABILITIES: Final = NumericSheet(
    role="probabilities",
    aliases=("probability", "probs", "softmax"),
    keys=(SAMPLE, STREAM, CONDITION, EPOCH),
    required=(SAMPLE, STREAM),
    complete=True,
)
LOGITS: Final = NumericSheet(
    role="logits", keys=(SAMPLE, STREAM, CONDITION, EPOCH), required=(SAMPLE, STREAM), complete=True
)
ROUTING: Final = NumericSheet(
    role="routing",
    aliases=("route", "routes", "router", "gate", "gates", "gating"),
    keys=(SAMPLE, STREAM, SLOT, LAYER, EPOCH),
    long=(EXPERT, WEIGHT),
    weights="shares",
)
ANCHORS: Final = NumericSheet(
    role="anchors", keys=(STREAM,), required=(STREAM,), unique=STREAM, weights="uses", in_order=True
)
FINGERPRINTS: Final = NumericSheet(
    role="fingerprints", keys=(STREAM,), required=(STREAM,), unique=STREAM, in_order=True
)
HISTORY: Final = NumericSheet(
    role="history",
    keys=(EPOCH,),
    required=(EPOCH,),
    unique=EPOCH,
    in_order=True,
    column_name=history_name,
    accuracies=(ACCURACY_PREFIX, COLLECTIVE_ACCURACY),
    stream_key=None,
    stream_prefix=ACCURACY_PREFIX,
)
PARAMETERS: Final = NumericSheet(
    role="parameters",
    aliases=("params",),
    keys=(NAME,),
    required=(NAME,),
    unique=NAME,
    stream_key=NAME,
    stream_prefix=WEIGHT_PREFIX,
)
TARGETS: Final = NumericSheet(
    role="targets",
    aliases=("benchmark", "benchmarks"),
    keys=(DATASET,),
    required=(DATASET,),
    unique=DATASET,
    in_order=True,
    column_name=target_name,
)
NUMERIC_SHEETS: Final = (PROBABILITIES, LOGITS, ROUTING, ANCHORS, FINGERPRINTS, HISTORY, PARAMETERS, TARGETS)
ROLES: Final = (PREDICTIONS, *(sheet.role for sheet in NUMERIC_SHEETS))
_BY_ROLE: Final = {sheet.role: sheet for sheet in NUMERIC_SHEETS}
_BY_ALIAS: Final = {alias: sheet.role for sheet in NUMERIC_SHEETS for alias in sheet.aliases}


def role_by_name(sheet: str) -> str:
    """Return what a sheet's name says that it holds; '' if it says nothing.

    >>> role_by_name("Finger-print"), role_by_name("run/routing"), role_by_name("Sheet1")
    ('fingerprints', 'routing', '')
    """
    name = normalize_name(sheet.rpartition("/")[2])
    return next((role for role in ROLES if name in (role, role.removesuffix("s"))), _BY_ALIAS.get(name, ""))


def numeric_sheet(sheet: str) -> NumericSheet | None:
    """Return the declaration of the sheet of numbers that a name means; None if it means none."""
    return _BY_ROLE.get(role_by_name(sheet))


_PREDICTION_TABLE: Final = TableSchema(
    (*PREDICTION_COLUMNS, *LONG_COLUMNS),
    keeps_others=True,
    identity=tuple(column.name for column in (SAMPLE, STREAM, CONDITION, EPOCH, SPLIT)),
)


_NUMERIC_TABLES: Final = {sheet.role: sheet.table_schema() for sheet in NUMERIC_SHEETS}


def _table_schema(sheet: str) -> TableSchema:
    """Return the keys of a sheet of numbers alone: a class or an anchor may be called like another column of ours."""
    return _NUMERIC_TABLES.get(role_by_name(sheet), _PREDICTION_TABLE)


def _is_one_system(names: Sequence[str]) -> bool:
    """Return whether files of these names are the sheets of one system: predictions, and others that have a role.

    >>> _is_one_system(["predictions", "routing"]), _is_one_system(["predictions", "zoo"])
    (True, False)
    """
    roles = [role_by_name(name) for name in names]
    return len(roles) > 1 and all(roles) and PREDICTIONS in roles


SCHEMA: Final = Schema(
    outputs=_PREDICTION_TABLE,
    by_sheet=_table_schema,
    further_outputs=tuple(_NUMERIC_TABLES.values()),
    is_one_model=_is_one_system,
    splits_models=False,  # in a long log it is the stream
)
