"""A start that workers see before the disk has it, and that answers when the disk has it."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tenuto.db import embedded
from tenuto.db.connection.call import translated_errors
from tenuto.model.errors import Conflict
from tenuto.model.ids import uuid7
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker
from tests.support.postgres.server import PG_BIN, copy_home, remove_server

KIND = {"type": "shop.send"}


def start(db: Db, kind: Any = None, *, input: Any = (1,), group: str | None = None) -> str:
    id = uuid7()
    said = json.dumps(KIND if kind is None else kind), json.dumps(input), id, group
    db.execute("call tenuto.start_task(%s, %s, %s, %s, %s)", (DEFAULT_ORG, *said))
    return id


def found(db: Db) -> list[str]:
    return [str(id) for (id,) in db.execute("select id from tenuto.tasks order by id").fetchall()]


def test_a_start_is_there_and_can_be_claimed_with_a_route_that_is_new_or_known(db: Db):
    ids = [start(db), start(db), start(db, {"type": "shop.pack", "queue": "slow"})]

    assert [str(claim.task_id) for claim in a_worker(db).claim(5)] == ids


def test_workers_are_told_of_a_route_that_is_new_or_known(db: Db):
    db.execute("listen tenuto_ready")
    start(db)
    start(db)

    assert [note.payload for note in db.notifies(timeout=60, stop_after=2)] == ["default", "default"]


def test_an_id_is_made_where_none_is_given(db: Db):
    db.execute("call tenuto.start_task(%s, %s, '[1]')", (DEFAULT_ORG, json.dumps(KIND)))

    assert len(found(db)) == 1


@pytest.mark.parametrize("kind", [{}, {"type": ""}, {"type": "a.b", "priority": "high"}, "a.b"])
def test_what_is_wrong_is_refused_and_leaves_nothing(db: Db, kind: Any):
    with pytest.raises(psycopg.Error):
        start(db, kind)
    with pytest.raises(psycopg.Error, match="nobody"):
        start(db, group="nobody")

    assert found(db) == []


def test_an_id_that_is_taken_is_refused_and_the_first_task_stays(db: Db):
    id = start(db)
    with pytest.raises(Conflict, match=f"^the id {id} cannot be used; make another UUID$"), translated_errors():
        db.execute("call tenuto.start_task(%s, %s, '[2]', %s)", (DEFAULT_ORG, json.dumps(KIND), id))

    assert db.execute("select input from tenuto.tasks").fetchall() == [([1],)]


def test_inside_a_transaction_it_is_refused_and_leaves_nothing(db: Db):
    with pytest.raises(psycopg.errors.InvalidTransactionTermination), db.transaction():
        start(db)

    assert found(db) == []


def test_what_comes_after_it_waits_for_the_disk_as_before(db: Db):
    db.execute("set synchronous_commit = on")  # the tests' server does without
    start(db)

    assert db.execute("show synchronous_commit").fetchone() == ("on",)


def test_a_start_that_returned_is_there_when_postgres_is_killed_the_moment_after(migrated_home: Path, tmp_path: Path):
    home = tmp_path / "postgres"
    try:
        copy_home(migrated_home, home)
        ids: list[str] = []
        for _ in range(2):
            server = embedded.start(home, pg_bin=PG_BIN)
            with psycopg.connect(server.url, autocommit=True) as db:
                assert found(db) == ids
                ids += [start(db) for _ in range(5)]
                os.kill(server.pid, signal.SIGKILL)
        with psycopg.connect(embedded.start(home, pg_bin=PG_BIN).url, autocommit=True) as db:
            assert found(db) == ids
    finally:
        remove_server(home)
