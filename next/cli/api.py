"""scoresheet from Python: the commands as functions of tables or files."""

import json
import weakref
from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from scoresheet.cli.compared import compare_runs
from scoresheet.cli.config import option_types, setting
from scoresheet.cli.input.frames import cell_text
from scoresheet.cli.input.grammar import nearest
from scoresheet.cli.options import InputOptions, flag_of
from scoresheet.cli.registry import family_entries, load_command
from scoresheet.cli.run.outcome import RunOutcome
from scoresheet.cli.run.pipeline import run_command
from scoresheet.cli.run.recorded import Recorded, open_recorded
from scoresheet.cli.run.request import Request, request_of
from scoresheet.metrics import Command
from scoresheet.metrics.diversity.distances import intra_list_distance, pair_distances
from scoresheet.metrics.diversity.measures import (
    alpha_dcg,
    alpha_ndcg,
    err_ia,
    ideal_ranking,
    subtopic_recall,
)
from scoresheet.metrics.entropy.measures import content_words, entropy, segment_entropy
from scoresheet.metrics.mode_collapse.measures import effective_options
from scoresheet.metrics.problem import Refusal, problem_frame
from scoresheet.metrics.sinfo.measures import brevity_penalty
from scoresheet.metrics.stats.agreement import icc, krippendorff_alpha
from scoresheet.metrics.stats.counts import gini, normalized_entropy
from scoresheet.metrics.text.rouge_l import rouge_l_precision

# What `import scoresheet` offers.
__all__ = [
    "Refusal",
    "Scored",
    "alpha_dcg",
    "alpha_ndcg",
    "brevity_penalty",
    "compare",
    "content_words",
    "effective_options",
    "entropy",
    "err_ia",
    "gini",
    "icc",
    "ideal_ranking",
    "intra_list_distance",
    "krippendorff_alpha",
    "normalized_entropy",
    "pair_distances",
    "rouge_l_precision",
    "score",
    "segment_entropy",
    "subtopic_recall",
]

Data = pd.DataFrame | Mapping[str, pd.DataFrame] | str | PathLike[str]
# The options of the command line that mean something here, next to those of input and family.
COMMON = ("by", "against", "ci", "seed", "jobs", "timeout", "memory", "max_file_mb")


@dataclass(frozen=True)
class Scored:
    """The scores of one call of `score`.

    `results` has a row per model, `units` a row per scored unit of each model, `tables` the further
    tables by name, with the paired comparisons of the models as "comparisons". The columns are
    those of the CSV files that the command line writes. `problems` lists what had no score, and
    why. `answer` says in words what the command line would say.
    """

    results: pd.DataFrame
    units: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    problems: pd.DataFrame
    answer: str
    signature: str
    _request: Request = field(repr=False)
    _recorded: Recorded = field(repr=False)

    def write(self, folder: str | PathLike[str], *, workbooks: bool = True) -> Path:
        """Write the reports of the command line to a folder and return its path."""
        path = Path(folder)
        _run(replace(self._request, out=str(path), no_workbooks=not workbooks))
        return path


def score(family: str, outputs: Data, references: Data | None = None, **options: Any) -> Scored:
    """Score models and compare them, with the same numbers as the command line.

    `outputs` and `references` are what its arguments are: a path, or a data frame, or data frames
    by the name of the model. Without a column that names the models, a frame is the model
    "outputs". `options` are the options of the command, such as `rouge="lin"` or
    `column={"prediction": "reply"}`; where one takes a file it takes a frame too. Nothing is
    written. Raises Refusal, which says what to change, where nothing can be scored.

    >>> import pandas as pd
    >>> ours = pd.DataFrame({"item": ["a", "b", "c", "d"], "score": [1, 0, 1, 1]})
    >>> score("scores", {"ours": ours, "theirs": ours.assign(score=0)}).results["Score"].tolist()
    [0.75, 0.0]
    """
    if family not in family_entries():
        raise ValueError(f"{family!r} is not one of {', '.join(family_entries())}")
    command = load_command(family)
    tables = {"outputs": outputs} | ({} if references is None else {"references": references})
    if len(tables) > len(command.arguments):
        raise TypeError(f"{family} reads no references")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="scoresheet-")))
        values = {name: _as_path(data, name, folder) for name, data in tables.items()}
        request = request_of(command, values | _settings(command, options, folder))
        outcome = _run(replace(request, out=str(folder / "results"), no_workbooks=True))
        scored = _scored(outcome, open_recorded(folder / "results"), request)
        weakref.finalize(scored, stack.pop_all().close)  # `write` may need the files
        return scored


