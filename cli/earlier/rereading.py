"""The inputs of an earlier run, read again as it read them: what changed since, its plan, its context, its models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import field, replace
from functools import partial
from typing import Any, Final

from scoresheet.cli.earlier.requests import recorded_request
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import Discovery, ModelInput
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.header_matching import OUTPUTS, REFERENCES, on_side, parse_columns
from scoresheet.cli.input.loading import LoadedFiles, load_sheets
from scoresheet.cli.input.model_columns import models_by_column, models_by_rows
from scoresheet.cli.input.results_reading import EarlierResults
from scoresheet.cli.run.model_worker import parse_sheets, reduced_sheets
from scoresheet.cli.run.plan import Plan
from scoresheet.cli.run.pool import Bug, WorkerCrashed, run_tasks
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_table import MODEL, STATUS
from scoresheet.cli.run.run_inputs import discovered_inputs, plan_of_request
from scoresheet.cli.run.side_tables import SideTable, read_side_table
from scoresheet.metrics.family import Given, ParsedSheet
from scoresheet.metrics.problems import NoUsableInput
from scoresheet.metrics.records import dataclass

_REFERENCES: Final = ""  # stands for the references among the tables that options name
AnyPlan = Plan[Any, Any, Any, Any, Any, Any]
AnyRequest = Request[Any, Any, Any, Any, Any, Any]


@dataclass(frozen=True)
class Reread:
    """An earlier run's request, and what its places hold today."""

    results: EarlierResults
    request: AnyRequest
    found: Discovery
    tables: dict[str, SideTable]
    plan: AnyPlan
    _loaded: dict[ModelInput, LoadedFiles] = field(default_factory=dict, repr=False)  # each is read once

    @classmethod
    def of(cls, results: EarlierResults) -> Reread:
        """Return what the places of an earlier run hold today; Stop if there is nothing to read."""
        request = recorded_request(results)
        request.family.require(request.options)
        schema, settings = request.family.schema, request.settings
        renamed = parse_columns(settings.column, schema)
        found, sources = discovered_inputs(request)
        rules = settings.read_rules(schema, renamed)
        tables = {
            name: read_side_table(source, rules, settings, on_side(renamed, name or REFERENCES))
            for name, source in sources.items()
        }
        return cls(
            results, request, found, tables, plan_of_request(request, found, tables, on_side(renamed, OUTPUTS), None)
        )

    @property
    def goes_over_all(self) -> bool:
        """Whether the score of any model depends on the files of all."""
        return self.request.family.two_pass(self.request.options, referenced=self.plan.referenced)

    def context(self) -> Any:
        """Return what scoring needs of all that was given; Stop if there is nothing to score with."""
        further = {name: table.table for name, table in self.tables.items() if name != _REFERENCES}
        sheets = self._reduced() if self.goes_over_all else []
        try:
            return self.request.family.context(
                Given(self.tables[_REFERENCES].table, further, sheets), self.request.options
            ).value
        except NoUsableInput:
            raise Stop(
                Exit.NOTHING, f"{self.request.references}: nothing to score with is left there; score again"
            ) from None

    def _reduced(self) -> list[ParsedSheet]:
        """Return what the context must know of every model's sheets; workers read them, since a parser may die."""
        models = self.found.models
        results = run_tasks(
            partial(reduced_sheets, self.plan), models, workers=self.request.settings.workers(len(models))
        )
        with closing(results):
            answers = sorted(results, key=lambda pair: pair[0])
        return [sheet for _, found in answers if not isinstance(found, WorkerCrashed | Bug) for sheet in found]

    def models(self, names: Iterable[str]) -> dict[str, ModelInput]:
        """Return the inputs of models by their names, those that a column names after those that files are."""
        wanted = set(names)
        by_name = {model.name: model for model in self.found.models}
        if wanted <= by_name.keys() and not any(self._is_separated(by_name[name]) for name in wanted):
            return {name: by_name[name] for name in sorted(wanted)}
        several = {
            model: each for model in self.found.models if (each := models_by_rows(self._load(model))) is not None
        }
        whole = [model for model in self.found.models if model not in several]
        named = models_by_column(several, whole, replace(self.found, problems=[], clashing=[]))
        every = {model.name: model for model in (*whole, *named)}
        return {name: every[name] for name in sorted(wanted) if name in every}

    def _is_separated(self, model: ModelInput) -> bool:
        return models_by_rows(self._load(model)) is not None

    def _load(self, model: ModelInput) -> LoadedFiles:
        if model not in self._loaded:
            self._loaded[model] = load_sheets(model, self.plan.rules)
        return self._loaded[model]

    def parsed(self, model: ModelInput) -> tuple[LoadedFiles, list[ParsedSheet]]:
        """Return the files of a model as they were loaded, and the sheets that can be scored."""
        loaded = self._load(model)
        return loaded, [each.value for each, _ in parse_sheets(loaded.sheets, self.plan)[0]]

    def changed_tables(self) -> list[str]:
        """Return which references and further tables are not what they were, in words."""
        return _differences(_digests(self.results, "references"), dict(self.plan.side_files))

    def changed_inputs(self, models: Sequence[ModelInput] | None = None) -> list[str]:
        """Return which files of these models, or of all, are not what they were, in words."""
        asked = self.found.models if models is None else models
        files = {file.shown: (file.path, model.name) for model in asked for file in model.files}
        recorded = _digests(self.results, "inputs")
        failed = self._failed()
        # of a file that ended the worker that read it there was no hash to write down
        today = {
            shown: sha256(path)
            for shown, (path, model) in files.items()
            if path.is_file() and (shown in recorded or model not in failed)
        }
        kept = recorded if models is None else {name: digest for name, digest in recorded.items() if name in files}
        return _differences(kept, today)

    def _failed(self) -> set[str]:
        """Return the models of which the results say that they failed."""
        try:
            table = self.results.results
        except Stop:  # a results table that was changed is told as such, and proves nothing
            return set()
        return {name for name, status in zip(table[MODEL.name], table[STATUS.name], strict=True) if status == "failed"}


def _digests(results: EarlierResults, side: str) -> dict[str, str]:
    return {str(entry["file"]): str(entry["sha256"]) for entry in results.record[side]}


def _differences(recorded: dict[str, str], today: dict[str, str]) -> list[str]:
    """Return in words what is gone, changed and new."""
    return [
        *(f"{name}: gone" for name in recorded if name not in today),
        *(f"{name}: changed" for name, digest in recorded.items() if today.get(name, digest) != digest),
        *(f"{name}: new" for name in today if name not in recorded),
    ]
