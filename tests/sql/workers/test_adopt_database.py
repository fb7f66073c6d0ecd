"""A copy of an installation refuses what would act for the original, until it is adopted."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import call_sync
from tenuto.model.errors import Conflict, CopiedDatabase, SessionEnded
from tests.support.database.outbox import publish
from tests.support.database.pools import DISPATCHER, a_pool, carry_out, pool_facts, take_pools
from tests.support.database.schedules import put
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start
from tests.support.waiting import wait_until

LOOPS = ["drain_outbox", "fire_schedules", "collect_objects", "promote_due"]


@pytest.fixture
def original(db: Db) -> Db:
    """An installation that is not for tests."""
    db.execute("update tenuto.installation set value = 'false' where key = 'test'")
    db.execute("select tenuto._record_marks(null, true, null)")
    return db


@pytest.fixture
def copy(original: Db) -> Db:
    """A copy of an installation with a pool that has a machine, a queued task, an effect and a due schedule. Dumps and
    clones are in tests/dispatcher/test_copies.py; here the marks are those of another database."""
    pool = a_pool(original, "gpu")
    assert carry_out(original, pool, pool_facts(original, pool), _decision(original, pool), spawn=["machine-1"])
    call(original, "record_machine", org_id=DEFAULT_ORG, worker_id="machine-1", provider_id="c1")
    a_worker(original, "w")
    start(original, 1, 2)
    publish(original, {"to": "them"})
    put(original, datetime.now(UTC) - timedelta(minutes=1))
    original.execute("update tenuto.installation_marks set database_oid = 4000000000")  # no database has it
    return original


def _decision(db: Db, pool: Any) -> Any:
    from tenuto.dispatcher.fleet.decide import decide

    return decide(pool_facts(db, pool))


def due(db: Db, **more: object) -> set[str]:
    return {row["what"] for row in call_sync(db, "take_due_maintenance", dispatcher_id=uuid4(), loops=LOOPS, **more)}


def problem(db: Db, **more: object) -> str | None:
    (row,) = call_sync(db, "get_installation", **more)
    return row["copy_problem"]


def session(db: Db) -> dict[str, Any]:
    row = db.execute("select id, token from tenuto.sessions where ended_at is null").fetchone()
    assert row is not None
    return {"session_id": row[0], "token": row[1]}


def pool_id(db: Db) -> Any:
    row = db.execute("select id from tenuto.pools").fetchone()
    return row and row[0]


def test_a_test_database_is_never_a_copy(db: Db) -> None:
    assert problem(db) is None
    assert problem(db, installation="another") is None


def test_an_installation_acts(original: Db) -> None:
    assert problem(original) is None
    assert due(original) == set(LOOPS)
    assert a_worker(original).session_id


def test_another_postgres_system_is_a_copy_even_if_the_oid_is_the_same(original: Db) -> None:
    original.execute("update tenuto.installation_marks set system_identifier = '1'")
    assert "of system 1)" in (problem(original) or "")


def test_a_system_identifier_that_a_login_may_not_read_is_not_compared(original: Db) -> None:
    original.execute("update tenuto.installation_marks set system_identifier = null")
    assert problem(original) is None


def test_nothing_acts_on_a_copy(copy: Db) -> None:
    assert "is a copy of an installation" in (problem(copy) or "")
    assert due(copy) == set()
    assert take_pools(copy, uuid4()) == []
    assert call_sync(copy, "take_effects", owner="one", kinds=["deliver"], limit=10, lease=timedelta(minutes=1)) == []
    with pytest.raises(CopiedDatabase, match="tenuto db adopt"):
        a_worker(copy, "staging")
    with pytest.raises(SessionEnded, match="another database"):
        call(copy, "heartbeat", **session(copy), task_ids=[], attempts=[], settled=0)


def test_a_dispatcher_of_the_original_that_finds_itself_on_a_copy_ends_no_machine(copy: Db) -> None:
    copy.execute("update tenuto.pools set controlled_until = tenuto.now() + interval '1 hour'")
    facts = pool_facts(copy, pool_id(copy))
    copy.execute("update tenuto.workers set status = 'terminated', terminated_at = tenuto.now()")

    assert call(copy, "give_up_machine", org_id=DEFAULT_ORG, worker_id="machine-1") is False
    assert call(copy, "give_up_machine", org_id=DEFAULT_ORG, worker_id="machine-2") is False, "no row"
    assert carry_out(copy, pool_id(copy), facts, _decision(copy, pool_id(copy)), spawn=["machine-3"]) is False


def test_an_adopted_copy_acts_and_knows_none_of_the_machines(copy: Db) -> None:
    before = pool_id(copy)

    assert call(copy, "adopt_database") == 0

    assert problem(copy) is None
    assert due(copy) == set(LOOPS)
    assert pool_id(copy) not in (None, before)
    machine = copy.execute(
        "select status, provider_id, pool_id, machine_ended_at is not null from tenuto.workers where id = 'machine-1'"
    ).fetchone()
    assert machine == ("terminated", None, pool_id(copy), True)
    assert copy.execute("select count(*) from tenuto.sessions where ended_at is null").fetchone() == (0,)
    assert copy.execute("select distinct pool_id from tenuto.scaling_decisions").fetchall() == [(pool_id(copy),)]
    assert take_pools(copy, uuid4()) == ["gpu"]
    assert a_worker(copy, "staging").claim_one()
    assert copy.execute("select entity, action from tenuto.audit_arrivals where action = 'adopt'").fetchall() == [
        ("installation", "adopt")
    ]


def test_an_original_on_the_same_server_has_not_moved(copy: Db) -> None:
    oid = "(select oid from pg_database where datname = 'template1')"
    copy.execute(f"update tenuto.installation_marks set database_oid = {oid}".encode())

    with pytest.raises(Conflict, match="the original still exists on this server: database template1"):
        call(copy, "adopt_database", moved=True)
    call(copy, "adopt_database")


def test_a_moved_installation_keeps_its_machines_and_sessions(copy: Db) -> None:
    before, held = pool_id(copy), session(copy)
    a_store(copy, "file:///ours/")

    call(copy, "adopt_database", moved=True, store="file:///ours/")

    assert pool_id(copy) == before
    assert copy.execute("select provider_id from tenuto.workers where id = 'machine-1'").fetchone() == ("c1",)
    call(copy, "heartbeat", **held, task_ids=[], attempts=[], settled=0)
    assert problem(copy, store="file:///ours/") is None


def test_effects_can_be_discarded_and_replayed(copy: Db) -> None:
    assert call(copy, "adopt_database", discard_effects=True) == 1

    assert copy.execute("select status, last_error from tenuto.outbox").fetchall() == [
        ("dead", "discarded when this copy of the database was adopted")
    ]
    assert len(call_sync(copy, "replay_effects", org_id=DEFAULT_ORG)) == 1


def test_an_adopted_copy_signs_with_a_key_of_its_own(copy: Db) -> None:
    add = {"public_key": Jsonb({}), "private_key": b"x", "younger_than": timedelta(days=30)}
    assert call(copy, "add_signing_key", id="theirs", **add) is True
    assert call(copy, "add_signing_key", id="ours", **add) is False

    call(copy, "adopt_database")

    assert call(copy, "add_signing_key", id="ours", **add) is True
    assert call(copy, "find_signing_key")[0]["id"] == "ours"


def test_an_installation_cannot_be_adopted(original: Db) -> None:
    with pytest.raises(Conflict, match="no copy"):
        call(original, "adopt_database")


def test_a_database_whose_loops_run_cannot_be_adopted_under_another_name(db: Db, original: Db) -> None:
    assert due(db) == set(LOOPS)

    with pytest.raises(Conflict, match="runs the loops of this database now"):
        call(db, "adopt_database", installation="staging")


def test_a_dry_run_changes_nothing_and_raises_the_same_errors(copy: Db) -> None:
    before = pool_id(copy)
    a_store(copy, "file:///data/")

    call(copy, "adopt_database", dry_run=True, discard_effects=True)

    assert (problem(copy) is None, pool_id(copy)) == (False, before)
    with pytest.raises(Conflict, match="the original uses the object store"):
        call(copy, "adopt_database", dry_run=True, store="file:///data/")


def test_of_two_adoptions_one_wins(copy: Db, database: str) -> None:
    failed: list[Conflict] = []

    def adopt_too() -> None:
        with psycopg.connect(database, autocommit=True) as other:
            try:
                call(other, "adopt_database")
            except Conflict as problem:
                failed.append(problem)

    waiting = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    with psycopg.connect(database) as first:
        call(first, "adopt_database")
        ids = pool_id(first)
        second = threading.Thread(target=adopt_too)
        second.start()
        wait_until(lambda: copy.execute(waiting).fetchone() == (1,))
        first.commit()
        second.join()

    assert [str(problem).partition(":")[0] for problem in failed] == ["this database is no copy"]
    assert pool_id(copy) == ids


def test_a_name_recognizes_a_copy_of_files(db: Db, original: Db) -> None:
    assert "belongs to the installation without a name" in (problem(db, installation="staging") or "")
    assert due(db, installation="staging") == set()
    assert call_sync(db, "take_pools", dispatcher_id=DISPATCHER, providers=["local"], installation="staging") == []
    with pytest.raises(CopiedDatabase, match="TENUTO_INSTALLATION is staging"):
        call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", installation="staging")

    call(db, "adopt_database", installation="staging")

    assert problem(db, installation="staging") is None
    assert problem(db) is None, "processes without the setting are not compared"
    assert "belongs to the installation staging" in (problem(db, installation="production") or "")


def a_store(db: Db, root: str) -> None:
    """The installation from which this database was copied used this store."""
    db.execute("update tenuto.installation_marks set stores = stores || %s::text", [root])


def test_a_dispatcher_records_its_object_store_once(db: Db, original: Db) -> None:
    for _ in range(2):
        db.execute("begin; set local role tenuto_dispatcher; select tenuto.record_store('file:///a/'); commit")

    (row,) = call_sync(db, "get_installation")
    assert row["stores"] == ["file:///a/"]


def test_the_store_of_the_original_is_neither_recorded_nor_used(copy: Db) -> None:
    a_store(copy, "s3://production/")
    call(copy, "record_store", root="s3://staging/")

    with pytest.raises(Conflict, match="the original uses the object store s3://production/, too"):
        call(copy, "adopt_database", store="s3://production/")
    call(copy, "adopt_database", store="s3://staging/")

    assert "s3://production/ belongs to the installation" in (problem(copy, store="s3://production/") or "")
    assert due(copy, store="s3://production/") == set()
    with pytest.raises(CopiedDatabase, match="set TENUTO_STORAGE"):
        call(copy, "register_worker", org_id=DEFAULT_ORG, worker_id="w", store="s3://production/")
    assert due(copy, store="s3://staging/") == set(LOOPS)


def test_a_store_with_the_same_address_can_be_confirmed(copy: Db) -> None:
    a_store(copy, "file:///data/")

    call(copy, "adopt_database", store="file:///data/", own_store=True)

    assert due(copy, store="file:///data/") == set(LOOPS)


def test_what_will_begin_is_listed(copy: Db) -> None:
    work = {row["kind"]: (row["number"], row["names"]) for row in call_sync(copy, "list_open_work")}

    assert work == {
        "pools": (1, ["gpu"]),
        "schedules": (1, ["nightly"]),
        "effects": (1, None),
        "tasks": (2, ["default"]),
    }


def test_only_the_owner_adopts(copy: Db) -> None:
    for role in ("tenuto_worker", "tenuto_dispatcher", "tenuto_api", "tenuto_client", "tenuto_readonly"):
        with copy.transaction(force_rollback=True):
            copy.execute(f"set local role {role}".encode())
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                copy.execute("select tenuto.adopt_database()")
    assert problem(copy) is not None


@pytest.mark.parametrize("role", ["worker", "dispatcher", "api", "client", "readonly"])
def test_every_role_can_ask_whether_it_is_on_a_copy(copy: Db, role: str) -> None:
    with copy.transaction():
        copy.execute(f"set local role tenuto_{role}".encode())
        assert problem(copy) is not None
