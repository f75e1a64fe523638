"""The options of each cell: those that a table declares, or else those that the models chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from scoresheet.metrics.families.mode_collapse.matching import Matcher, OptionClash, normalize_answer
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import UsageError
from scoresheet.metrics.records import dataclass

ARROW: Final = " → "
ROOT: Final = "root"  # a parent of this name is the root itself, and a path may begin with it
EVERYWHERE: Final = ""  # the question of an option that holds for every sheet
_UNLISTED: Final = 10**6  # sorts a parent that is no option behind all that are

Path = tuple[str, ...]  # the choices from the root down to a parent
ChoicesSeen = Mapping[tuple[int, Path], Mapping[str, int]]  # level and parent → spelling → how often
OptionTree = dict[int, dict[Path | None, dict[str, list[str]]]]  # level → parent (None: all) → option → its aliases


def path_of(parent: str, level: int) -> Path:
    """Return the choices that a parent path names; the parent of level 1 is one choice, whatever it holds.

    >>> path_of("Japan → Food", 2), path_of("Japan/Food", 2), path_of("AC/DC", 1)
    (('Japan', 'Food'), ('Japan', 'Food'), ('AC/DC',))
    >>> path_of("root", 0), path_of("root/Japan", 1), path_of("root", 1)
    ((), ('Japan',), ('root',))
    """
    separator = ARROW.strip() if ARROW.strip() in parent else "/"
    first, cut, rest = parent.partition(separator)
    if first.strip().casefold() == ROOT and (cut or not level):
        parent = rest
    if level <= 1:
        return (parent.strip(),) if parent.strip() else ()
    return tuple(part.strip() for part in parent.split(separator) if part.strip())


def normalized_path(path: Iterable[str]) -> Path:
    """Return a path in the form in which two of them are equal."""
    return tuple(map(normalize_answer, path))


def question_key(name: str) -> str:
    """Return the form in which a question and the name of a sheet are equal.

    >>> question_key(" Food ") == question_key("food")
    True
    """
    return join_key(name).casefold()


@dataclass
class OptionSets:
    """Which options each cell has; the same for all models of a run."""

    by_question: dict[str, OptionTree] = field(default_factory=dict)
    # options of a table's own sheets: they hold for the outputs' sheet of that name, and if none has it, for all
    by_sheet: dict[str, OptionTree] = field(default_factory=dict)
    are_observed: bool = False
    _trees: dict[str, OptionTree] = field(default_factory=dict)
    _matchers: dict[tuple[str, int, Path | None], Matcher | None] = field(default_factory=dict)

    def add(self, question: str, level: int, path: Path | None, option: str, aliases: Iterable[str] = ()) -> None:
        """Declare an option for a question; the same spelling again adds its aliases."""
        _add(self.by_question.setdefault(question, {}), level, path, option, aliases)
        self._clear_caches()

    def add_of_sheet(self, sheet: str, level: int, path: Path | None, option: str, aliases: Iterable[str]) -> None:
        """Declare an option in a sheet of the table that has a name of its own."""
        _add(self.by_sheet.setdefault(sheet, {}), level, path, option, aliases)
        self._clear_caches()

    def check_distinct(self) -> None:
        """Raise UsageError if two options of one cell cannot be told apart."""
        for question in (*self.questions(), EVERYWHERE):
            for level, paths in self.tree(question).items():
                for path in (*paths, None):
                    self._matcher(question, level, path)

    def questions(self) -> list[str]:
        """Return the questions that options were declared for."""
        return sorted({*self.by_question, *self.by_sheet} - {EVERYWHERE})

    def levels(self, sheet: str) -> set[int]:
        """Return the levels at which a sheet has options."""
        return set(self.tree(self._question(sheet)))

    def tree(self, question: str) -> OptionTree:
        """Return all options of a question."""
        if question not in self._trees:
            of_sheets = [self.by_sheet[question]] if question in self.by_sheet else list(self.by_sheet.values())
            merged: OptionTree = {}
            for tree in (self.by_question.get(EVERYWHERE, {}), *of_sheets, self.by_question.get(question, {})):
                for level, path, option, aliases in _entries(tree):
                    _add(merged, level, path, option, aliases)
            self._trees[question] = merged
        return self._trees[question]

    def matcher(self, sheet: str, level: int, path: Path) -> Matcher | None:
        """Return the options of a cell; None where it has none."""
        question, own = self._question(sheet), normalized_path(path)
        return self._matcher(question, level, own if own in self.tree(question).get(level, {}) else None)

    def questions_of_others(self, sheet: str) -> str:
        """Return whose options the table has, if its sheets are questions and this sheet is named as none of them."""
        if self.are_observed or self._question(sheet) != EVERYWHERE or not self._do_sheets_differ():
            return ""
        return f"{join_names(map(repr, sorted(self.by_sheet)))}, none for this sheet, {sheet!r}"

    def suggested_question(self, sheet: str) -> str:
        """Return which of the table's sheets a sheet without options was to be named as, '' if it resembles none."""
        if not self.questions_of_others(sheet):
            return ""
        return Matcher(dict.fromkeys(self.by_sheet, ())).suggestion(sheet)

    def unknown_parent(self, sheet: str, level: int, path: Path) -> str:
        """Return why a path cannot have been chosen: one of its choices is none of the declared options."""
        if self.are_observed or normalized_path(path) in self.tree(self._question(sheet)).get(level, {}):
            return ""  # what was seen is noted elsewhere, and a parent that the table names is one
        for depth, part in enumerate(path):
            above = self.matcher(sheet, depth, path[:depth])
            if above and not above.option_named(part):
                return f"{part!r} is none of the options of level {depth}{above.suggestion(part)}"
        return ""

    def spelled_path(
        self, sheet: str, level: int, parts: Sequence[str], find: Callable[[Matcher, str], str] = Matcher.option_named
    ) -> Path:
        """Return a parent path with each choice spelt as its option is; one that is no option stays as it is.

        `find` says which option a choice is.
        """
        path: Path = ()
        for part in parts:
            above = self.matcher(sheet, level - len(parts) + len(path), path)
            option = find(above, part) if above else ""
            path = (*path, option or part)
        return path

    def sort_key(self, sheet: str, level: int, path: Path) -> tuple[int, list[tuple[int, str]]]:
        """Return what sorts cells: by level, then as the table lists the choices of their parent paths."""
        ranks = []
        for depth, part in enumerate(path):
            above = self.matcher(sheet, level - len(path) + depth, path[:depth])
            is_option = above is not None and part in above.options
            ranks.append((above.options.index(part) if above and is_option else len(path) + _UNLISTED, part))
        return level, ranks

    def _question(self, sheet: str) -> str:
        """Return the question of a sheet; all sheets that no options were declared for are alike."""
        key = question_key(sheet)
        return key if key in self.by_question or key in self.by_sheet else EVERYWHERE

    def _do_sheets_differ(self) -> bool:
        """Return whether two sheets of the table declare different options for the same cell: they are questions."""
        cells: dict[tuple[int, Path | None], set[str]] = {}
        for tree in self.by_sheet.values():
            for level, paths in tree.items():
                for path, options in paths.items():
                    if cells.setdefault((level, path), set(options)) != set(options):
                        return True
        return False

    def _matcher(self, question: str, level: int, path: Path | None) -> Matcher | None:
        key = (question, level, path)
        if key not in self._matchers:
            paths = self.tree(question).get(level, {})
            together: dict[str, list[str]] = {}
            for each in dict.fromkeys((None, path)):
                for option, aliases in paths.get(each, {}).items():
                    together.setdefault(option, []).extend(aliases)
            try:
                self._matchers[key] = Matcher(together) if together else None
            except OptionClash as clash:
                below = f" under {ARROW.join(path)}" if path else ""
                raise UsageError(f"the table of options, level {level}{below}: {clash}") from None
        return self._matchers[key]

    def _clear_caches(self) -> None:
        self._trees.clear()
        self._matchers.clear()


