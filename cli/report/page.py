"""Pages: worksheets to be, with their columns, charts and links; writers know these and nothing of a family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, islice
from typing import Any, Final, Literal

from scoresheet.metrics.columns import Column as CellColumn
from scoresheet.metrics.columns import Integers, Listed, elements
from scoresheet.metrics.measures import Direction
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bands import Bands
from scoresheet.metrics.stored_values import Stored, ValueStore

Kind = Literal["key", "text", "label", "score", "share", "chance", "count", "spark"]

# in tables whose lines are rows of the input: where each stood
SHEET: Final = "Sheet"
ROW: Final = "Row"

STORED_TOGETHER: Final = 128  # rows of a long table, made of rows, that are in memory at a time


@dataclass(frozen=True)
class Column:
    """A column that is shown: its name, what it means, and how its cells look."""

    name: str
    about: str
    kind: Kind = "text"
    better: Direction | None = None  # colours the cells; None leaves them plain
    lowest: float = 0  # where its colours begin; they end at 1
    relative: bool = False  # its colours run from the column's least to its largest value, not from 0 to 1
    good: tuple[str, ...] = ()  # texts that are coloured as good, middling and bad
    middling: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    drawn_from: tuple[str, ...] = ()  # of a spark column, whose cells hold nothing: the columns its bars are drawn from


@dataclass(frozen=True)
class Edge:
    """A value that bars are held against, such as where a band begins: a line across them, and what it is called."""

    value: float
    name: str


@dataclass(frozen=True)
class Chart:
    """A native chart of a page: a bar per row, the largest first, with the interval where two columns hold its ends."""

    title: str
    labels: str  # the column that names a bar, after `group` if there is one
    values: str
    low: str = ""
    high: str = ""
    group: str = ""
    edges: tuple[Edge, ...] = ()  # the first is always seen, the others where bars come near them
    ordered: bool = False  # bars stand as the rows do, whose order means something


@dataclass(frozen=True)
class StackedChart:
    """A native chart over a page's own cells: a bar per row made of pieces, a column each."""

    title: str
    labels: str
    pieces: tuple[str, ...]
    names: tuple[str, ...]  # for each column of pieces the column with what is written on them; '' for none
    most: int  # rows shown
    across: str = ""  # what the pieces are counted in


@dataclass(frozen=True)
class LineChart:
    """A native chart over a page's own cells: a line per column, over the page's rows."""

    title: str
    labels: str  # the column that names the points
    lines: tuple[str, ...]
    up: str = ""  # what the lines show
    edge: Edge | None = None


@dataclass(frozen=True)
class Histogram:
    """A native chart of how often values fall between edges; its numbers stand in hidden cells."""

    title: str
    bins: tuple[str, ...]  # what each bin is called
    counts: tuple[int, ...]
    across: str = ""  # what the values are
    up: str = ""  # what is counted


