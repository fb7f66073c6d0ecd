"""The audit log: entries are only added, and say no secret."""

import json
from hashlib import sha256
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tenuto.model.audit import diff
from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.audit import forget_entries
from tests.support.database.loops import an_org, count
from tests.support.database.orgs import acting_for
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import a_key_id, a_user, a_worker_key, an_api_key, an_entry
from tests.support.postgres.server import connect_as


def entries(db: Db, **more: object) -> list[dict[str, Any]]:
    return call(db, "list_audit", **{"org_id": DEFAULT_ORG, **more})


def test_an_entry_says_who_did_what_to_what_from_where(db: Db, clock: Clock) -> None:
    changes = diff({"name": "a", "weight": 1}, {"name": "b", "weight": 1, "quota": 3})
    seen: dict[str, Any] = {"ip": "10.0.0.1", "user_agent": "curl/8", "request_id": "req-1"}

    id = an_entry(db, changes=changes, **seen)

    assert entries(db) == [
        {
            "id": id, "created_at": clock.now, "entity": "run", "entity_id": "r1", "action": "cancel",
            "changes": {"name": {"old": "a", "new": "b"}, "quota": {"old": None, "new": 3}},
            "actor_kind": "user", "actor_id": "ann", "actor_name": None, "seq": None, **seen,
        }
    ]  # fmt: skip


def test_an_entry_is_listed_with_what_its_key_or_person_is_called_now(db: Db) -> None:
    key, fleet = an_api_key(db, a_key_id(), name="ci"), a_worker_key(db, a_key_id(), name="fleet")
    ann, bob = a_user(db, "a7", name="Ann"), a_user(db, "b8")
    theirs = a_user(db, "c9", org_id=an_org(db, "other"))
    who = [
        ("api_key", key),
        ("worker_key", fleet),
        ("user", ann),
        ("user", bob),
        ("user", theirs),
        ("operator", "root"),
    ]
    forget_entries(db)
    for kind, id in who:
        an_entry(db, actor_kind=kind, actor_id=str(id))

    assert [row["actor_name"] for row in reversed(entries(db))] == ["ci", "fleet", "Ann", "b8", None, None]


def test_a_large_value_is_kept_as_its_length_and_hash(db: Db) -> None:
    large, small = "x" * 1023, "x" * 1022

    an_entry(db, changes={"input": {"old": small, "new": large}})

    text = json.dumps(large).encode()
    kept = entries(db)[0]["changes"]["input"]
    assert kept == {"old": small, "new": {"length": len(text), "sha256": sha256(text).hexdigest()}}


KEY = "tn_live_0123456789AB_" + "s" * 43 + "crc123"


SECRET_NAMES = [
    "secret", "client_secret", "password", "token", "hash", "tokens", "private_key", "api_key", "X-Api-Key", "dsn",
    "apiToken", "pass_phrase", "passphrase", "DB_PASSWORD", "client-secret", "awsAccessKeyId", "db.connectionString",
]  # fmt: skip


@pytest.mark.parametrize("field", SECRET_NAMES)
def test_a_secret_is_never_kept_by_its_name(db: Db, field: str) -> None:
    an_entry(db, changes={field: {"old": None, "new": "hunter2"}})

    assert entries(db)[0]["changes"] == {field: {"old": None, "new": "[secret]"}}


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (KEY, "[secret]"),
        (f"Bearer {KEY.replace('tn_', 'tnw_')}", "[secret]"),
        ("postgresql://u:hunter2@h/db", "[secret]"),
        ("postgresql://u@h/db, host:5432 a@b.example", "postgresql://u@h/db, host:5432 a@b.example"),
        ({"x": "AKIAIOSFODNN7EXAMPLE", "y": "Bearer eyJhbGciOi"}, {"x": "[secret]", "y": "[secret]"}),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "[secret]"),
        ("-----BEGIN EC PRIVATE KEY-----", "[secret]"),
        ("host=h user=u password=hunter2", "[secret]"),
        (
            "the token bearer went home, tokenizer.model, keyboard",
            "the token bearer went home, tokenizer.model, keyboard",
        ),
        ({"deep": ["x", KEY]}, {"deep": ["x", "[secret]"]}),
        ({"smtp": {"password": "hunter2", "port": 25}}, {"smtp": {"password": "[secret]", "port": 25}}),
        ([{"tokens": ["a", "b"]}, {"token": None}], [{"tokens": "[secret]"}, {"token": None}]),
        (
            {"secrets": {"a": 1}, "dedupe_key": "k", "e": {}, "l": []},
            {"secrets": "[secret]", "dedupe_key": "k", "e": {}, "l": []},
        ),
    ],
)
def test_a_secret_is_never_kept_however_deep_it_stands(db: Db, value: object, kept: object) -> None:
    an_entry(db, changes={"note": {"old": None, "new": value}})

    assert entries(db)[0]["changes"] == {"note": {"old": None, "new": kept}}


