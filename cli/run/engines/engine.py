"""What a run asks of the engine that its models are worked on by, and the engine that needs nothing: the pool."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final, Generic, Protocol

from scoresheet.cli.input.discover import ModelInput
from scoresheet.cli.run.messages import Message
from scoresheet.cli.run.plan import Plan
from scoresheet.cli.run.pool import Bug, R, WorkerCrashed, run_tasks
from scoresheet.cli.settings import DASK, Settings
from scoresheet.metrics import family
from scoresheet.metrics.problems import MissingExtra
from scoresheet.metrics.records import dataclass

Answers = Generator[tuple[int, R | WorkerCrashed | Bug], None, None]
_EXTRA: Final = "dask"
# of clusters, declared where nothing of Dask is loaded
NO_WORKERS: Final = 300.0  # seconds that a scheduler may have no worker before it is given up
PER_THREAD: Final = 2  # jobs given to a cluster for each of its threads, so that none waits for the next


@dataclass(frozen=True)
class ModelWork(Generic[family.O, family.P, family.C, family.S, family.R, family.K, R]):
    """What is done to each model: a function of the plan, of what else it needs, of the model, and of who listens."""

    function: Callable[..., R]
    plan: Plan[family.O, family.P, family.C, family.S, family.R, family.K]
    further: tuple[object, ...] = ()


class Engine(Protocol):
    """Works on models; what comes of one is the same on every engine."""

    def answers(
        self,
        work: ModelWork[family.O, family.P, family.C, family.S, family.R, family.K, R],
        models: Sequence[ModelInput],
        on_message: Callable[[int, Message], None] = lambda _task, _message: None,
        tick: Callable[[], None] = lambda: None,
    ) -> Answers[R]:
        """Yield (number of the model, what came of it) as they come, its reports being in the stage.

        Close it (`contextlib.closing`): then nothing is worked on any more however the loop over it ends.
        """
        ...


class LocalEngine:
    """Processes of this machine."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def answers(
        self,
        work: ModelWork[family.O, family.P, family.C, family.S, family.R, family.K, R],
        models: Sequence[ModelInput],
        on_message: Callable[[int, Message], None] = lambda _task, _message: None,
        tick: Callable[[], None] = lambda: None,
    ) -> Answers[R]:
        """Return the answers of the pool."""
        processes = self._settings.processes(len(models))
        return run_tasks(
            partial(work.function, replace(work.plan, processes=processes), *work.further),
            models,
            workers=self._settings.workers(len(models)),
            allowance=self._settings.allowance(len(models)),
            size=ModelInput.size,
            on_message=on_message,
            tick=tick,
        )


@contextmanager
def chosen_engine(settings: Settings) -> Iterator[Engine]:
    """Yield the engine that was asked for; a cluster is connected to, or started, when there is a model to work on."""
    if not settings.on_dask:
        yield LocalEngine(settings)
        return
    from scoresheet.cli.run.engines.dask_engine import DaskEngine

    engine = DaskEngine(settings)
    try:
        yield engine
    finally:
        engine.close()


def require_engine(settings: Settings) -> None:
    """Raise MissingExtra if an engine is asked for whose packages are not installed; called before anything is read."""
    if not settings.on_dask:
        return
    try:
        import distributed  # noqa: F401 - whether it is there is the question
    except ImportError:
        raise MissingExtra("--scheduler" if settings.scheduler else f"--engine {DASK}", _EXTRA) from None
