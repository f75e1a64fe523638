"""Results folders held against each other: read back, paired by their units, compared, judged and written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.header_matching import suggestion
from scoresheet.cli.input.manifests import TOOL
from scoresheet.cli.input.results_reading import COMPARE, EarlierResults
from scoresheet.cli.report.changes_page import CHANGE_COLUMNS, change_row, changes_page, changes_record, how_changed
from scoresheet.cli.report.page import Column, Page, PageTable
from scoresheet.cli.report.paired_comparison import (
    COMPARISON_COLUMNS,
    comparison_row,
    describe_comparison,
    leading_sentence,
    nothing_shared_sentence,
    pair_sentence,
)
from scoresheet.cli.report.problems_page import problems_page
from scoresheet.cli.run.baseline import (
    Baseline,
    changes_since,
    judge_changes,
    refuse_other_signature,
    units_gone,
)
from scoresheet.cli.run.gates import GateVerdict, ModelLine, failed_only, judge_lines, parse_gates
from scoresheet.cli.run.model_reports import glossary_block
from scoresheet.cli.run.results_folder import locked_results, unwritable
from scoresheet.cli.run.results_table import MODEL, result_columns
from scoresheet.cli.run.run_reports import CHANGES
from scoresheet.cli.version import VERSION
from scoresheet.cli.write.about import About
from scoresheet.cli.write.csv_json import write_csv, write_json
from scoresheet.cli.write.workbook import Workbook, write_workbook
from scoresheet.metrics.compare import ComparedUnits, PairedComparison, PairedDifference, Pairing
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.units import Value

TABLE, WORKBOOK, NUMBERS = "comparisons.csv", "comparison.xlsx", "comparison.json"
LOST_COLUMNS: Final = (
    Column("Lost", "Units of the model that the other has not.", "count"),
    Column("Other_Lost", "Units of the other model that this one has not.", "count"),
)
PAIR_COLUMNS: Final = (*COMPARISON_COLUMNS[:-1], *LOST_COLUMNS, COMPARISON_COLUMNS[-1])
_WORDS: Final = ("label", "text", "key")


@dataclass(frozen=True)
class Wanted:
    """What is to be compared, and what must hold."""

    folders: tuple[str, ...]
    models: tuple[str, ...] = ()
    against: str = ""
    anyway: bool = False
    baseline: str = ""
    fail_if: tuple[str, ...] = ()
    fail_if_worse: bool = False
    max_drop: float = math.inf


@dataclass(frozen=True)
class Compared:
    """What came of it."""

    command: str  # whose results they are
    signature: str
    folders: tuple[str, ...]
    differs: tuple[str, ...]  # what of the folders' signatures is not the same
    lines: tuple[ModelLine, ...]  # of the results, by the models' labels
    folder_of: Mapping[str, str]
    paired: PairedComparison
    lost: Mapping[tuple[str, str], tuple[int, int]]  # units that only the one or the other of a pair has
    unpaired: tuple[str, ...]  # models that were held against none
    baseline: Baseline | None
    gates: tuple[GateVerdict, ...]

    @property
    def code(self) -> Exit:
        """What the shell is told: 4 where no two models have anything in common."""
        shared = any(pair.test.units for pair in self.paired.differences)
        if not shared and self.baseline is None:
            return Exit.NOTHING  # which goes before a gate, as in every command
        return Exit.GATE if failed_only(self.gates) else Exit.OK

    @property
    def answer(self) -> str:
        """Who leads, or that nobody can."""
        said = (leading_sentence(self.paired), nothing_shared_sentence(self.paired))
        change = self.baseline.sentence() if self.baseline else ""
        other = f"Made in other ways: {'; '.join(self.differs)}." if self.differs else ""
        alone = [f"{model} ({self.folder_of[model]})" for model in self.unpaired]
        without = f"Held against none: {join_names(alone, most=10)}." if alone and not self.baseline else ""
        return " ".join(filter(None, (*said, without, change, other)))

    def sentences(self) -> list[str]:
        """Return a sentence for each pair in the headline measure."""
        return [pair_sentence(pair, self.paired) for pair in self.paired.of_headline()]

    def rows(self) -> list[list[object]]:
        """Return the pairs under PAIR_COLUMNS, the headline first."""
        pairs = sorted(self.paired.differences, key=lambda pair: pair.exploratory)
        return [self._row(pair) for pair in pairs]

    def _row(self, pair: PairedDifference) -> list[object]:
        *cells, finding = comparison_row(pair)
        return [*cells, *self.lost[pair.model, pair.other], finding]

    def record(self, code: int, files: Sequence[str]) -> dict[str, object]:
        """Return all of it for machines."""
        names = [column.name for column in PAIR_COLUMNS]
        return {
            "command": self.command,
            "signature": self.signature,
            "folders": list(self.folders),
            "differs": list(self.differs),
            "models": [{"model": line.model, "folder": self.folder_of[line.model]} for line in self.lines],
            "against": self.paired.against or None,
            "best_picked_on_these_data": self.paired.picked,
            "unpaired": list(self.unpaired),
            "answer": self.answer,
            "sentences": self.sentences(),
            "comparison": [dict(zip(names, row, strict=True)) for row in self.rows()],
            "gates": [verdict.record() for verdict in self.gates],
            "baseline": changes_record(self.baseline) if self.baseline else None,
            "files": list(files),
            "exit_code": int(code),
        }


@dataclass(frozen=True)
class _Model:
    """A model of one of the folders."""

    label: str  # its name, with the folder where several have it
    name: str
    results: EarlierResults
    place: int  # of its folder among those named


def compare_results(wanted: Wanted) -> Compared:
    """Return how the models of results folders differ; Stop if they cannot be compared, with what would help."""
    folders = list({Path(folder).resolve(): EarlierResults.of(folder) for folder in wanted.folders}.values())
    first = folders[0]
    for other in folders[1:]:
        if other.command.name != first.command.name:
            raise Stop(
                Exit.USAGE,
                f"{other.folder}: these are results of {other.command.name}, and {first.folder} holds those of "
                f"{first.command.name}; only results of one command can be compared",
            )
    gates = parse_gates(wanted.fail_if, first.command.reporter, first.options)
    differs: dict[str, None] = {}
    for other in folders[1:]:
        differs |= dict.fromkeys(refuse_other_signature(other, first.signature, anyway=wanted.anyway))
        if other.compared_by != first.compared_by:
            raise Stop(
                Exit.USAGE,
                f"{other.folder}: it is compared by {join_names(other.compared_by.measures)}, and {first.folder} by "
                f"{join_names(first.compared_by.measures)}; score again in one way",
            )
    models = _chosen_models(_labelled(folders), wanted)
    family, options, by = first.command.family, first.options, first.compared_by
    units = {each.label: each.results.compared_units(each.name) for each in models if each.results.has_units(each.name)}
    pairing = _pairing(models, units, wanted)
    if len(units) < 2 and not wanted.baseline:
        raise Stop(Exit.USAGE, f"{first.folder}: there is one model to compare, and it takes two; name another folder")
    paired = family.compare_units(units, by, options, pairing)
    lines = tuple(_line(each) for each in models)
    verdicts = judge_lines(gates, result_columns(_measures(first, lines)), lines)
    baseline = _baseline(wanted, first, models, units)
    if baseline is not None:
        most = None if math.isinf(wanted.max_drop) else wanted.max_drop
        verdicts += judge_changes(baseline, fail_if_worse=wanted.fail_if_worse, max_drop=most)
    couples = dict.fromkeys((pair.model, pair.other) for pair in paired.differences)
    lost = {
        (one, other): (
            units_gone(units[one], units[other], family, by)[0].total(),
            units_gone(units[other], units[one], family, by)[0].total(),
        )
        for one, other in couples
    }
    return Compared(
        first.command.name,
        first.signature,
        tuple(str(each.folder) for each in folders),
        tuple(differs),
        lines,
        {each.label: str(each.results.folder) for each in models},
        paired,
        lost,
        tuple(each.label for each in models if not any(each.label in couple for couple in couples)),
        baseline,
        tuple(verdicts),
    )


def _labelled(folders: Sequence[EarlierResults]) -> list[_Model]:
    """Return the models of all folders; one whose name stands in several is told by its folder."""
    names = [name for each in folders for name in each.models]
    short = [each.folder.name for each in folders]
    models = []
    for place, each in enumerate(folders):
        shown = each.folder.name if short.count(each.folder.name) == 1 and each.folder.name else str(each.folder)
        models += [
            _Model(f"{name} @ {shown}" if names.count(name) > 1 else name, name, each, place) for name in each.models
        ]
    return sorted(models, key=lambda model: model.label)


def _chosen_models(models: Sequence[_Model], wanted: Wanted) -> list[_Model]:
    if not wanted.models:
        return list(models)
    named = [*wanted.models, *([wanted.against] if wanted.against else [])]
    for name in named:
        _known(name, models, "--model")
    return [model for model in models if {model.label, model.name} & set(named)]


def _known(name: str, models: Sequence[_Model], option: str) -> list[_Model]:
    """Return the models that a name stands for; Stop if there are none."""
    found = [model for model in models if model.label == name] or [model for model in models if model.name == name]
    if not found:
        labels = [model.label for model in models]
        hint = suggestion(name, labels) or f"; there are {join_names(labels, most=12)}"
        raise Stop(Exit.USAGE, f"{option} {name}: no model of these results is called so{hint}")
    return found


def _pairing(models: Sequence[_Model], units: Mapping[str, ComparedUnits | None], wanted: Wanted) -> Pairing:
    """Return which models are compared: those of one name, where folders share names; else every two."""
    if wanted.against:
        found = _known(wanted.against, models, "--against")
        if len(found) > 1:
            labels = join_names([model.label for model in found])
            raise Stop(Exit.USAGE, f"--against {wanted.against}: several are called so; name one of {labels}")
        if found[0].label not in units:
            raise Stop(Exit.USAGE, f"--against {wanted.against}: this model failed and has no results")
        return Pairing(against=found[0].label)
    by_name: dict[str, list[str]] = {}
    for model in sorted(models, key=lambda model: model.place):
        if model.label in units:
            by_name.setdefault(model.name, []).append(model.label)
    same = [
        (labels[later], labels[earlier])
        for labels in by_name.values()
        for later in range(len(labels))
        for earlier in range(later)
    ]
    return Pairing(only=tuple(sorted(same)))


def _line(model: _Model) -> ModelLine:
    """Return a model's line of its results table, numbers as numbers."""
    table = model.results.results
    row = table[table[MODEL.name] == model.name].iloc[0]
    kinds = {column.name: column.kind for column in result_columns(model.results.command.reporter.documented.results)}
    values = {str(name): _cell(str(cell), words=kinds.get(str(name)) in _WORDS) for name, cell in row.items()}
    return ModelLine(model.label, values, failed=not model.results.has_units(model.name))


