"""Tasks on a Dask cluster whose workers share the file system with us."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, Self

from scoresheet.cli.input.grammar import usage
from scoresheet.cli.run.signals import check_signals
from scoresheet.cli.run.workers import Limits, TaskFailure, failure_of


class DaskWorkers:
    """The workers of a cluster. The task of one that was killed is given to another.

    The tasks that are left fail once none of them has ended for as long as one may take.
    """

    def __init__(self, address: str, limits: Limits) -> None:
        self._address, self._limits, self._open = address, limits, ExitStack()

    def __enter__(self) -> Self:
        try:
            from distributed import Client, LocalCluster
        except ModuleNotFoundError:
            raise usage("--dask needs the extra dask", "pip install 'scoresheet[dask]'") from None
        address: Any = self._address
        if address == "local":
            count = self._limits.jobs or None
            cluster = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
            address = self._open.enter_context(cluster)
        try:
            self._client = self._open.enter_context(Client(address))
        except (OSError, ValueError) as error:
            raise usage(f"--dask {address}: no cluster answers there: {error}") from None
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(
        self,
        function: Callable[..., Any],
        tasks: Sequence[tuple[Any, ...]],
        done: Callable[[], None] = lambda: None,
    ) -> list[Any]:
        """Return function(*task) of every task in order, or the TaskFailure in its place."""
        from distributed import wait

        call = partial(_call, Path.cwd(), function)
        futures = [self._client.submit(call, task, pure=False) for task in tasks]
        left, last = set(futures), time.monotonic()
        while left and time.monotonic() - last < self._limits.timeout:
            ended: set[Any] = set()
            with suppress(TimeoutError):
                ended, left = wait(left, timeout=1, return_when="FIRST_COMPLETED")
            check_signals()
            last = time.monotonic() if ended else last
            for _ in ended:
                done()
        late = TaskFailure("time", f"took longer than {self._limits.timeout:g} seconds")
        self._client.cancel(list(left))
        return [late if future in left else _result(future) for future in futures]


def _call(folder: Path, function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    """Do a task in a worker, which may have been started in another folder."""
    os.chdir(folder)
    try:
        return function(*task)
    except Exception as error:  # noqa: BLE001 the run reports it
        return failure_of(error)


def _result(future: Any) -> Any:
    error = future.exception()
    return TaskFailure("died", str(error)) if error else future.result()