@dataclass(frozen=True)
class PageTable:
    """The cells of a page, column by column; a data frame for each page took longer than writing its cells."""

    columns: Mapping[str, Sequence[Any]]  # by name, all of one length
    together: int = 0  # rows that are quickly had at once; 0: all of them

    def __post_init__(self) -> None:
        if len(set(map(len, self.columns.values()))) > 1:
            raise ValueError("the columns of a table are of one length")

    @classmethod
    def of_rows(
        cls, names: Sequence[str], rows: Iterable[Sequence[object]], *, held: int = STORED_TOGETHER
    ) -> PageTable:
        """Return rows under these column names; more than are to be `held` in memory are in a store.

        >>> PageTable.of_rows(["a", "b"], [(1, 2), (3, 4)]).columns
        {'a': [1, 3], 'b': [2, 4]}
        """
        rest = iter(rows)
        first = list(islice(rest, held + 1))
        if len(first) <= held:
            return cls({name: [row[position] for row in first] for position, name in enumerate(names)})
        every = chain(first, rest)
        blocks = iter(lambda: list(islice(every, STORED_TOGETHER)), [])
        stored = _StoredRows([[row[position] for row in block] for position in range(len(names))] for block in blocks)
        return cls({name: _StoredCells(stored, position) for position, name in enumerate(names)}, STORED_TOGETHER)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Sequence[Any]:
        return self.columns[name]

    def rows(self, names: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        """Return the rows of some columns."""
        return zip(*(self.columns[name] for name in names), strict=True)

    def cells_of(self, names: Sequence[str], rows: Sequence[int]) -> list[list[Any]]:
        """Return the cells of some rows, column by column; of rows in a store those that are at hand together."""
        columns = [self.columns[name] for name in names]
        found: list[list[Any]] = [[] for _ in names]
        for start, stop in _runs(rows, self.together):
            for own, column in zip(found, columns, strict=True):
                own.extend(elements(column, start, stop))
        return found

    def part(self, wanted: slice) -> PageTable:
        """Return some of its rows."""
        return PageTable({name: values[wanted] for name, values in self.columns.items()})


def _runs(rows: Sequence[int], together: int) -> Iterator[tuple[int, int]]:
    """Yield the first row and the one behind the last of rows that follow each other and are had together; 0: all.

    >>> list(_runs([3, 4, 5, 9, 2], 4)), list(_runs([3, 4, 5], 0))
    ([(3, 4), (4, 6), (9, 10), (2, 3)], [(3, 6)])
    """
    start = stop = -1
    for row in rows:
        if row != stop or (together and row % together == 0):
            if start >= 0:
                yield start, stop
            start = row
        stop = row + 1
    if start >= 0:
        yield start, stop


class _StoredRows:
    """The columns of rows, so many rows at a time, in a store."""

    def __init__(self, blocks: Iterable[list[list[object]]]) -> None:
        store = ValueStore()
        self._blocks: list[Stored[list[list[object]]]] = []
        self.length = 0
        for columns in blocks:
            self._blocks.append(store.put(columns))
            self.length += len(columns[0])

    def cells(self, position: int, start: int, stop: int) -> list[object]:
        """Return some cells of a column."""
        found: list[object] = []
        for block in range(start // STORED_TOGETHER, -(-stop // STORED_TOGETHER)):
            before = block * STORED_TOGETHER
            found += self._blocks[block].get()[position][max(start - before, 0) : stop - before]
        return found


class _StoredCells(CellColumn[object]):
    """One column of stored rows."""

    def __init__(self, rows: _StoredRows, position: int) -> None:
        self._rows, self._position = rows, position

    def __len__(self) -> int:
        return self._rows.length

    def batch(self, start: int, stop: int) -> list[object]:
        """Return some cells as a list."""
        return self._rows.cells(self._position, start, stop)

    def take(self, places: Integers) -> Listed[object]:
        """Return the cells at these places."""
        return Listed([self[place] for place in places.tolist()])


@dataclass(frozen=True)
class Page:
    """One worksheet to be: a title, a table, and what its columns mean."""

    title: str
    table: PageTable
    columns: tuple[Column, ...]
    chart: Chart | StackedChart | Histogram | LineChart | None = None
    more_charts: tuple[LineChart, ...] = ()
    total_rows: int = 0  # the last rows sum up the others
    links: Mapping[str, str] = field(default_factory=dict)  # text in the first column → page title or file
    sentence: str = ""  # stands below the table


def band_edges(bands: Bands) -> tuple[Edge, ...]:
    """Return where bands begin, as lines of a chart; the first begins nowhere.

    >>> [edge.name for edge in band_edges([(0, "low"), (0.5, "moderate"), (0.8, "high")])]
    ['moderate from 0.5', 'high from 0.8']
    """
    return tuple(Edge(start, f"{name} from {start:g}") for start, name in bands[1:])


def free_column_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that no other column of the page has: blanks after it tell it apart and do not show.

    >>> free_column_name("anna", ["Judge", "Items"]), free_column_name("Items", ["Judge", "Items"])
    ('anna', 'Items ')
    """
    others = set(taken)
    while name in others:
        name += " "
    return name