def _cell(cell: str, *, words: bool) -> Value:
    if words:
        return cell
    try:
        return float(cell) if cell else math.nan
    except ValueError:
        return cell


def _measures(first: EarlierResults, lines: Sequence[ModelLine]) -> list[Column]:
    """Return the measures that the results tables have."""
    frame = {column.name for column in result_columns(())}
    known = {column.name: column for column in first.command.reporter.documented.results}
    names = dict.fromkeys(name for line in lines for name in line.values if name not in frame)
    return [known.get(name, Column(name, "", "score")) for name in names]


def _baseline(
    wanted: Wanted, first: EarlierResults, models: Sequence[_Model], units: Mapping[str, ComparedUnits | None]
) -> Baseline | None:
    if not wanted.baseline:
        return None
    earlier = EarlierResults.of(wanted.baseline)
    if earlier.command.name == first.command.name:  # else changes_since says so
        differs = refuse_other_signature(earlier, first.signature, anyway=wanted.anyway)
    else:
        differs = ()
    now = {model.name: units.get(model.label) for model in models}
    if len(now) < len(models):
        raise Stop(Exit.USAGE, f"--baseline {wanted.baseline}: name one folder to hold against it, not several")
    if not math.isinf(wanted.max_drop) and earlier.compared_by.better is None:
        measure = earlier.compared_by.headline
        raise Stop(Exit.USAGE, f"--max-drop {wanted.max_drop:g}: {measure} has no direction, so that it cannot drop")
    only = [model.name for model in models] if wanted.models else []
    return changes_since(earlier, now, first.command.family, first.options, differs, only)


