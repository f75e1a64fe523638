"""Which columns of a table hold scores, and what their names mean: long, wide by dimension, or wide by judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.disagree.options import AUTO, DIMENSIONS, JUDGES, DisagreeOptions
from scoresheet.metrics.families.disagree.schema import DIMENSION, FIRST, INPUTS, ITEM, JUDGE, MODEL, RELEVANCE, SCORE
from scoresheet.metrics.families.disagree.score_texts import parse_score
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.keys import join_key, loose_key
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Noted, Problem, note, reject
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.tables import text_cells
from scoresheet.metrics.text_columns import coded_cells

if TYPE_CHECKING:
    from scoresheet.metrics.tables import Table

ONLY_DIMENSION: Final = "score"  # what a dimension is called where there is only one, without a name
ONLY_JUDGE: Final = "judge"  # and a judge

_COMMA: Final = re.compile(r"[-+]?\d+,\d+")
_MOST_NAMES: Final = 12  # that a message lists
_KEYS: Final = (ITEM, MODEL, JUDGE, DIMENSION)
_KEY_HEADERS: Final = tuple(column.name for column in _KEYS if column is not MODEL)  # a judge may be called so
_KEY_NAMES: Final = {loose_key(name) for column in _KEYS for name in (column.name, *column.aliases)}
# beside a column per judge these are no judges, and would agree with all of them
_ROW_NUMBERS: Final = ("no", "nr", "#", "index", "row", "number", "unnamed: 0")  # in any wide table
_COMPUTED: Final = (
    "mean",
    "average",
    "avg",
    "total",
    "sum",
    "median",
    "std",
    "sd",
    "stdev",
    "std dev",
    "variance",
    "range",
)
# what answers are judged by; judges are hardly called so
_QUALITIES: Final = (
    "accuracy adequacy appropriateness clarity coherence completeness conciseness consistency correctness"
)
_MORE: Final = (
    "creativity depth empathy engagement factuality faithfulness fluency formality grammar groundedness quality"
)
_OTHERS: Final = "harmlessness helpfulness honesty informativeness naturalness readability relevance relevancy safety"
_REST: Final = "style tone toxicity truthfulness usefulness 准确性 流畅性 相关性 完整性 安全性 有用性 正確性 流暢性"
_RESPECTS: Final = frozenset(f"{_QUALITIES} {_MORE} {_OTHERS} {_REST}".split())
# beside scores these say what was judged and why
_COMMENTARY: Final = (
    "comment",
    "comments",
    "note",
    "notes",
    "remark",
    "remarks",
    "reason",
    "reasons",
    "rationale",
    "explanation",
    "justification",
    "prompt",
    "question",
    "response",
    "answer",
    "text",
)


class RatingColumn(NamedTuple):
    """A column that holds scores: its header in the table, and the judge or dimension that they are of."""

    header: str
    name: str


@dataclass(frozen=True)
class RatingColumns:
    """Where the scores of a sheet stand."""

    columns: tuple[RatingColumn, ...]
    by_judge: bool  # whether the columns are judges; else dimensions
    long: bool  # one column, and a cell is a row

    @property
    def headers(self) -> list[str]:
        """The headers of the columns."""
        return [column.header for column in self.columns]


_LONG: Final = RatingColumns((RatingColumn(SCORE.name, ONLY_DIMENSION),), by_judge=False, long=True)


def rating_columns(sheet: Sheet, options: DisagreeOptions) -> Noted[RatingColumns]:
    """Return where the scores of a sheet stand; an InputError says what it lacks."""
    has_judges, has_score, has_dimension = (column.name not in sheet.absent for column in (JUDGE, SCORE, DIMENSION))
    names = options.named_columns()
    if has_judges and has_score and not names:
        return Noted(_LONG, _numbers_beside_score(sheet.table, options))
    # one judge's table, to make an ensemble of: its columns are dimensions unless one of them names these
    alone = (bool(options.strategies) or options.columns_are == DIMENSIONS) and not has_judges
    if alone and has_score and has_dimension:
        return Noted(_LONG, _numbers_beside_score(sheet.table, options))
    if has_judges and options.columns_are == JUDGES:
        reject(
            "columns-are",
            f"{flag('columns-are judges')} was said, and the column {sheet.header(JUDGE.name)} says who judged: "
            f"the others are dimensions; leave out {flag('columns-are')}, or the column",
            effect="sheet skipped",
        )
    by_judge = not has_judges and not alone
    stray: tuple[Problem, ...] = ()
    if has_judges and has_dimension:
        stray = (_note_columns("the column dimension was not used: the other columns are the dimensions"),)
    if names:
        columns = _named_columns(names, sheet)
        if stray and [column.header for column in columns] == [SCORE.name]:
            reject(
                "dimensions-twice",
                f"{flag('dimensions')} names {names[0]} as the one dimension, and the column dimension names others; "
                f"leave out {flag('dimensions')}, or the column",
                effect="sheet skipped",
            )
        wide = RatingColumns(columns, by_judge=by_judge, long=False)
        return Noted(wide, (*_meaning_of_columns(wide, sheet, options), *stray))
    columns, problems = _columns_of_scores(sheet, options, by_judge=by_judge)
    wide = RatingColumns(columns, by_judge=by_judge, long=False)
    return Noted(wide, (*problems, *_meaning_of_columns(wide, sheet, options), *stray))


def _meaning_of_columns(wide: RatingColumns, sheet: Sheet, options: DisagreeOptions) -> Iterator[Problem]:
    """Yield what the columns of a wide table were taken for; aloud, unless the user said what they are."""
    if len(wide.columns) > 1:
        names = [column.name for column in wide.columns]
        listing = join_names(names, most=_MOST_NAMES)
        if options.columns_are != AUTO:
            yield _note_columns(f"read as a column per {'judge' if wide.by_judge else 'dimension'}: {listing}")
        elif wide.by_judge:
            respects = called_as_dimensions(names)
            way = f"; {flag('columns-are dimensions')} takes them for dimensions of one judge" if not respects else ""
            yield note("columns-are", f"read as a column per judge: {listing}; no column says who judged{way}")
            if respects:
                yield note("called-as-dimensions", _not_judges(respects))
        else:
            by = f"the column {sheet.header(JUDGE.name)} says who judged" if JUDGE.name not in sheet.absent else ""
            yield note("columns-are", "; ".join(filter(None, (f"read as a column per dimension: {listing}", by))))
    header = sheet.header(RELEVANCE.name)
    taken = RELEVANCE.name not in sheet.absent and RELEVANCE.name not in wide.headers and not options.nominal
    if taken and called_as_dimensions([header]):
        every = ",".join([*(column.name for column in wide.columns), header])
        message = f"the column {header} was taken for the weight of each row's scores, not for scores"
        yield note("numbers-not-used", f"{message}; if it holds scores: {flag('dimensions')} {every}", column=header)


def called_as_dimensions(names: Sequence[str]) -> list[str]:
    """Return the names that are hardly those of judges or rounds, but what answers are judged by.

    >>> called_as_dimensions(["Accuracy", "ann", "style"])
    ['Accuracy', 'style']
    """
    return [name for name in names if loose_key(name) in _RESPECTS]


def _not_judges(names: Sequence[str]) -> str:
    several = len(names) > 1
    return (
        f"{join_names(names, most=_MOST_NAMES)} {'are' if several else 'is'} called as dimensions are, and "
        f"{'were' if several else 'was'} taken for {'judges' if several else 'a judge'}: then alpha says how far "
        f"dimensions agree; {flag('columns-are dimensions')} if they are dimensions, {flag('columns-are judges')} if "
        f"they are judges, {flag('column judge=HEADER')} if a column says who judged"
    )


def score_parser(options: DisagreeOptions) -> Callable[[str], float | None]:
    """Return what reads a score of a cell: plain numbers, or also what is said in words."""
    return _score_in_words if options.parse_scores else parse_float


def _score_in_words(cell: str) -> float | None:
    found = parse_score(cell)
    return None if found is None else found.value


def _named_columns(names: Sequence[str], sheet: Sheet) -> tuple[RatingColumn, ...]:
    """Return the columns that were named; a header that we took for one of ours is found by its aliases."""
    headers = {loose_key(str(header)): str(header) for header in sheet.table.columns if header not in _KEY_HEADERS}
    rateable = [column for column in INPUTS if column.name not in _KEY_HEADERS and column.name not in sheet.absent]
    for column in rateable:
        headers |= {loose_key(alias): column.name for alias in column.aliases if loose_key(alias) not in headers}
    missing = [name for name in names if headers.get(loose_key(name), "") in ("", *sheet.absent)]
    if missing:
        there = [*(column.name for column in rateable), *_other_headers(sheet.table)]
        reject(
            "missing-column",
            f"no column {join_names(missing)}, which {flag('dimensions')} names; the columns are "
            f"{join_names(there, most=_MOST_NAMES)}",
            effect="sheet skipped",
        )
    # of two names for one column the first holds, in the order in which they were named
    by_header = {headers[loose_key(name)]: join_key(name) for name in reversed(names)}
    return tuple(RatingColumn(header, name) for header, name in reversed(by_header.items()))


def _columns_of_scores(
    sheet: Sheet, options: DisagreeOptions, *, by_judge: bool
) -> tuple[tuple[RatingColumn, ...], tuple[Problem, ...]]:
    """Return the columns in which most of what is filled is a number, or with labels every one that is filled."""
    table = sheet.table
    parse = score_parser(options)
    candidates = [*([] if SCORE.name in sheet.absent else [SCORE.name]), *_order_header(sheet, options)]
    candidates += _scoring_model(sheet, options, by_judge=by_judge)
    candidates += _other_headers(table)
    candidates.sort(key=lambda header: _place(sheet, header))
    computed = (*_ROW_NUMBERS, *_COMPUTED) if by_judge else _ROW_NUMBERS
    reasons = {header: _reason_against(header, computed) for header in candidates if header != MODEL.name}
    # a lone column is what there is to score, whatever its name, unless it is a key
    several = len(candidates) > 1
    left_out = {header: why for header, why in reasons.items() if why and (several or loose_key(header) in _KEY_NAMES)}
    # below a header alone there is nothing to tell scores by
    holds_scores = {
        header: not len(table) or _is_scored(coded_cells(text_cells(table, header)), parse, nominal=options.nominal)
        for header in candidates
        if header not in left_out
    }
    taken = [header for header, scored in holds_scores.items() if scored]
    unscored = [header for header, scored in holds_scores.items() if not scored]
    if not taken:
        others = join_names([*left_out, *unscored], most=_MOST_NAMES) or "none"
        in_words = [header for header in unscored if _first_in_words(coded_cells(text_cells(table, header)))]
        if in_words:
            shown = _first_in_words(coded_cells(text_cells(table, in_words[0])))
            reject(
                "no-scores",
                f"no column of numbers, but scores in words, such as {shown!r} in the column "
                f"{sheet.header(in_words[0])}; {flag('parse-scores')} reads them",
                effect="sheet skipped",
            )
        if unscored and not options.nominal:
            others += _how_else(sheet, unscored)
        reject(
            "no-scores",
            "no column score, and no other column that holds mostly numbers and is not left out by its name; name "
            f"yours with {flag(f'column {SCORE.name}=HEADER')} or {flag('dimensions HEADER,…')}; the other columns are "
            f"{others}",
            effect="sheet skipped",
        )
    problems = [*_left_out_by_name(table, left_out, taken), *_left_out_by_cells(table, unscored, taken, parse)]
    if options.nominal:
        listing = join_names(taken, most=_MOST_NAMES)
        problems.append(_note_columns(f"labels were taken from {listing}; {flag('dimensions')} names others"))
    names = {column: join_key(sheet.header(column)) for column in (SCORE.name, FIRST.name, MODEL.name)}
    if taken == [SCORE.name]:  # a lone column of scores names nobody
        names[SCORE.name] = ONLY_JUDGE if by_judge else ONLY_DIMENSION
    columns = tuple(RatingColumn(header, names.get(header, join_key(header))) for header in taken)
    return columns, tuple(problems)


def _place(sheet: Sheet, header: str) -> int:
    """Return where a column stands in the file."""
    name = sheet.header(header)
    return sheet.headers.index(name) if name in sheet.headers else len(sheet.headers)


def _order_header(sheet: Sheet, options: DisagreeOptions) -> list[str]:
    """Return the column that could say what stood first, where there are no labels to stand anywhere: scores may do."""
    return [] if options.nominal or FIRST.name in sheet.absent else [FIRST.name]


def _scoring_model(sheet: Sheet, options: DisagreeOptions, *, by_judge: bool) -> list[str]:
    """Return the column model where it holds scores beside those of others: a judge of that name."""
    if not by_judge or MODEL.name in sheet.absent:
        return []
    cells = coded_cells(text_cells(sheet.table, MODEL.name))
    return [MODEL.name] if _is_scored(cells, score_parser(options), nominal=False) else []


def _reason_against(header: str, computed: Sequence[str]) -> str:
    """Return what a column's name says it holds instead of scores; '' if nothing speaks against it."""
    name = loose_key(header)
    if name in computed:
        return "number the rows or are made of the others"
    if name in _KEY_NAMES:
        return "say what was judged, by whom or in which respect"
    return "hold remarks or texts" if name in _COMMENTARY else ""


