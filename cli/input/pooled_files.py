"""A folder whose files were taken for the sheets of one model, though they look as if they were several."""

from __future__ import annotations

from shlex import quote

from scoresheet.cli.input.discover import ModelInput
from scoresheet.cli.input.header_matching import fold_header
from scoresheet.cli.input.loading import LoadedFiles
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.problems import Problem, note


def pooled_files(model: ModelInput, loaded: LoadedFiles, folder: str) -> list[Problem]:
    """Return a note if the files of a model's folder differ in their columns, and how each would be a model.

    Asked where the folder is all that was found: the folder above it may have been named by mistake.
    """
    shapes: dict[str, frozenset[str]] = {}
    for sheet in loaded.sheets:
        own = frozenset(map(fold_header, sheet.grid.headers))
        shapes[sheet.source] = shapes.get(sheet.source, frozenset()) | own
    if len(set(shapes.values())) < 2:
        return []
    place = f"{folder}/{model.name}" if folder else model.name
    stems = list(dict.fromkeys(sheet.name for sheet in loaded.sheets))
    files = join_names(file.rpartition("/")[2] for file in shapes)
    message = (
        f"{pluralize(len(shapes), 'file')} with different columns ({files}) were taken for the sheets of one model, "
        f"{model.name}; if each is a model, name their folder: {quote(place)}; if some are none, leave them out with "
        f"--skip-sheet, such as --skip-sheet {quote(stems[-1])}"
    )
    return [note("pooled-files", message).at(file=model.shown)]
