"""Studies of rankings and judgments: the files of `diversity`, and lists that many tests share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tests.helpers.files import Rows, Table, read_csv, sheet_rows, write_csv
from tests.helpers.runs import Result
from tests.helpers.studies import Workplace, paged
from tests.helpers.workbooks import empty_workbooks

RANKED = ("query", "item", "rank")
JUDGED = ("query", "subtopic", "item")
GRADED = (*JUDGED, "relevance")

Row = tuple[object, ...]


@dataclass(frozen=True)
class Study(Workplace):
    """A working directory with rankings in `outs` and judgments in `refs`, scored into `res`."""

    stem: ClassVar[str] = "diversity"

    @property
    def refs(self) -> Path:
        return self.root / "refs"

    def model(self, rows: Rows, name: str = "m") -> Path:
        """A lone CSV of rankings."""
        return write_csv(self.outs / f"{name}.csv", rows)

    def judge(self, rows: Rows) -> Path:
        """The judgments, in one CSV."""
        return write_csv(self.refs / "all.csv", rows)

    def score(self, *options: str | Path, refs: str = "refs", res: str = "res") -> Result:
        """Run `diversity` on the rankings and the judgments; '' is no judgments."""
        return self.run("diversity", "outs", *([refs] if refs else []), "-o", res, *options)

    def tables(self, *options: str | Path, refs: str = "refs", res: str = "res") -> Result:
        """Score without the time that workbooks take, for who looks at tables and at what was said."""
        with empty_workbooks():
            return self.score(*options, refs=refs, res=res)

    def queries(self, model: str = "m") -> Table:
        """The queries of one model with their measures."""
        return read_csv(self.res / f"{model}_diversity.csv")

    def query(self, query: str = "q1", *, sheet: str = "", model: str = "m") -> dict[str, str]:
        """The line of one query; the sheet matters only where there are several."""
        (found,) = (q for q in self.queries(model) if q["Query"] == query and sheet in ("", q["Sheet"]))
        return found

    def value(self, measure: str, query: str = "q1", *, sheet: str = "", model: str = "m") -> float | None:
        """One measure of one query, None where it is undefined."""
        text = self.query(query, sheet=sheet, model=model)[measure]
        return float(text) if text else None

    def ranking(self, query: str = "q1", *, model: str = "m") -> str:
        """The items of a query in the order they were scored, as the Subtopics page shows them."""
        head, *rows = sheet_rows(self.workbook(model), "Subtopics")
        lines = [dict(zip(map(str, head), row, strict=True)) for row in rows]
        ranked = [(int(str(line["Rank"])), str(line["Item"])) for line in lines if str(line["Query"]) == query]
        assert [rank for rank, _ in sorted(ranked)] == list(range(1, len(ranked) + 1))
        return "".join(item for _, item in sorted(ranked))

    def effects(self, kind: str) -> set[str]:
        """What the problems of one kind cost."""
        return {line["effect"] for line in self.problems(kind)}


def ranked(items: Iterable[str], query: str = "q1") -> list[Row]:
    """Rows of one query, ranked from 1."""
    return [(query, item, rank) for rank, item in enumerate(items, 1)]


def judged(names: str, query: str = "q1") -> list[Row]:
    """Judgments of one query from words such as 'a:A b:BD', a subtopic and its items."""
    pairs = (name.split(":") for name in names.split())
    return [(query, subtopic, item) for subtopic, items in pairs for item in items]


THREE = "query,item,rank / q,a,1 / q,b,2 / q,c,3"
THREE_JUDGED = "query,subtopic,item,relevance / q,x,a,1 / q,y,b,1 / q,x,c,1"


@dataclass(frozen=True)
class Lab(Workplace):
    """Rankings in `outs`, judgments in `refs`; in what is put there a stroke between spaces ends a line."""

    stem: ClassVar[str] = "diversity"

    def put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(" / ", "\n"), encoding="utf-8", newline="")

    def score(self, *options: str, refs: str = "refs") -> Result:
        return self.run("diversity", "outs", *([refs] if refs else []), "-o", "res", *options)

    def tables(self, *options: str, refs: str = "refs") -> Result:
        """Score without the time that workbooks take, for who looks at tables and at what was said."""
        with empty_workbooks():
            return self.score(*options, refs=refs)

    def lines(self, name: str) -> Table:
        """The lines of a CSV among the reports."""
        return read_csv(self.res / name)

    def value(self, measure: str, model: str = "m") -> str:
        return self.results()[model][measure]

    def messages(self, kind: str) -> list[str]:
        return [problem["message"] for problem in self.problems(kind)]

    def about(self, model: str = "m") -> dict[str, str]:
        """The About page as a mapping."""
        rows = [[str(cell) for cell in row if cell is not None] for row in sheet_rows(self.workbook(model), "About")]
        return {row[0]: row[1] for row in reversed(rows) if len(row) > 1}

    def comparison(self, measure: str = "alpha_nDCG@10") -> dict[str, Any]:
        """The line of the page of comparisons about one measure."""
        found = paged(self.res / "diversity_results.xlsx", "Comparison")
        return next(line for line in found if line["Measure"] == measure)


QRELS = "query,subtopic,item,relevance\n" + "".join(f"q{n},a,A,1\nq{n},b,B,1\n" for n in range(1, 9))
RANKING = "query,item,rank\n" + "".join(f"q{n},A,1\nq{n},B,2\n" for n in range(1, 9))
