"""Adding tasks to an open run, from outside of an attempt."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.database.loops import an_org, cancel_run, run, settle, value
from tests.support.database.open_runs import add_tasks, close_run, open_run
from tests.support.database.orgs import acting_for
from tests.support.database.tasks import DEFAULT_ORG, a_worker, drain, start, start_graph, start_one, statuses, task


def test_added_tasks_run_in_the_runs_group(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    first, second = add_tasks(db, run_id, "a", "b")
    claims = a_worker(db).claim(5)

    assert [(claim.task_id, claim.input, claim.run_id) for claim in claims] == [
        (first, "a", run_id),
        (second, "b", run_id),
    ]
    seen = run(db, run_id)
    assert (seen["status"], seen["total_tasks"], seen["open"]) == ("running", 2, True)
    assert task(db, first)["parent_id"] is None


def test_places_follow_the_order_of_the_calls(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    ids = add_tasks(db, run_id, 1, 2)
    settle(db)
    ids += add_tasks(db, run_id, 3) + add_tasks(db, run_id, 4, details=Jsonb([{"task": 0, "name": "last"}]))
    worker = a_worker(db)
    for claim in worker.claim(4):
        worker.complete(claim, outputs=[claim.input])
    close_run(db, run_id)
    settle(db)

    assert [task(db, id)["position"] for id in ids] == [0, 1, 2, 3]
    assert run(db, run_id)["output"] == [1, 2, 3, 4]


def test_edges_and_slots_join_tasks_of_one_call(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    ids = add_tasks(
        db,
        run_id,
        1,
        None,
        edges=Jsonb([{"from": 0, "to": 1}]),
        details=Jsonb([{"task": 1, "slots": [{"task": 0}]}]),
    )
    worker = a_worker(db)

    assert statuses(db, ids) == ["queued", "pending"]
    worker.complete(worker.claim_one(), outputs=["made"])
    assert worker.claim_one().slots == ["made"]


def test_a_failed_task_does_not_end_an_open_run(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    add_tasks(db, run_id)
    worker = a_worker(db)
    worker.fail(worker.claim_one(), final=True)
    settle(db)
    assert run(db, run_id)["status"] == "running"

    add_tasks(db, run_id)
    drain(db, worker)
    close_run(db, run_id)
    settle(db)
    assert run(db, run_id)["status"] == "failed"


def closed(db: psycopg.Connection) -> UUID:
    run_id = open_run(db)
    add_tasks(db, run_id)
    close_run(db, run_id)
    return run_id


def cancelled(db: psycopg.Connection) -> UUID:
    run_id = open_run(db)
    add_tasks(db, run_id)
    a_worker(db).claim_one()
    cancel_run(db, run_id)
    return run_id


def completed(db: psycopg.Connection) -> UUID:
    run_id = closed(db)
    drain(db, a_worker(db))
    settle(db)
    return run_id


WRONG = {
    "closed": (closed, "it was closed"),
    "cancelled": (cancelled, "it was cancelled"),
    "completed": (completed, "it is already completed"),
    "a graph": (lambda db: start_graph(db, 2)[0], "it was started with all its tasks"),
    "one task": (start_one, "it was started with all its tasks"),
}


@pytest.mark.parametrize("state", WRONG)
def test_a_run_that_is_not_open_takes_no_tasks(db: psycopg.Connection, state: str) -> None:
    make, message = WRONG[state]
    run_id = make(db)
    before = value(db, "select count(*) from tenuto.tasks")

    with pytest.raises(Conflict, match=message):
        add_tasks(db, run_id)
    assert value(db, "select count(*) from tenuto.tasks") == before


def test_a_run_of_another_org_does_not_exist(db: psycopg.Connection) -> None:
    other = an_org(db, "other")
    run_id = open_run(db, org_id=other)

    for unknown in (run_id, uuid4()):
        with pytest.raises(NotFound):
            add_tasks(db, unknown)
        with pytest.raises(NotFound):
            close_run(db, unknown)
    assert value(db, "select count(*) from tenuto.tasks") == 0


def test_wrong_tasks_are_refused(db: psycopg.Connection) -> None:
    run_id = open_run(db)

    with pytest.raises(InvalidInput, match="handler"):
        add_tasks(db, run_id, kind={"handler": "failed"})
    with pytest.raises(InvalidInput, match="backoff"):
        add_tasks(db, run_id, kind={"backoff_seconds": -1})
    with pytest.raises(InvalidInput, match="edge"):
        add_tasks(db, run_id, 1, 2, edges=Jsonb([{"from": 1, "to": 0}]))


def test_tasks_with_ids_that_a_client_made_are_added_once(db: psycopg.Connection) -> None:
    run_id, ids = open_run(db), [uuid4(), uuid4()]
    assert add_tasks(db, run_id, 1, 2, ids=ids) == ids
    assert add_tasks(db, run_id, 3, 4, ids=ids) == ids
    assert [claim.input for claim in a_worker(db).claim(5)] == [1, 2]
    close_run(db, run_id)
    assert add_tasks(db, run_id, 1, 2, ids=ids) == ids
    settle(db)

    assert run(db, run_id)["total_tasks"] == 2
    with pytest.raises(Conflict, match="it was closed"):
        add_tasks(db, run_id, 1, 2, ids=[ids[0], uuid4()])


@pytest.mark.parametrize("same_org", [True, False])
@pytest.mark.parametrize("of", ["run", "task"])
def test_the_id_of_another_run_or_its_task_is_refused(db: psycopg.Connection, of: str, same_org: bool) -> None:
    org: dict[str, Any] = {} if same_org else {"org_id": an_org(db, "other")}
    other = open_run(db, **org)
    (task,) = add_tasks(db, other, ids=[uuid4()], **org)
    run_id, taken = open_run(db), {"run": other, "task": task}[of]

    def as_server() -> None:
        with acting_for(db, DEFAULT_ORG):
            db.execute("set local role tenuto_api")
            add_tasks(db, run_id, 1, 2, ids=[uuid4(), taken])

    with pytest.raises(Conflict, match=f"^the id {taken} cannot be used; make another UUID$"):
        as_server()
    assert run(db, run_id)["total_tasks"] == 0


def test_an_id_that_a_bulk_start_uses_twice_is_refused_for_a_role_that_postgres_names_no_rows_to(
    db: psycopg.Connection,
) -> None:
    (taken,) = add_tasks(db, open_run(db), ids=[uuid4()])

    def as_server() -> None:
        with acting_for(db, DEFAULT_ORG):
            db.execute("set local role tenuto_api")
            start(db, 1, ids=[taken])

    with pytest.raises(Conflict, match=r"^an id cannot be used; make another UUID$"):
        as_server()
