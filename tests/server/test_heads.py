"""Signed heads of the audit log over HTTP: what somebody keeps who does not trust the database's administrators."""

import asyncio
import json
from pathlib import Path

import psycopg
from psycopg import AsyncConnection
from starlette.testclient import TestClient

from tenuto.cli.audit_verify import read_heads
from tenuto.db.audit_signing import sign_heads
from tests.server.conftest import PEPPERS, MakeKey
from tests.support.database.audit import forget_entries
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.database.users import an_entry


def sign(database: str) -> int:
    async def act() -> int:
        async with await AsyncConnection.connect(database, autocommit=True) as conn:
            return await sign_heads(conn, PEPPERS)

    return asyncio.run(act())


def test_a_head_over_http_is_a_line_of_the_file_that_verify_takes(
    admin: TestClient, db: psycopg.Connection, database: str, tmp_path: Path
) -> None:
    forget_entries(db)
    an_entry(db)
    call(db, "seal_audit")
    assert sign(database) == 1

    (head,) = admin.get("/v1/audit/heads").json()["items"]

    file = tmp_path / "heads.jsonl"
    file.write_text(json.dumps(head) + "\n")
    (kept,) = read_heads(file)
    assert (kept.head.org_id, kept.head.seq) == (DEFAULT_ORG, 1)
    assert admin.get("/v1/audit/heads", params={"before": 1}).json() == {"items": [], "next": None}


def test_heads_are_of_ones_own_org(
    api: TestClient, make_headers: MakeKey, db: psycopg.Connection, database: str
) -> None:
    an_entry(db)
    call(db, "seal_audit")
    sign(database)
    stranger = make_headers("*", org_id=call(db, "create_org", slug="other"))

    assert api.get("/v1/audit/heads", headers=stranger).json()["items"] == []