def observed_option_sets(sheets: Iterable[tuple[str, ChoicesSeen]], *, by: str) -> OptionSets:
    """Return the choices seen as the options; of the spellings that are equal, the most frequent names the option.

    `by` says among what: all of the run, sheets of the same name, or these and the same parent.
    """
    spellings: dict[tuple[str, int, Path | None, str], Counter[str]] = {}
    for sheet, seen in sheets:
        question = EVERYWHERE if by == "run" else question_key(sheet)
        for (level, parts), texts in seen.items():
            path = normalized_path(parts) if by == "parent" and parts else None
            for text, times in texts.items():
                spellings.setdefault((question, level, path, normalize_answer(text)), Counter())[text] += times
    option_sets = OptionSets(are_observed=True)
    order = {key: (-counted.total(), key[-1]) for key, counted in spellings.items()}
    for key in sorted(spellings, key=order.__getitem__):
        question, level, path, _ = key
        option_sets.add(question, level, path, _usual_spelling(spellings[key]))
    return option_sets


def _usual_spelling(spellings: Mapping[str, int]) -> str:
    """Return the most frequent spelling; of equals the short and quiet before ROME!."""
    return min(spellings, key=lambda text: (-spellings[text], len(text), text.isupper(), text))


def _entries(tree: OptionTree) -> Iterator[tuple[int, Path | None, str, list[str]]]:
    for level, paths in tree.items():
        for path, options in paths.items():
            for option, aliases in options.items():
                yield level, path, option, aliases


def _add(tree: OptionTree, level: int, path: Path | None, option: str, aliases: Iterable[str]) -> None:
    tree.setdefault(level, {}).setdefault(path, {}).setdefault(option, []).extend(aliases)
