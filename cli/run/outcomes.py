"""What came of all models of a run, kept as bytes: a run may have thousands, and each stays to the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar, cast

from scoresheet.cli.run.plan import Outcome
from scoresheet.metrics.columns import Column, Integers
from scoresheet.metrics.family import R
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.stored_values import Held, MadeMapping, Stored, ValueStore

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison


T = TypeVar("T")
_FEW: Final = 64  # models whose outcomes stay as they are: some kilobytes each


class _Kept(NamedTuple, Generic[R]):
    """What is known of a model without looking into the store."""

    model: str
    has_result: bool
    problems: tuple[Problem, ...]  # which a run lists all the same
    outcome: Held[Outcome[R]] | Stored[Outcome[R]]


class Outcomes(Column[Outcome[R]]):
    """The outcomes of models, each made again whenever it is asked for."""

    def __init__(self, outcomes: Iterable[Outcome[R]] = ()) -> None:
        self._details = ValueStore()
        self._store = ValueStore(parts=self._details)
        self._kept: list[_Kept[R]] = []
        for outcome in outcomes:
            self.add(outcome)

    def add(self, outcome: Outcome[R]) -> None:
        """Keep what came of a model."""
        slim = replace(outcome.put_away(self._details), problems=())
        has_result = outcome.result is not None
        kept = Held(slim) if len(self._kept) < _FEW else self._store.put(slim)
        self._kept.append(_Kept(outcome.model, has_result, outcome.problems, kept))

    def __len__(self) -> int:
        return len(self._kept)

    def batch(self, start: int, stop: int) -> list[Outcome[R]]:
        """Return some of them as a list."""
        return list(map(_made, self._kept[start:stop]))

    def take(self, places: Integers) -> Outcomes[R]:
        """Return those at these places."""
        return self._of([self._kept[place] for place in places.tolist()])

    def __iter__(self) -> Iterator[Outcome[R]]:
        return map(_made, self._kept)

    @property
    def results(self) -> Mapping[str, R]:
        """The results of the models that have one, by name."""
        return MadeMapping({kept.model: kept.outcome for kept in self._kept if kept.has_result}, _result)

    def made(self, make: Callable[[Outcome[R]], T]) -> Mapping[str, T]:
        """Return what is made of each of them, by the model's name, whenever it is asked for."""
        return MadeMapping({kept.model: kept for kept in self._kept}, lambda kept: make(_made(kept)))

    def ordered(self, key: Callable[[str], SupportsRichComparison]) -> Outcomes[R]:
        """Return them in the order of a key of the models' names."""
        return self._of(sorted(self._kept, key=lambda kept: key(kept.model)))

    def only(self, wanted: Callable[[str], bool]) -> Outcomes[R]:
        """Return those of the models that are wanted."""
        return self._of([kept for kept in self._kept if wanted(kept.model)])

    def _of(self, kept: list[_Kept[R]]) -> Outcomes[R]:
        some: Outcomes[R] = Outcomes()
        some._details, some._store, some._kept = self._details, self._store, kept
        return some


def by_model(outcomes: Sequence[Outcome[R]], made: Callable[[Outcome[R]], T]) -> Mapping[str, T]:
    """Return what is made of each model's outcome, by its name, whenever it is asked for."""
    if isinstance(outcomes, Outcomes):
        return outcomes.made(made)
    return MadeMapping({outcome.model: outcome for outcome in outcomes}, made)


def _made(kept: _Kept[R]) -> Outcome[R]:
    outcome = kept.outcome.get()
    return replace(outcome, problems=kept.problems) if kept.problems else outcome


def _result(kept: Held[Outcome[R]] | Stored[Outcome[R]]) -> R:
    return cast("R", kept.get().result)  # only those are asked that have one
