"""A client's transaction at another isolation level, beside tasks that wait: a call is refused or it works, and no task
waits for ever."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import translated_errors
from tenuto.model.errors import WrongIsolation
from tests.support.database.isolation import LEVELS, a_transaction
from tests.support.database.loops import count
from tests.support.database.open_runs import add_tasks, open_run
from tests.support.database.stranded import a_waiting_parent, no_triggers
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Db,
    a_worker,
    call,
    drain,
    run_status,
    start,
    start_graph,
    start_one,
    status,
    statuses,
)

KEY = {"limits": [{"scope": "key", "key": "one", "size": 1}]}


@pytest.mark.parametrize("level", LEVELS)
def test_a_parent_wakes_although_a_transaction_began_before_it_waited(db: Db, database: str, level: str) -> None:
    start_one(db)
    worker = a_worker(db)
    parent = worker.claim_one()
    (kid,) = worker.start_children(parent, 1)
    with a_transaction(database, level) as client:
        worker.wait(parent, **{"for": "children", "tasks": [str(kid)]})
        with pytest.raises(WrongIsolation, match=f"not possible in a transaction that is {level}"):
            call(client, "cancel_task", org_id=DEFAULT_ORG, task_id=kid)
        client.rollback()
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=kid)

    assert statuses(db, [kid, parent.task_id]) == ["cancelled", "queued"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("verb", ["release_run", "close_run"])
def test_a_run_is_neither_released_nor_closed_at_another_level(db: Db, database: str, level: str, verb: str) -> None:
    run_id = open_run(db, hold=True)
    with a_transaction(database, level, "tenuto_client") as client:
        add_tasks(db, run_id, 2)
        with pytest.raises(WrongIsolation, match="begins with isolation level read committed"):
            call(client, verb, org_id=DEFAULT_ORG, run_id=run_id)
        client.rollback()
    call(db, "release_run", org_id=DEFAULT_ORG, run_id=run_id)
    call(db, "close_run", org_id=DEFAULT_ORG, run_id=run_id)
    drain(db, a_worker(db))

    assert (run_status(db, run_id), count(db, "pending_tasks")) == ("completed", 0)


@pytest.mark.parametrize("level", LEVELS)
def test_plain_starts_work_at_every_level_and_their_tasks_run(db: Db, database: str, level: str) -> None:
    worker = a_worker(db)
    start(db, kind={"type": "app.known"})
    drain(db, worker)
    with a_transaction(database, level, "tenuto_client") as client:
        start(db, kind={"type": "app.other"})  # a lane that the transaction does not see
        drain(db, worker)
        db.execute("update tenuto.ready_lanes set empty_since = now() - interval '1 hour'")
        call(db, "sweep_lanes")
        tasks = [start_one(client, kind={"type": f"app.{name}"}) for name in ("known", "other", "new")]
        tasks += start(client, 1, 2, kind={"type": "app.new", "priority": 5})
        runs = [start_graph(client, 3, [(0, 1), (1, 2)])[0]]
        runs += [start_graph(client, 1, run={"deadline_seconds": 3600, "max_attempts": 2})[0]]
        held, _ = start_graph(client, 1, run={"hold": True, "name": "held"})
        opened = open_run(client)
        add_tasks(client, opened, 2)
        object_id = call(client, "put_object", org_id=DEFAULT_ORG, type="bytes", payload=b"x")
        client.commit()
    call(db, "release_run", org_id=DEFAULT_ORG, run_id=held)
    call(db, "close_run", org_id=DEFAULT_ORG, run_id=opened)
    drain(db, a_worker(db))

    assert statuses(db, tasks) == ["completed"] * 5
    assert [run_status(db, run_id) for run_id in (*runs, held, opened)] == ["completed"] * 4
    assert count(db, "data_objects", "id = %s", object_id) == 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"details": Jsonb([{"task": 0, **KEY}])}, "a start with a limit"),
        ({"dedupe_keys": ["k"]}, "a start with dedupe keys"),
    ],
)
def test_a_start_with_a_limit_or_a_dedupe_key_is_refused_and_writes_nothing(
    db: Db, database: str, level: str, more: dict[str, object], what: str
) -> None:
    with a_transaction(database, level, "tenuto_client") as client:
        start_one(client, kind={"type": "app.known"})
        with pytest.raises(WrongIsolation, match=f"{what} is not possible"):
            start_one(client, **more)
        client.commit()  # rolls back, as the call has failed

    assert [count(db, table) for table in ("runs", "tasks", "dedupe_keys", "waiting_tasks")] == [0] * 4


@pytest.mark.parametrize("level", LEVELS)
def test_a_run_with_a_dedupe_key_is_refused(database: str, level: str) -> None:
    for start_it in (
        lambda client: start_graph(client, 2, run={"dedupe_key": "k", "name": "n"}),
        lambda client: open_run(client, dedupe_key="k", name="n"),
    ):
        with a_transaction(database, level, "tenuto_client") as client, pytest.raises(WrongIsolation):
            start_it(client)
        client.close()


@pytest.mark.parametrize("level", LEVELS)
def test_two_transactions_that_start_tasks_of_known_types_do_not_fail(db: Db, database: str, level: str) -> None:
    start(db, kind={"type": "app.known"})
    with (
        a_transaction(database, level, "tenuto_client", checked=False) as one,
        a_transaction(database, level, "tenuto_client", checked=False) as two,
    ):
        tasks = [start_one(client, kind={"type": "app.known"}) for client in (one, two, one, two)]
        tasks += [start_graph(client, 2, [(0, 1)], kinds=[{"type": "app.known"}])[1][0] for client in (one, two)]
        one.commit()
        two.commit()

    with no_triggers(db):
        drain(db, a_worker(db))
        assert statuses(db, tasks) == ["completed"] * 6


def test_read_uncommitted_is_read_committed_in_postgres(db: Db, database: str) -> None:
    run_id = start_one(db)
    with a_transaction(database, "read uncommitted", "tenuto_client") as client:
        call(client, "send_signal", org_id=DEFAULT_ORG, run_id=run_id, name="go")

    assert count(db, "signals") == 1


@pytest.mark.parametrize("level", LEVELS)
def test_a_worker_in_another_language_is_told_at_its_first_claim(db: Db, database: str, level: str) -> None:
    worker, parent, (child,) = a_waiting_parent(db)
    with a_transaction(database, level) as client:
        for call_it in (
            "select * from tenuto.claim_tasks(%s, %s, 9, '{1}', 1)",
            "select * from tenuto.complete_tasks(%s, %s, '{}', '{}')",
            "select tenuto.heartbeat(%s, %s, '{}', '{}')",
        ):
            with pytest.raises(WrongIsolation), translated_errors(), client.transaction():
                client.execute(call_it.encode(), [worker.session_id, worker.token])
    worker.complete(child)

    assert status(db, parent.task_id) == "queued"


def test_the_error_says_what_to_do(db: Db, database: str) -> None:
    with a_transaction(database, "serializable") as client, pytest.raises(psycopg.Error) as refused:
        client.execute("select tenuto.settle_runs()")

    assert (refused.value.sqlstate, refused.value.diag.message_primary) == (
        "TN011",
        "this call is not possible in a transaction that is serializable",
    )
    assert "begins with isolation level read committed" in str(refused.value.diag.message_hint)