def _left_out_by_name(table: Table, left_out: Mapping[str, str], taken: Sequence[str]) -> Iterator[Problem]:
    """Yield notes on columns whose names say that they hold no scores."""
    for why in dict.fromkeys(left_out.values()):
        headers = [header for header, reason in left_out.items() if reason == why]
        message = f"not used, since by their names they {why}: {join_names(headers, most=_MOST_NAMES)}"
        yield _note_columns(f"{message}; {flag('dimensions')} names the columns to use")
    for header in left_out:
        if loose_key(header) in _COMMENTARY and _is_scored(
            coded_cells(text_cells(table, header)), parse_float, nominal=False
        ):
            message = f"{header} holds numbers and was not used, since by its name it holds remarks or texts"
            yield _lost_numbers(message, header, taken)


def _left_out_by_cells(
    table: Table, unscored: Sequence[str], taken: Sequence[str], parse: Callable[[str], float | None]
) -> Iterator[Problem]:
    """Yield notes on columns that hold no numbers, or fewer than other cells."""
    without = []
    for header in unscored:
        cells = coded_cells(text_cells(table, header))
        numbers, filled = _count_numbers(cells, parse)
        in_words = _first_in_words(cells) if parse is parse_float else ""
        if in_words:
            message = f"{header} was not used: it holds scores in words, such as {in_words!r}"
            yield note("numbers-not-used", f"{message}; {flag('parse-scores')} reads them", column=header)
        elif not numbers:
            without.append(header)
        else:
            message = f"{header} was not used: {numbers} of its {filled} filled cells are numbers, not more than half"
            yield _lost_numbers(message, header, taken)
    if without:
        yield _note_columns(f"not used, since they hold no numbers: {join_names(without, most=_MOST_NAMES)}")


