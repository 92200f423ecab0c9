"""Checks on Ray Data: an actor with one ``crosscheck batch`` process, for ``map_batches``.

Needs ``pip install 'crosscheck-cli[ray]'``, also on the other nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._columns import answer_columns, jobs_of
from ._worker import Worker

if TYPE_CHECKING:
    import pyarrow
    from ray.data import Dataset


class Verifier:
    """The actor; :func:`verify` is the usual way to it."""

    def __init__(
        self,
        task: str,
        id: str = "id",
        options: Sequence[str] = (),
        root: str = "/",
        jobs: int = 1,
        fixed: dict[str, Any] | None = None,
    ) -> None:
        self._task, self._id, self._fixed = task, id, fixed or {}
        self._worker = Worker(root, jobs=jobs, options=options)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        rows = batch.to_pylist()
        found = self._worker.ask_all(jobs_of(rows, self._task, self._id, self._fixed))
        return pyarrow.table(answer_columns([str(row[self._id]) for row in rows], found))


def verify(
    dataset: Dataset,
    task: str,
    *,
    id: str = "id",
    options: Sequence[str] = (),
    root: str = "/",
    jobs: int = 1,
    concurrency: int | tuple[int, int] = 2,
    batch_size: int = 512,
    ray_options: dict[str, Any] | None = None,
    **fixed: Any,
) -> Dataset:
    """Checks every row of a dataset; columns and result as in :func:`crosscheck.spark.verify`.

    ``concurrency`` actors run at once. When a node may die, the others need room for its actors:
    Ray waits for that room before it repeats what such an actor had in hand.
    """
    from ray.data import ActorPoolStrategy

    low, high = (concurrency, concurrency) if isinstance(concurrency, int) else concurrency
    arguments = (task, id, list(options), root, jobs, fixed)
    return dataset.map_batches(
        Verifier,
        fn_constructor_args=arguments,
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=ActorPoolStrategy(min_size=low, max_size=high),
        **(ray_options or {}),
    )
