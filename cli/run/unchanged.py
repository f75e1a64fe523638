"""Models that are as they were in the last run: what is kept of each for the next one, and how it is found again.

Beside the reports, the folder `cache` has a file per model with what the run as a whole needs of it, and what it was
made from. It is listed in the manifest as the reports are. Any doubt, and the model is scored.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Final, Generic, Literal, cast

from scoresheet.cli.input.discover import ModelInput
from scoresheet.cli.input.guard import guard
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.loading import file_hashes
from scoresheet.cli.input.manifests import CACHE, is_kept
from scoresheet.cli.input.model_columns import Separated
from scoresheet.cli.report.reporter import Reporter
from scoresheet.cli.run.model_reports import own_stem
from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.results_folder import ResultsFolder, unwritable
from scoresheet.cli.run.typed_json import from_json, in_json_types, write_in_pieces
from scoresheet.cli.signals import stop_if_asked
from scoresheet.metrics.family import C, K, O, P, R, S
from scoresheet.metrics.problems import InputError
from scoresheet.metrics.records import dataclass

Kind = Literal["outcome", "models", "sheets"]
_HEAD: Final = '{{"made_from":"{}","value":'


@dataclass(frozen=True)
class KeptOutcome(Generic[R]):
    """What came of a model, and the SHA-256 of each of its reports."""

    outcome: Outcome[R]
    reports: Mapping[str, str]


def keep_outcome(plan: Plan[O, P, C, S, R, K], model: ModelInput, outcome: Outcome[R]) -> None:
    """Keep in the stage what came of a model, its reports being there."""
    if plan.stage is not None and plan.recipe and outcome.files:
        reports = {name: outcome.written.get(name) or sha256(plan.stage / name) for name in outcome.files}
        _keep(plan, model, outcome.inputs, "outcome", KeptOutcome(replace(outcome, written={}), reports))


def keep_models(plan: Plan[O, P, C, S, R, K], model: ModelInput, hashes: Mapping[str, str], models: Separated) -> None:
    """Keep in the stage whose rows a file holds."""
    _keep(plan, model, hashes, "models", models)


def keep_sheets(plan: Plan[O, P, C, S, R, K], model: ModelInput, hashes: Mapping[str, str], sheets: list[P]) -> None:
    """Keep in the stage what the context must know of a model's sheets."""
    _keep(plan, model, hashes, "sheets", sheets)


def _keep(
    plan: Plan[O, P, C, S, R, K], model: ModelInput, hashes: Mapping[str, str], kind: Kind, value: object
) -> None:
    if plan.stage is None or not plan.recipe:
        return
    try:
        kept = in_json_types(value)
    except TypeError:
        return  # a family whose values cannot be made again is scored each time
    path = plan.stage / kept_name(plan.reporter, model.name, kind)
    half = path.with_suffix(".half")  # a worker may die while it writes
    try:
        path.parent.mkdir(exist_ok=True)
        with half.open("w", encoding="ascii", newline="\n") as stream:
            stream.write(_HEAD.format(_made_from(plan, model, hashes, kind)))
            write_in_pieces(kept, stream)
            stream.write("}\n")
        os.replace(half, path)  # noqa: PTH105 - atomic by its documentation
    except OSError as error:
        raise unwritable(plan.stage.parent, error) from error


def kept_name(reporter: Reporter[O, C, R, K], model: str, kind: Kind = "outcome") -> str:
    """Return the name, in the results folder, of what is kept of a model."""
    more = "" if kind == "outcome" else f".{kind}"
    return f"{CACHE}/{own_stem(reporter, model)}{more}.json"


