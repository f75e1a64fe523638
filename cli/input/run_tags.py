"""Run tags of TREC files: the last field of each line, which names the run; one that several files have is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scoresheet.cli.input.formats.trec import TAG, TREC_RANK
from scoresheet.cli.input.loading import LoadedSheet
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.problems import Problem, note

Tags = Mapping[str, tuple[str, ...]]  # a tag → the files, as shown, that have it


def run_tags(sheets: Iterable[LoadedSheet]) -> Tags:
    """Return the tags of a model's TREC files; where they named the models, the model is the tag."""
    found: dict[str, dict[str, None]] = {}
    for sheet in sheets:
        if TREC_RANK in sheet.grid.headers:
            own = dict.fromkeys(sheet.grid.cells(TAG) if TAG in sheet.grid.headers else (sheet.model,))
            for tag in own:
                found.setdefault(tag, {})[sheet.source] = None
    return {tag: tuple(files) for tag, files in found.items()}


def shared_tags(models: Mapping[str, Tags]) -> list[Problem]:
    """Return a note on each tag that stands in several files: they may be one run twice, or two of one name."""
    files: dict[str, dict[str, None]] = {}
    owners: dict[str, list[str]] = {}
    for model, tags in models.items():
        for tag, own in tags.items():
            files.setdefault(tag, {}).update(dict.fromkeys(own))
            owners.setdefault(tag, []).append(model)
    return [note("same-tag", _message(tag, list(files[tag]), owners[tag])) for tag in files if len(files[tag]) > 1]


def _message(tag: str, files: list[str], models: list[str]) -> str:
    scored = f"models of their own ({join_names(models)})" if len(models) > 1 else f"sheets of one model ({models[0]})"
    where = f"{pluralize(len(files), 'file')} ({join_names(files)})"
    return f"the run tag {tag!r} stands in {where}, which were taken as {scored}"
