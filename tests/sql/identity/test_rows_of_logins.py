"""Rows that a login inserts itself for the audit log, without a call of a function."""

from typing import Any

import psycopg
import pytest

from tests.support.database.audit import deeds, direct_entries
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start
from tests.support.postgres.server import connect_as

NOISE = "".join(chr(0x4E00 + no * no % 20_011) for no in range(1024))  # 3 kB, too long for an index
DEEP = "[" * 5000 + "1" + "]" * 5000
DEEP_CHANGES = {"password": {"new": "[secret]"}, "a": {"new": {"length": 10001}}}


def test_a_row_that_a_login_wrote_itself_is_sealed_and_stops_no_others(db: Db, database: str) -> None:
    with connect_as(database, "tenuto_client") as conn:
        conn.execute(
            "insert into tenuto.audit_arrivals (org_id, entity, entity_id, action, changes)"
            " values (%s, 'Run; drop', 'r', repeat('x', 1000), '{\"a\": [1]}')",
            [DEFAULT_ORG],
        )
    (run,) = start(db, 1)

    assert call(db, "seal_audit") == 2
    assert deeds(db) == [("unknown", "r", "unknown"), ("run", str(run), "start")]


@pytest.mark.parametrize(("entity_id", "changes", "old", "sealed_id", "sealed_changes"), [
    ("", "{}", None, "unknown", {}),
    ("x" * 1025, '{"a": 1}', None, "x" * 1024, {"a": {"new": 1}}),
    (NOISE, "{}", None, NOISE[:256], {}),
    ("r", f'{{"password": 1, "a": {DEEP}}}', None, "r", DEEP_CHANGES),
    ("r", "[1]", None, "r", {}),
    ("r", "null", '{"a": 1}', "r", {}),
    ("r", '{"a": 1}', '"text"', "r", {"a": {"new": 1}}),
])  # fmt: skip
def test_a_row_that_does_not_fit_the_log_is_made_to_fit(
    db: Db, database: str, entity_id: str, changes: str, old: str | None, sealed_id: str, sealed_changes: Any
) -> None:
    with connect_as(database, "tenuto_client") as conn:
        conn.execute(
            "insert into tenuto.audit_arrivals (org_id, entity, entity_id, action, changes, old)"
            " values (%s, 'node', %s, 'edit', %s, %s)",
            [DEFAULT_ORG, entity_id, changes, old],
        )
    (run,) = start(db, 1)

    listed = direct_entries(db, entity="node")
    assert [entry["entity_id"] for entry in listed] == [sealed_id]
    assert call(db, "seal_audit") == 2

    assert [entry["changes"] for entry in listed] == [sealed_changes]
    row, other = direct_entries(db)
    assert (row["entity_id"], row["changes"], other["entity_id"]) == (sealed_id, sealed_changes, str(run))


def test_starts_with_long_ids_that_are_no_objects_become_one_entry(db: Db, database: str) -> None:
    with connect_as(database, "tenuto_client") as conn, conn.transaction():
        for _ in range(2):
            conn.execute(
                "insert into tenuto.audit_arrivals (org_id, entity, entity_id, action, changes)"
                " values (%s, 'run', repeat('x', 1024), 'start', '[1]')",
                [DEFAULT_ORG],
            )

    assert call(db, "seal_audit") == 1
    assert deeds(db) == [("run", "x" * 1024, "start")]


@pytest.mark.parametrize("role", ["tenuto_client", "tenuto_worker", "tenuto_dispatcher"])
def test_no_login_can_name_another_actor_or_take_an_entry_back(db: Db, database: str, role: str) -> None:
    with connect_as(database, role) as conn:
        for statement in (
            "insert into tenuto.audit_arrivals (org_id, entity, entity_id, action, changes, login)"
            f" values ('{DEFAULT_ORG}', 'run', 'r', 'start', '{{}}', 'bob')",
            "update tenuto.audit_arrivals set login = 'bob'",
            "delete from tenuto.audit_arrivals",
            "truncate tenuto.audit_arrivals",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), conn.transaction():
                conn.execute(statement.encode())
        if role == "tenuto_client":
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute("select from tenuto.audit_arrivals")