def _lost_numbers(message: str, header: str, taken: Sequence[str]) -> Problem:
    way = f"if it holds scores, name all that do: {flag('dimensions')} {','.join([*taken[:3], header])}"
    more = ",…" if len(taken) > 3 else ""
    return note("numbers-not-used", f"{message}; {way}{more}", column=header)


def _how_else(sheet: Sheet, unscored: Sequence[str]) -> str:
    """Return what would read columns that hold no numbers: they may be labels, or numbers with a comma for a point."""
    stripped = {header: map(str.strip, text_cells(sheet.table, header)) for header in unscored}
    columns = {header: list(filter(None, cells)) for header, cells in stripped.items()}
    for header, cells in columns.items():
        if cells and all(_COMMA.fullmatch(cell) for cell in cells):
            named = sheet.header(header)
            return f"; {named} has a comma where numbers have a point, as in {cells[0]!r}: save it with points"
    labels = [header for header, cells in columns.items() if 1 < len(set(cells)) * 2 <= len(cells)]
    if not labels:
        return ""
    return f"; if {sheet.header(labels[0])} holds labels, {flag('level nominal')} takes them"


def _first_in_words(cells: Coded[str]) -> str:
    """Return the first of a column's scores in words, if most of what is filled are scores and some are in words."""
    if not _is_scored(cells, _score_in_words, nominal=False):
        return ""
    return next((cell for cell in cells.values if parse_float(cell) is None and _score_in_words(cell) is not None), "")


