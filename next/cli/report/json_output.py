"""JSON for programs: the outcome of a run, and the measures of every model."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd
from pandas.api.types import is_bool, is_number

from scoresheet.cli.run.outcome import RunOutcome

MODEL = "Model Name"


def to_json(outcome: RunOutcome) -> str:
    """Return everything a script needs to know about a run."""
    return _dump(
        {
            "signature": outcome.signature,
            "mapping": outcome.mapping_record,
            "results": _records(outcome.results),
            "comparisons": _records(outcome.comparisons),
            "gates": [],
            "problems": [asdict(problem) for problem in outcome.problems],
            "exit_code": int(outcome.exit_code),
        }
    )


def metrics_json(results: pd.DataFrame, sheets: Mapping[str, pd.DataFrame]) -> str:
    """Return the numbers of every model, and of each of its sheets, for trackers of experiments.

    `sheets` has a table per model with a column `Sheet`.
    """
    models: dict[str, Any] = {}
    for record in _records(_numbers(results, MODEL)):
        name = record.pop(MODEL)
        rows = _records(_numbers(sheets[name], "Sheet")) if name in sheets else []
        models[name] = {**record, "sheets": {row.pop("Sheet"): row for row in rows}}
    return _dump({"schema": 1, "models": models})


def _numbers(frame: pd.DataFrame, key: str) -> pd.DataFrame:
    """Return the key and the columns that hold numbers only."""
    others = [name for name in frame.columns if name != key]
    numbers = [name for name in others if all(map(_is_number, frame[name].dropna()))]
    return frame[[key, *numbers]]


def _is_number(value: Any) -> bool:
    return is_number(value) and not is_bool(value)


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as JSON values; infinite ones are null and listed under `infinite`."""
    records = []
    for row in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        infinite = [name for name, cell in row.items() if cell in (math.inf, -math.inf)]
        record = {str(name): None if name in infinite else cell for name, cell in row.items()}
        records.append({**record, "infinite": infinite} if infinite else record)
    return records


def _dump(content: Any) -> str:
    def scalar(value: Any) -> Any:
        return value.item() if hasattr(value, "item") else str(value)

    # Escapes keep the text printable on every stream, whatever its encoding.
    return json.dumps(content, indent=2, allow_nan=False, default=scalar) + "\n"
