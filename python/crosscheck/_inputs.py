"""What people have at hand, as an input of a job."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

#: A path, the bytes or text of a log, a list of messages, or a result object of an agent library.
Log = Union[str, bytes, "os.PathLike[str]", Sequence[Any], Mapping[str, Any], Any]


def log_input(log: Log) -> dict[str, str]:
    """A log: a path, bytes, a list of message dicts, LangChain messages, or an OpenAI Agents result."""
    if isinstance(log, os.PathLike):
        return {"path": os.path.abspath(log)}
    if isinstance(log, (bytes, bytearray)):
        return {"text": bytes(log).decode("utf-8", "replace")}
    if isinstance(log, str):
        # a log is JSON, and no path begins like that
        if log.lstrip()[:1] in ("{", "[") or "\n" in log:
            return {"text": log}
        return {"path": os.path.abspath(log)}
    if hasattr(log, "to_input_list"):  # openai-agents: RunResult
        return {"text": _dumped(log.to_input_list())}
    if isinstance(log, Mapping):
        messages = log.get("messages")  # the state of a LangGraph graph
        if isinstance(messages, Sequence) and messages and not isinstance(messages[0], Mapping):
            return log_input(messages)
        return {"text": _dumped(log)}
    if isinstance(log, Sequence):
        return {"text": _dumped([_message(one) for one in log])}
    raise TypeError(f"cannot read a log from {type(log).__name__}")


def text_input(value: str | bytes | os.PathLike[str] | Mapping[str, Any]) -> dict[str, str]:
    """A document: a path object, or the text itself."""
    if isinstance(value, os.PathLike):
        return {"path": os.path.abspath(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"text": bytes(value).decode("utf-8", "replace")}
    if isinstance(value, str):
        return {"text": value}
    return {"text": _dumped(value)}


def database(db: str | os.PathLike[str]) -> str:
    """A database: a URL as it is, a file by its whole path."""
    if isinstance(db, str) and "://" in db:
        return db
    if isinstance(db, str) and db.startswith("sqlite:"):
        db = db[len("sqlite:") :]
    return os.path.abspath(db)


def _message(message: Any) -> Any:
    """A message as the dict that its library writes."""
    if isinstance(message, Mapping):
        return message
    kind = getattr(message, "type", None)
    if kind is not None and hasattr(message, "content"):  # LangChain
        return _langchain(message, kind)
    for name in ("model_dump", "dict", "to_dict"):
        dump = getattr(message, name, None)
        if callable(dump):
            return dump()
    raise TypeError(f"cannot read a message from {type(message).__name__}")


def _langchain(message: Any, kind: str) -> dict[str, Any]:
    read: dict[str, Any] = {"type": kind, "content": message.content}
    for name in ("id", "name", "tool_calls", "tool_call_id", "status"):
        value = getattr(message, name, None)
        if value:
            read[name] = value
    return read


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    for name in ("model_dump", "dict", "to_dict", "isoformat"):
        dump = getattr(value, name, None)
        if callable(dump):
            return dump()
    return str(value)