def _made_from(plan: Plan[O, P, C, S, R, K], model: ModelInput, hashes: Mapping[str, str], kind: Kind) -> str:
    """Return the digest of everything that what is kept of a model depends on."""
    parts = [kind, plan.recipe, model.name, model.folder, model.only, list(hashes.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass
class LastRun:
    """What the last run of the command left in a results folder; files that this run lets stand are noted here."""

    folder: Path
    hashes: Mapping[str, frozenset[str]] = field(default_factory=dict)  # what its manifest lists
    standing: dict[str, str] = field(default_factory=dict)  # files that stay as they are → SHA-256
    rewritten: list[str] = field(default_factory=list)  # what was not as the last run left it, in words

    @classmethod
    def of(cls, results: ResultsFolder | None, *, fresh: bool) -> LastRun:
        """Return what can be used of a folder; nothing if all is to be scored, or an interrupted run left it."""
        if results is None or fresh or not results.is_whole:
            return cls(Path())
        return cls(results.path, results.listing.hashes)

    def answer(self, plan: Plan[O, P, C, S, R, K], model: ModelInput) -> Outcome[R] | Separated | None:
        """Return what scoring a model would come to, if nothing that it depends on has changed; its reports stand."""
        separated = None if model.only is not None else self._value(plan, model, "models", Separated)
        if isinstance(separated, Separated):
            return separated
        kept = cast("KeptOutcome[R] | None", self._value(plan, model, "outcome", KeptOutcome))
        if kept is None:
            return None
        is_own = kept.outcome.model == model.name and set(kept.outcome.files) == set(kept.reports)
        if not is_own or not all(self._digest(name, model.name, own) for name, own in kept.reports.items()):
            self.standing.pop(kept_name(plan.reporter, model.name))
            return None
        self.standing |= kept.reports
        return kept.outcome.as_unchanged()

    def sheets(self, plan: Plan[O, P, C, S, R, K], model: ModelInput) -> list[P] | None:
        """Return what the context must know of a model's sheets, if its files are as they were."""
        return cast("list[P] | None", self._value(plan, model, "sheets", list))

    def _value(self, plan: Plan[O, P, C, S, R, K], model: ModelInput, kind: Kind, wanted: type) -> object | None:
        name = kept_name(plan.reporter, model.name, kind)
        if not plan.recipe or name not in self.hashes:
            return None
        stop_if_asked()
        try:
            for source in model.files:
                guard(source.path, plan.rules.limits)
            hashes = file_hashes(model)
        except (OSError, InputError):
            return None  # reading the file says what is wrong with it
        digest = self._digest(name, model.name)
        if not digest:
            return None
        text = (self.folder / name).read_bytes().decode("ascii", errors="replace")
        head = _HEAD.format(_made_from(plan, model, hashes, kind))
        if not text.startswith(head):
            return None
        try:
            value = from_json(text.removeprefix(head).rstrip().removesuffix("}"))
        except ValueError:
            self._say(name, "cannot be read", model.name)
            return None
        if not isinstance(value, wanted):
            self._say(name, "is of another kind", model.name)
            return None
        self.standing[name] = digest
        return value

    def _digest(self, name: str, model: str, expected: str = "") -> str:
        """Return the SHA-256 of a file that is as the last run left it; '' if it is not, which is noted."""
        path = self.folder / name
        if name not in self.hashes or not path.is_file():
            self._say(name, "is gone", model)
            return ""
        try:
            found = sha256(path)
        except OSError as error:
            self._say(name, f"cannot be read ({error.strerror})", model)
            return ""
        if found not in self.hashes[name] or found != (expected or found):
            self._say(name, "is not as the last run left it", model)
            return ""
        return found

    def _say(self, name: str, what: str, model: str) -> None:
        again = "read" if name.endswith(".sheets.json") else "scored"
        self.rewritten.append(f"{name} {what}: {model} is {again} again")


def kept_files(results: ResultsFolder, last: LastRun) -> list[str]:
    """Return the names of all that is kept for the next run: what this one staged, and what stands."""
    staged = {f"{CACHE}/{path.name}" for path in results.stage.glob(f"{CACHE}/*.json")}
    return sorted(staged | {name for name in last.standing if is_kept(name)})