def _is_scored(cells: Coded[str], parse: Callable[[str], float | None], *, nominal: bool) -> bool:
    numbers, filled = _count_numbers(cells, parse)
    return filled > 0 if nominal else 2 * numbers > filled


def _count_numbers(cells: Coded[str], parse: Callable[[str], float | None]) -> tuple[int, int]:
    """Return how many cells hold numbers, and how many anything."""
    filled = {cell: count for cell, count in cells.counted().items() if cell.strip()}
    return sum(count for cell, count in filled.items() if parse(cell) is not None), sum(filled.values())


def _numbers_beside_score(table: Table, options: DisagreeOptions) -> tuple[Problem, ...]:
    """Return a note on columns that could be meant for scores beside the one that is used."""
    if options.nominal:
        return ()
    others = [
        header
        for header in _other_headers(table)
        if not _reason_against(header, _ROW_NUMBERS)
        and _is_scored(coded_cells(text_cells(table, header)), score_parser(options), nominal=False)
    ]
    if not others:
        return ()
    listing = join_names(others, most=_MOST_NAMES)
    return (
        _note_columns(
            f"columns of numbers that were not used beside {SCORE.name}: {listing}; if they are dimensions, "
            f"name them all: {flag('dimensions')} {','.join([SCORE.name, *others[:3]])}"
        ),
    )


def _other_headers(table: Table) -> list[str]:
    ours = {column.name for column in INPUTS}
    return [str(header) for header in table.columns if header not in ours]


def _note_columns(message: str) -> Problem:
    return note("other-columns", message)