def _scored(outcome: RunOutcome, recorded: Recorded, request: Request) -> Scored:
    reports = recorded.manifest["reports"]
    models = [name for name in reports if recorded.has(reports[name])]
    tables: dict[str, dict[str, pd.DataFrame]] = defaultdict(dict)
    for model in models:
        for title, table in recorded.tables(model).items():
            tables[title][model] = table
    compared = {"comparisons": outcome.comparisons} if len(outcome.comparisons) else {}
    return Scored(
        outcome.results,
        _stacked({model: recorded.units(model) for model in models}),
        {title: _stacked(parts) for title, parts in tables.items()} | compared,
        problem_frame(outcome.problems),
        " ".join(outcome.answer),
        outcome.signature,
        request,
        recorded,
    )


def compare(
    results: Scored | str | PathLike[str],
    others: Scored | str | PathLike[str] | None = None,
    *,
    against: str = "",
    force: bool = False,
) -> pd.DataFrame:
    """Compare the models of one run, or those of two runs pair by pair; return a row per pair.

    Runs are what `score` returned, or folders of results. The columns are those of comparisons.csv:
    the difference on the units both have, its interval, p-values, wins, ties and losses. Raises
    Refusal where two runs were made with different options, unless `force`.

    >>> import pandas as pd
    >>> ours = pd.DataFrame({"item": range(8), "score": [1, 1, 1, 1, 0, 1, 1, 1]})
    >>> theirs = ours.assign(score=[0, 0, 0, 0, 0, 0, 0, 1])
    >>> scored = score("scores", {"ours": ours, "theirs": theirs})
    >>> compare(scored)[["Model", "Other_Model", "Shared", "Difference"]].values.tolist()
    [['ours', 'theirs', 8, 0.75]]
    """
    runs = [found for found in (results, others) if found is not None]
    recorded = [r._recorded if isinstance(r, Scored) else open_recorded(Path(r)) for r in runs]
    return compare_runs(recorded, against=against, force=force).comparison.pairs


def _run(request: Request) -> RunOutcome:
    """Run a request; return its outcome, or raise what kept it from scoring anything."""
    with pd.option_context("mode.string_storage", "python"):  # a run sets it
        outcome = run_command(request)
    if outcome.results.empty:
        raise Refusal(*outcome.problems)
    return outcome


def _settings(command: Command, options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return options as the command line gives them; refuse unknown ones and other types."""
    own = {f.name: f.metadata.get("table") for f in fields(command.options) if f.metadata}
    known = [*own, *(f.name for f in fields(InputOptions)), *COMMON]
    types, settings = option_types(command.options), {}
    for name, value in options.items():
        if name not in known:
            near = nearest(name, known)
            hint = f"; the nearest is {near}" if near else ""
            raise TypeError(f"{command.name} has no option {name!r}{hint}")
        if own.get(name):
            settings[name] = _as_path(value, name, folder)
        else:
            settings[name] = setting(value, types[flag_of(name)], flag_of(name))
    return settings


def _as_path(data: Data, name: str, folder: Path) -> str:
    """Return a path as it is, and that of a file for frames: an object per line, cells as text."""
    if isinstance(data, Mapping):
        data = pd.concat({str(model): frame for model, frame in data.items()}, names=["model"])
        data = data.reset_index("model").reset_index(drop=True)
    if not isinstance(data, pd.DataFrame):
        return str(data)
    names = [str(column) for column in data.columns]
    if len(set(names)) < len(names):
        raise ValueError(f"columns of {name} have the same name: {', '.join(names)}")
    path = folder / f"{name}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for row in zip(*(data.iloc[:, at].tolist() for at in range(len(names))), strict=True):
            cells = {n: _json_cell(cell) for n, cell in zip(names, row, strict=True)}
            file.write(json.dumps(cells, default=cell_text) + "\n")
    return str(path)


def _json_cell(cell: Any) -> Any:
    """Return lists and objects as they are, and a scalar as text; missing values are empty."""
    if isinstance(cell, list | tuple | dict):
        return cell
    return "" if pd.isna(cell) else cell_text(cell)


def _stacked(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the frames of the models as one, with the column Model Name first."""
    return pd.concat(frames, names=["Model Name", None]).reset_index(0).reset_index(drop=True)
