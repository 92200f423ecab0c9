"""Checks what AI agents say against the facts.

>>> import crosscheck
>>> report = crosscheck.rows("calls.ndjson", db="shop.db")      # doctest: +SKIP
>>> report.verdict                                              # doctest: +SKIP
'refuted'

Every function returns a :class:`Report`; a check that could not run raises
:class:`CouldNotRun`. The same functions are in :mod:`crosscheck.aio` for
``await``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _jobs
from ._errors import CouldNotRun, NotConfirmed
from ._inputs import Log
from ._program import find_program
from ._report import Place, Reason, Report, Unit
from ._worker import Worker, default_worker, set_default_worker

__all__ = [
    "CouldNotRun",
    "Log",
    "NotConfirmed",
    "Place",
    "Reason",
    "Report",
    "Unit",
    "Worker",
    "check",
    "claims",
    "default_worker",
    "done",
    "explain",
    "find_program",
    "judge",
    "quick",
    "rows",
    "set_default_worker",
    "sources",
    "trace",
    "verify",
]


def _report(job: dict[str, Any]) -> Report:
    return Report.from_json(default_worker().ask(job))


def rows(
    log: Log,
    *,
    db: str | os.PathLike[str],
    contract: str | os.PathLike[str] | None = None,
    format: str | None = None,
    redact: bool = False,
) -> Report:
    """Did the writes of this log really happen?

    ``log`` is a path, bytes, a list of messages (dicts or LangChain messages)
    or the result of an OpenAI Agents run. ``db`` is a SQLite file or the URL
    of a PostgreSQL, MySQL or MariaDB server, which is read and never written.
    """
    return _report(_jobs.rows(log, db=db, contract=contract, format=format, redact=redact))


def quick(log: Log, *, db: str | os.PathLike[str]) -> Report:
    """The same as :func:`rows`, by a fixed contract that knows arguments only."""
    return _report(_jobs.quick(log, db=db))


def check(
    workflow_id: str,
    *,
    events: os.PathLike[str] | str | bytes,
    registry: os.PathLike[str] | str | bytes | Mapping[str, Any],
    db: str | os.PathLike[str],
) -> Report:
    """The calls of a workflow by a registry; ``events`` and ``registry`` are path objects or texts."""
    return _report(_jobs.check(workflow_id, events=events, registry=registry, db=db))


def claims(
    document: os.PathLike[str] | str | bytes | Mapping[str, Any],
    *,
    root: str | os.PathLike[str] = ".",
) -> Report:
    """Does the evidence support each claim of a SubResult.v1? Files are read below ``root``."""
    return _report(_jobs.claims(document, root=root))


def sources(document: os.PathLike[str] | str | bytes, *, name: str | None = None) -> Report:
    """Do the cited pages exist, and do they support the text? ``document`` is a path object or the text."""
    return _report(_jobs.sources(document, name=name))


def trace(
    run_dir: str | os.PathLike[str] | None = None,
    *,
    trace: os.PathLike[str] | str | bytes | None = None,
    plan: os.PathLike[str] | str | bytes | Mapping[str, Any] | None = None,
) -> Report:
    """Is every event of a reasoning trace grounded?"""
    return _report(_jobs.trace(run_dir, trace=trace, plan=plan))


def judge(claim: str, text: str, *, kind: str = "file") -> Report:
    """Does this text support this claim? Without a model unless the worker was given one."""
    return _report(_jobs.judge(claim, text, kind=kind))


def done(
    message: str | None = None,
    *,
    transcript: Log | None = None,
    root: str | os.PathLike[str] = ".",
) -> Report:
    """Is a final message true? It is compared with the session and with the project at ``root``."""
    return _report(_jobs.done(message, transcript=transcript, root=root))


def verify(workspace: str, *, project: str | os.PathLike[str] = ".") -> Report:
    """A workspace against its acceptance criteria, without an LLM.

    Its criteria may be commands, so only a worker with the option
    ``--allow-verify`` does this.
    """
    return _report(_jobs.verify(workspace, project=project))


def explain(code: str) -> str:
    """What a reason or error code means, and what to do about it."""
    return str(default_worker().ask({"task": "explain", "code": code})["text"])