UNSOUND = [
    {"name": 1},
    {"name": {"before": 1}},
    {"name": None},
    {"name": []},
    {"name": [{"new": 1}]},
    {"a": {"new": 1}, "n": {"old": 1, "x": 2}},
]


@pytest.mark.parametrize("changes", UNSOUND)
def test_changes_of_another_shape_are_refused(db: Db, changes: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="object with old and new"):
        an_entry(db, changes=changes)

    assert count(db, "audit_unsealed") == 0


@pytest.mark.parametrize(
    "wrong", [{"entity": "Run"}, {"action": ""}, {"actor_kind": "ghost"}, {"actor_id": ""}, {"entity_id": ""}]
)
def test_an_entry_that_says_nothing_is_refused(db: Db, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        an_entry(db, **wrong)


def test_entries_are_found_by_what_they_are_about_newest_first(db: Db) -> None:
    first = an_entry(db, entity_id="r1")
    second = an_entry(db, entity_id="r2", action="retry")
    third = an_entry(db, entity="api_key", entity_id="k1", action="revoke", actor_id="bob")
    an_entry(db, org_id=an_org(db, "acme"))

    def found(**by: object) -> list[UUID]:
        return [row["id"] for row in entries(db, **by)]

    assert found() == [third, second, first]
    assert found(entity="run") == [second, first]
    assert found(entity="run", entity_id="r1") == [first]
    assert (found(action="retry"), found(actor_id="bob")) == ([second], [third])
    assert found(before=second) == [first]
    assert found(limit=1) == [third]


@pytest.mark.parametrize("statement", ["update tenuto.audit_log set action = 'x'", "delete from tenuto.audit_log"])
@pytest.mark.parametrize("sealed", [False, True])
def test_an_entry_is_neither_changed_nor_deleted_not_even_by_a_superuser(db: Db, statement: str, sealed: bool) -> None:
    an_entry(db)
    if sealed:
        call(db, "seal_audit")

    with pytest.raises(psycopg.Error, match="cannot be changed or deleted"):
        db.execute(statement.encode())
    with pytest.raises(psycopg.Error, match="cannot be changed or deleted"):
        db.execute("truncate tenuto.audit_log")

    assert entries(db)[0]["action"] == "cancel"


def test_a_sealed_entry_is_not_sealed_again(db: Db) -> None:
    an_entry(db)
    call(db, "seal_audit")

    with pytest.raises(psycopg.Error, match="cannot be changed or deleted"):
        db.execute("update tenuto.audit_log set seq = 7, hash = '\\x00'")


def test_the_api_writes_and_reads_its_own_orgs_entries(db: Db, database: str) -> None:
    org = an_org(db, "acme")
    forget_entries(db)
    an_entry(db)
    with connect_as(database, "tenuto_api") as api, acting_for(api, org):
        id = an_entry(api, org_id=org)
        assert [row["id"] for row in call(api, "list_audit", org_id=org)] == [id]
        assert call(api, "list_audit", org_id=DEFAULT_ORG) == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            an_entry(api)
