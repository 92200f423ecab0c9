"""A signed report, read by the packages of in-toto and by nothing of ours."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import crosscheck

pytest.importorskip("in_toto_attestation")
pytest.importorskip("securesystemslib")

KEY = Path(__file__).resolve().parents[2] / "vectors/rows-check/signing-key.test.pem"


def test_others_verify_the_statement(tour: Path) -> None:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from google.protobuf.json_format import ParseDict
    from in_toto_attestation.v1 import statement_pb2
    from in_toto_attestation.v1.statement import Statement
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import SSlibKey

    program = crosscheck.find_program()
    check = [program, "rows", "calls.ndjson", "--db", "shop.db", "--format", "ndjson", "--output", "r.ndjson"]
    assert subprocess.run(check, cwd=tour).returncode == 1
    sign = [program, "attest", "r.ndjson", "--sign", KEY]
    signed = json.loads(subprocess.run(sign, cwd=tour, check=True, capture_output=True).stdout)

    public = load_pem_private_key(KEY.read_bytes(), None).public_key()
    key = SSlibKey.from_crypto(public, keyid=signed["signatures"][0]["keyid"])
    envelope = Envelope.from_dict(signed)
    assert envelope.verify([key], 1)
    statement = ParseDict(json.loads(envelope.payload), statement_pb2.Statement())
    Statement.copy_from_pb(statement).validate()
    assert [subject.name for subject in statement.subject] == ["r.ndjson"]
    assert statement.predicate["verdict"] == "refuted"
