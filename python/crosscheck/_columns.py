"""Rows of a table as jobs, and answers as columns; shared by Spark and Ray."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

#: Members of a job that are an input: their column holds the text, or with `_path` a path.
_INPUTS = ("log", "document", "transcript", "events", "registry", "trace", "plan", "contract")


def jobs_of(
    rows: Iterable[dict[str, Any]], task: str, id: str, fixed: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    for row in rows:
        job: dict[str, Any] = {"task": task}
        members = {**fixed, **{name: value for name, value in row.items() if name != id}}
        for name, value in members.items():
            base = name.removesuffix("_path")
            if value is None:
                continue
            if base in _INPUTS:
                job[base] = {"path" if name != base else "text": value}
            else:
                job[name] = value
        yield job


def answer_columns(ids: list[str], answers: Iterable[dict[str, Any]]) -> dict[str, list[str | None]]:
    columns: dict[str, list[str | None]] = {"id": [*ids], "verdict": [], "error": [], "answer": []}
    for name, answer in zip(ids, answers):
        error = answer.get("error")
        columns["verdict"].append(answer.get("verdict"))
        columns["error"].append(f"{error['code']}: {error['message']}" if error else None)
        answer["id"] = name  # the number of the process means nothing to the caller
        columns["answer"].append(json.dumps(answer, ensure_ascii=False, sort_keys=True))
    return columns
