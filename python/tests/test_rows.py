"""Every form of a log leads to the same verdict."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import crosscheck

CALL = {"id": "o_1002", "status": "refunded"}
ANSWER = {"id": "o_1002", "status": "refunded"}


@dataclass
class Message:
    """As LangChain writes messages."""

    type: str
    content: str
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    tool_call_id: str | None = None
    id: str | None = None
    name: str | None = None


class AgentsResult:
    """As the OpenAI Agents SDK gives back a run."""

    def to_input_list(self) -> list[dict[str, Any]]:
        arguments = json.dumps(CALL)
        return [
            {"role": "user", "content": "Refund it."},
            {"type": "function_call", "call_id": "c1", "name": "orders_update", "arguments": arguments},
            {"type": "function_call_output", "call_id": "c1", "output": json.dumps(ANSWER)},
        ]


OPENAI = [
    {"role": "user", "content": "Refund order o_1002."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "orders_update", "arguments": json.dumps(CALL)},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": json.dumps(ANSWER)},
    {"role": "assistant", "content": "Done."},
]

LANGCHAIN = [
    Message("human", "Refund order o_1002."),
    Message("ai", "", [{"name": "orders_update", "args": CALL, "id": "c1", "type": "tool_call"}]),
    Message("tool", json.dumps(ANSWER), tool_call_id="c1", name="orders_update"),
    Message("ai", "Done."),
]


@pytest.mark.parametrize(
    "log",
    [OPENAI, LANGCHAIN, {"messages": LANGCHAIN}, AgentsResult(), json.dumps(OPENAI), json.dumps(OPENAI).encode()],
    ids=["openai", "langchain", "langgraph", "agents", "text", "bytes"],
)
def test_a_lie_is_refuted_in_every_form(log: Any, tour: Path) -> None:
    report = crosscheck.rows(log, db=tour / "shop.db")
    assert report.verdict == "refuted", report.explain()
    assert [unit.reasons[0].code for unit in report.refuted] == ["VALUE_MISMATCH"]


def test_a_path_is_a_log(tour: Path) -> None:
    for log in (tour / "calls.ndjson", str(tour / "calls.ndjson")):
        report = crosscheck.rows(log, db=str(tour / "shop.db"))
        assert (report.verdict, len(report.units)) == ("refuted", 4)


def test_a_contract_is_a_path_or_its_text(tour: Path) -> None:
    contract = '\nversion = 1\n[tools."orders.update"]\nclass = "write"\nconfirmed = true\ntable = "orders"\n'
    contract += 'key = { id = "/args/id" }\n[tools."orders.update".fields]\nstatus = "/args/status"\n'
    (tour / "contract.toml").write_text(contract)
    for given in (contract, tour / "contract.toml", str(tour / "contract.toml")):
        report = crosscheck.rows(tour / "calls.ndjson", db=tour / "shop.db", contract=given)
        assert report.verdict == "refuted", report.explain()


def test_a_true_log_is_confirmed(tour: Path) -> None:
    report = crosscheck.rows(tour / "trusted.ndjson", db=tour / "shop.db").assert_confirmed()
    assert report.confirmed and not report.refuted
    with pytest.raises(TypeError, match="report.confirmed"):
        assert report


def test_a_check_that_cannot_run_is_an_exception_with_a_code(tour: Path) -> None:
    for db in (tour / "missing.db", "mssql://host/db"):
        with pytest.raises(crosscheck.CouldNotRun) as caught:
            crosscheck.rows(tour / "calls.ndjson", db=db)
        assert caught.value.code and caught.value.help


def test_what_cannot_be_a_log_is_a_type_error(tour: Path) -> None:
    with pytest.raises(TypeError):
        crosscheck.rows(7, db=tour / "shop.db")
