"""Checks on Spark: every task of a stage has one ``crosscheck batch`` process.

Needs ``pip install 'crosscheck-cli[spark]'``, also where the executors run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._columns import answer_columns, jobs_of

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

#: The columns that :func:`verify` answers with.
SCHEMA = "id string, verdict string, error string, answer string"


def verify(
    df: DataFrame,
    task: str,
    *,
    id: str = "id",
    options: Sequence[str] = (),
    root: str = "/",
    jobs: int = 1,
    **fixed: Any,
) -> DataFrame:
    """Checks every row of a data frame.

    The columns are members of a job: for ``rows`` a column ``log`` with the
    text of a log (or ``log_path``), for ``claims`` a column ``document``, and
    so on. What is the same for all rows is given by name: ``db="shop.db"``.
    The result has the columns ``id``, ``verdict`` (``None`` where a check could
    not run), ``error`` and ``answer``, the answer of ``crosscheck batch``.
    """
    words = list(options)

    def answers(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        from ._worker import Worker

        with Worker(root, jobs=jobs, options=words) as worker:
            for batch in batches:
                rows = batch.to_pylist()
                found = worker.ask_all(jobs_of(rows, task, id, fixed))
                columns = answer_columns([str(row[id]) for row in rows], found)
                yield pyarrow.RecordBatch.from_pydict(
                    columns, schema=pyarrow.schema([(name, pyarrow.string()) for name in columns])
                )

    return df.mapInArrow(answers, SCHEMA)
