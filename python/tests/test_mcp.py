"""The server of `crosscheck mcp`, asked by the official client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import crosscheck
from conftest import sub_result

mcp = pytest.importorskip("mcp")
jsonschema = pytest.importorskip("jsonschema")


def conversation(tour: Path, talk: Callable[[Any], Awaitable[Any]], *options: str) -> Any:
    words = ["mcp", "--root", str(tour), "--db", f"shop={tour}/shop.db", "--offline", *options]
    server = mcp.StdioServerParameters(command=crosscheck.find_program(), args=words)

    async def run() -> Any:
        async with mcp.stdio_client(server) as (reads, writes):
            async with mcp.ClientSession(reads, writes) as session:
                await session.initialize()
                return await talk(session)

    return asyncio.run(asyncio.wait_for(run(), 60))


def call(tour: Path, name: str, arguments: dict[str, Any]) -> Any:
    return conversation(tour, lambda session: session.call_tool(name, arguments))


def answer(result: Any) -> dict[str, Any]:
    dumped = result.model_dump(by_alias=True)
    return dict(dumped["structuredContent"])


def test_tools_are_read_only_and_have_schemas(tour: Path) -> None:
    async def talk(session: Any) -> Any:
        return (await session.list_tools()).model_dump(by_alias=True)["tools"]

    tools = {tool["name"]: tool for tool in conversation(tour, talk)}
    assert sorted(tools) == ["check_claims", "check_done", "check_rows", "check_sources", "explain"]
    for tool in tools.values():
        assert tool["annotations"]["readOnlyHint"] is True
        assert tool["outputSchema"]["type"] == "object" and tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
    assert tools["check_rows"]["inputSchema"]["properties"]["db"]["enum"] == ["shop"]


def test_rows_are_checked_in_a_named_database(tour: Path) -> None:
    async def talk(session: Any) -> Any:
        listed = (await session.list_tools()).model_dump(by_alias=True)["tools"]
        schema = next(tool["outputSchema"] for tool in listed if tool["name"] == "check_rows")
        return schema, await session.call_tool("check_rows", {"db": "shop", "log_path": "calls.ndjson"})

    schema, result = conversation(tour, talk)
    found = answer(result)
    jsonschema.validate(found, schema)
    assert found["verdict"] == "refuted" and len(found["units"]) == 4
    assert json.loads(result.content[0].text) == found


def test_claims_done_and_explain_answer(tour: Path) -> None:
    (tour / "notes.txt").write_text("The limit is 40 requests.\n")
    document = sub_result("The limit is 50 requests.")
    found = answer(call(tour, "check_claims", {"document": document}))
    assert found["verdict"] == "refuted" and found["units"][0]["unit"] != "document"
    assert answer(call(tour, "check_done", {"message": "I created `missing.py`."}))["verdict"] == "refuted"
    assert "VALUE_MISMATCH" in answer(call(tour, "explain", {"code": "VALUE_MISMATCH"}))["text"]
    cited = {"text": "The sky is blue [1](https://example.org/)."}
    assert answer(call(tour, "check_sources", cited))["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("check_rows", {"db": "postgres://localhost/other", "log": "{}"}),
        ("check_rows", {"db": "../other.db", "log": "{}"}),
        ("check_rows", {"db": "shop.db", "log": "{}"}),
        ("check_rows", {"db": "shop", "log": {}}),
        ("check_rows", {"db": "shop", "log": "{}", "log_path": "calls.ndjson"}),
        ("check_rows", {"db": "shop", "log_path": "/etc/passwd"}),
        ("check_rows", {"db": "shop", "log_path": "../secret"}),
        ("check_done", {"message": "x", "root": "/"}),
        ("check_claims", {"document": {}, "allow_private": True}),
        ("verify", {"workspace": "w"}),
    ],
)
def test_no_argument_widens_what_the_person_allowed(tour: Path, name: str, arguments: dict[str, Any]) -> None:
    (tour.parent / "secret").write_text("{}")
    try:
        result = call(tour, name, arguments)
    except Exception as error:  # the protocol's own error will do
        while hasattr(error, "exceptions"):
            error = error.exceptions[0]
        assert any(words in str(error) for words in ("unknown tool", "takes no argument", "must be", "are the same")), error
    else:
        assert result.model_dump(by_alias=True)["isError"] is True


def test_a_message_of_any_size_is_answered(tour: Path) -> None:
    async def talk(session: Any) -> Any:
        log = '{"role":"user","content":"' + "x" * (17 << 20) + '"}'
        read = await session.call_tool("check_rows", {"db": "shop", "log": log})
        with pytest.raises(Exception, match="larger than 64 MiB"):
            await session.call_tool("check_rows", {"db": "shop", "log": log * 4})
        return read

    assert conversation(tour, talk) is not None


def test_nothing_is_written(tour: Path) -> None:
    before = {path: path.read_bytes() for path in tour.rglob("*") if path.is_file()}
    call(tour, "check_rows", {"db": "shop", "log_path": "calls.ndjson"})
    call(tour, "check_done", {"message": "All tests pass."})
    assert before == {path: path.read_bytes() for path in tour.rglob("*") if path.is_file()}
