"""The job of each verifier; the functions and their async variants share them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ._inputs import Log, database, log_input, text_input

Path = os.PathLike[str]
Job = dict[str, Any]


def _full(job: Mapping[str, Any]) -> Job:
    return {name: value for name, value in job.items() if value is not None}


def rows(
    log: Log,
    *,
    db: str | Path,
    contract: str | Path | None = None,
    format: str | None = None,
    redact: bool = False,
) -> Job:
    named = None if contract is None else _contract(contract)
    return _full(
        {
            "task": "rows",
            "log": log_input(log),
            "db": database(db),
            "contract": named,
            "format": format,
            "redact": redact or None,
        }
    )


def _contract(contract: str | Path) -> dict[str, str]:
    if isinstance(contract, str) and "\n" not in contract:
        return {"path": os.path.abspath(contract)}
    return text_input(contract)


def quick(log: Log, *, db: str | Path) -> Job:
    return {"task": "quick", "log": log_input(log), "db": database(db)}


def check(
    workflow_id: str,
    *,
    events: Path | str | bytes,
    registry: Path | str | bytes | Mapping[str, Any],
    db: str | Path,
) -> Job:
    return {
        "task": "check",
        "workflow_id": workflow_id,
        "events": text_input(events),
        "registry": text_input(registry),
        "db": database(db),
    }


def claims(
    document: Path | str | bytes | Mapping[str, Any], *, root: str | Path = "."
) -> Job:
    return {"task": "claims", "document": text_input(document), "root": os.path.abspath(root)}


def sources(document: Path | str | bytes, *, name: str | None = None) -> Job:
    return _full({"task": "sources", "document": text_input(document), "name": name})


def trace(
    run_dir: str | Path | None = None,
    *,
    trace: Path | str | bytes | None = None,
    plan: Path | str | bytes | Mapping[str, Any] | None = None,
) -> Job:
    return _full(
        {
            "task": "trace",
            "run_dir": None if run_dir is None else os.path.abspath(run_dir),
            "trace": None if trace is None else text_input(trace),
            "plan": None if plan is None else text_input(plan),
        }
    )


def judge(claim: str, text: str, *, kind: str = "file") -> Job:
    return {"task": "judge", "claim": claim, "text": text, "kind": kind}


def done(
    message: str | None = None,
    *,
    transcript: Log | None = None,
    root: str | Path = ".",
) -> Job:
    return _full(
        {
            "task": "done",
            "message": message,
            "transcript": None if transcript is None else log_input(transcript),
            "root": os.path.abspath(root),
        }
    )


def verify(workspace: str, *, project: str | Path = ".") -> Job:
    return {"task": "verify", "workspace": workspace, "project": os.path.abspath(project)}