def write_comparison(compared: Compared, out: Path, arguments: Sequence[str]) -> list[str]:
    """Write a comparison into a folder of its own, and return the files."""
    files = [TABLE, WORKBOOK, NUMBERS, *([CHANGES] if compared.baseline else [])]
    with locked_results(out, COMPARE, wait=0) as results:
        stage = results.stage
        try:
            write_csv(stage / TABLE, [column.name for column in PAIR_COLUMNS], compared.rows())
            write_workbook(stage / WORKBOOK, _workbook(compared))
            write_json(stage / NUMBERS, compared.record(compared.code, files))
            if compared.baseline:
                rows = [change_row(change, compared.baseline.measure) for change in compared.baseline.changes]
                write_csv(stage / CHANGES, [column.name for column in CHANGE_COLUMNS], rows)
        except OSError as error:
            raise unwritable(out, error) from error
        left = results.earlier_reports(files)
        manifest = {
            "tool": TOOL,
            "version": VERSION,
            "command": COMPARE,
            "of": compared.command,
            "signature": compared.signature,
            "arguments": list(arguments),
            "folders": list(compared.folders),
            "differs": list(compared.differs),
            "gates": [verdict.record() for verdict in compared.gates],
            "exit_code": int(compared.code),
            "outputs": [{"file": name, "sha256": sha256(stage / name)} for name in files],
            "left": [{"file": report.name, "sha256": report.sha256} for report in left],
        }
        results.commit(files, manifest)
    return files


def _workbook(compared: Compared) -> Workbook:
    said = [*filter(None, [compared.answer]), *compared.sentences()]
    sentence = Column("Sentence", "What the comparison says; a line for each pair in the headline measure.", "text")
    front = [
        Page("Summary", PageTable.of_rows([sentence.name], [[each] for each in said]), (sentence,)),
        Page("Comparison", PageTable.of_rows([each.name for each in PAIR_COLUMNS], compared.rows()), PAIR_COLUMNS),
    ]
    front += [changes_page(compared.baseline)] if compared.baseline else []
    how = [
        ("Signature", compared.signature),
        *(("Folder", folder) for folder in compared.folders),
        *(("Made in other ways", each) for each in compared.differs),
        ("Comparison", describe_comparison(compared.paired)),
        *([("Changes", how_changed(compared.baseline))] if compared.baseline else []),
    ]
    about = About(
        [
            ("How these numbers were made", how),
            glossary_block(column for page in front for column in page.columns),
        ]
    )
    return Workbook("Comparison of results", front, problems_page(()), about)
