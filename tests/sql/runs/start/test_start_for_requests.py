"""Starts of several requests of one principal: checked, written down, told to workers, and on disk when it returns."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tenuto.db import embedded
from tenuto.model.ids import uuid7
from tests.support.database.audit import forget_entries
from tests.support.database.loops import count
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.database.users import a_key_id, a_user, an_api_key, by_key, refused_callers
from tests.support.postgres.server import PG_BIN, copy_home, remove_server

KIND = {"type": "shop.send"}


def request(db: Db, who: dict[str, Any], *inputs: Any, ids: list[str] | None = None, **more: Any) -> list[str]:
    """The ids of the runs; the request for the first input is r0, and comes from 10.0.0.0."""
    ids = ids or [uuid7() for _ in inputs]
    places = range(len(inputs))
    asked = {
        "kinds": json.dumps([KIND]), "inputs": [json.dumps(one) for one in inputs], "ids": ids,
        "changes": '{"runs": {"new": 1}}', "actor_kind": "api_key", "actor_id": "k",
        "ips": [f"10.0.0.{no}" for no in places], "user_agents": [f"agent {no}" for no in places],
        "request_ids": [f"r{no}" for no in places], **who, **more,
    }  # fmt: skip
    casts = {"inputs": "::jsonb[]", "ids": "::uuid[]", "hashes": "::bytea[]"}
    said = ", ".join(f"p_{name} => %s{casts.get(name, '')}" for name in asked)
    db.execute(f"call tenuto.start_for_requests({said})".encode(), list(asked.values()))
    return ids


def found(db: Db) -> list[str]:
    return [str(id) for (id,) in db.execute("select id from tenuto.tasks order by id").fetchall()]


def entries(db: Db) -> list[tuple[Any, ...]]:
    asked = "entity, entity_id, action, actor_id, ip, user_agent, request_id"
    return db.execute(f"select {asked} from tenuto.audit_log order by entity_id".encode()).fetchall()


@pytest.fixture
def key(db: Db) -> str:
    an_api_key(db, key_id := a_key_id())
    forget_entries(db)
    return key_id


def test_each_becomes_a_run_and_has_an_entry_of_its_own(db: Db, key: str) -> None:
    for _ in range(2):  # with a route that is new, then with one that is known
        ids = request(db, by_key(key), [1], [2], [3])
        claimed = a_worker(db).claim(5)

        assert [(str(claim.task_id), claim.input) for claim in claimed] == list(zip(ids, ([1], [2], [3]), strict=True))
        assert entries(db)[-3:] == [
            ("run", id, "start", "k", f"10.0.0.{no}", f"agent {no}", f"r{no}") for no, id in enumerate(ids)
        ]
    assert count(db, "audit_unsealed") == 6


def test_one_alone_is_started_the_same_way(db: Db, key: str) -> None:
    ids = [*request(db, by_key(key), [1]), *request(db, by_key(key), [2])]

    assert [str(claim.task_id) for claim in a_worker(db).claim(5)] == ids
    assert [entry[1] for entry in entries(db)] == ids


def test_workers_are_told_once(db: Db, key: str) -> None:
    db.execute("listen tenuto_ready")
    request(db, by_key(key), [1], [2])
    request(db, by_key(key), [3])

    assert [note.payload for note in db.notifies(timeout=60, stop_after=2)] == ["default", "default"]


def test_a_person_starts_as_a_key_does(db: Db) -> None:
    who = {"org_id": DEFAULT_ORG, "user_id": a_user(db, platform_role="writer"), "platform_role": "writer"}

    ids = request(db, who, [1], [2])

    assert (found(db), len(entries(db))) == (ids, 2)


def test_the_org_is_the_keys_whatever_else_is_said(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    an_api_key(db, key_id := a_key_id(), org_id=other)

    request(db, by_key(key_id), [1], org_id=DEFAULT_ORG)

    assert db.execute("select org_id from tenuto.tasks union all select org_id from tenuto.audit_log").fetchall() == [
        (other,),
        (other,),
    ]


def test_who_may_not_starts_nothing(db: Db, key: str) -> None:
    for message, who in refused_callers(db, key).items():
        with pytest.raises(psycopg.Error, match=message):
            request(db, who, [1])

    assert (found(db), entries(db)) == ([], [])


def test_what_is_wrong_with_one_refuses_all_and_leaves_nothing(db: Db, key: str) -> None:
    taken = request(db, by_key(key), [1])
    with pytest.raises(psycopg.Error, match="the input of task 1"):
        request(db, by_key(key), [1], [*range(200_000)], [3])
    with pytest.raises(psycopg.errors.UniqueViolation):
        request(db, by_key(key), [1], [2], ids=[uuid7(), *taken])
    with pytest.raises(psycopg.Error, match="nobody"):
        request(db, by_key(key), [1], group="nobody")
    with pytest.raises(psycopg.Error, match="1 to 100,000 tasks"):
        request(db, by_key(key), ids=[])

    assert (found(db), len(entries(db))) == (taken, 1)


def test_inside_a_transaction_it_is_refused_and_leaves_nothing(db: Db, key: str) -> None:
    with pytest.raises(psycopg.errors.InvalidTransactionTermination), db.transaction():
        request(db, by_key(key), [1])

    assert (found(db), entries(db)) == ([], [])


def test_what_comes_after_it_waits_for_the_disk_and_acts_for_nobody(db: Db, key: str) -> None:
    db.execute("set synchronous_commit = on")  # the tests' server does without
    request(db, by_key(key), [1])

    assert db.execute("show synchronous_commit").fetchone() == ("on",)
    assert db.execute("select nullif(current_setting('tenuto.org_id', true), '')").fetchone() == (None,)


def test_several_at_once_start_all_of_theirs(database: str, db: Db, key: str) -> None:
    def go(first: int) -> list[str]:
        with psycopg.connect(database, autocommit=True) as own:
            return [id for no in range(10) for id in request(own, by_key(key), [first, no], [first, -no])]

    with ThreadPoolExecutor(4) as together:
        ids = sorted(id for made in together.map(go, range(4)) for id in made)

    assert found(db) == ids
    assert [entry[1] for entry in entries(db)] == ids
    assert sorted(str(claim.task_id) for claim in a_worker(db).claim(100)) == ids


def test_what_returned_is_there_when_postgres_is_killed_the_moment_after(migrated_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "postgres"
    try:
        copy_home(migrated_home, home)
        server = embedded.start(home, pg_bin=PG_BIN)
        with psycopg.connect(server.url, autocommit=True) as db:
            an_api_key(db, key_id := a_key_id())
            ids = [id for no in range(5) for id in request(db, by_key(key_id), [no], [no])]
            os.kill(server.pid, signal.SIGKILL)
        with psycopg.connect(embedded.start(home, pg_bin=PG_BIN).url, autocommit=True) as db:
            assert (found(db), [entry[1] for entry in entries(db)]) == (ids, ids)
    finally:
        remove_server(home)
