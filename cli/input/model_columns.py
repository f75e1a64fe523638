"""Models that a column names: found when their files are read, and gathered over all files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scoresheet.cli.input.discover import Discovery, ModelInput, Source
from scoresheet.cli.input.formats.trec import TREC_RANK
from scoresheet.cli.input.loading import LoadedFiles
from scoresheet.cli.write.names import file_key, file_stem
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.problems import Problem, note
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class Separated:
    """A file or folder whose rows are of the models that a column names."""

    headers: tuple[str, ...]  # none where run tags of TREC files are meant
    models: Mapping[str, tuple[str, ...]]  # each with the files, as shown, that have rows of it
    problems: tuple[Problem, ...]


def models_by_rows(loaded: LoadedFiles) -> Separated | None:
    """Return which models the files hold, if a column names them."""
    if not loaded.model_headers:
        return None
    models: dict[str, dict[str, None]] = {}
    for sheet in loaded.sheets:
        models.setdefault(sheet.model, {})[sheet.source] = None
    files = {model: tuple(sources) for model, sources in models.items()}
    tagged = {sheet.model_header for sheet in loaded.sheets if TREC_RANK in sheet.grid.headers}
    headers = dict.fromkeys(header for header in loaded.model_headers if header not in tagged)
    return Separated(tuple(headers), files, tuple(loaded.problems))


def models_by_column(
    separated: Mapping[ModelInput, Separated], others: Iterable[ModelInput], found: Discovery
) -> list[ModelInput]:
    """Return the models that columns name, each with its files; what is said of them is added to what was found.

    One that a file is named after too is a clash: neither is scored.
    """
    files: dict[str, dict[Source, None]] = {}
    for place, each in separated.items():
        sources = {source.shown: source for source in place.files}
        for model, own in each.models.items():
            files.setdefault(model, {}).update(dict.fromkeys(sources[file] for file in own))
        found.problems += each.problems
    headers = list(dict.fromkeys(header for each in separated.values() for header in each.headers))
    places = {source for own in files.values() for source in own}
    if files:
        by = f"model column{'s' if len(headers) > 1 else ''} {' and '.join(map(repr, headers))}" if headers else ""
        tags = "run tags" if not all(each.headers for each in separated.values()) else ""
        count = f"{pluralize(len(files), 'model')} in {pluralize(len(places), 'file')}"
        found.problems.append(
            note("model-column", f"{' and '.join(filter(None, (by, tags)))}: {count} ({join_names(files)})")
        )
    apart = {model.name: model.shown for model in others}
    for group in _same_names([*files, *apart]):
        named = [model for model in dict.fromkeys(group) if model in files]
        if named:
            names = ", ".join(dict.fromkeys(group))
            why = f"gives the same model or report name as another file or column, ignoring case: {names}"
            shown = [source.shown for model in named for source in files.pop(model)]
            shown += [apart[model] for model in dict.fromkeys(group) if model in apart]
            found.problems += [
                Problem(kind="same-name", message=why, effect="file skipped", file=file)
                for file in dict.fromkeys(shown)
            ]
            # of names that are one but for case, the first stands for all
            found.clashing += list({file_key(name): name for name in reversed(group)}.values())
    return [
        ModelInput(model, tuple(own), folder=_named_by_file(own), only=model) for model, own in sorted(files.items())
    ]


def _named_by_file(sources: Iterable[Source]) -> bool:
    """Return whether sheets need their file's name: where a model's rows stand in several files."""
    return len(list(sources)) > 1


def _same_names(names: Iterable[str]) -> list[list[str]]:
    """Return the names that are one but for case, and those that are one as names of reports."""
    every = list(names)
    groups: list[list[str]] = []
    for key in (file_key, lambda name: file_key(file_stem(name))):
        alike: dict[str, list[str]] = {}
        for name in every:
            alike.setdefault(key(name), []).append(name)
        groups += [group for group in alike.values() if len(group) > 1]
        every = [name for group in alike.values() if len(group) == 1 for name in group]
    return groups
