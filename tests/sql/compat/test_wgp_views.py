"""The tables of Headless-WGP as views: reading, inserting, cancelling, and updates that are refused."""

from uuid import uuid4

import pytest

from tests.support.clock import Clock
from tests.support.database.compat import (
    beat_wgp,
    claim_wgp,
    complete_wgp,
    fail_wgp,
    insert_wgp,
    refused,
    rows,
    wgp_task,
    wgp_worker,
)
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start_graph, start_one, status
from tests.support.database.workers import a_worker_that_is

UPDATE = "update tenuto_compat_wgp.tasks set {} where id = %s"


def test_an_insert_starts_a_task_and_returns_its_row(db: Db, clock: Clock) -> None:
    (task,) = rows(
        db, "insert into tenuto_compat_wgp.tasks (task_type, params) values ('travel', '{\"a\": 1}') returning *"
    )

    assert task == {
        "id": task["id"], "status": "Queued", "task_type": "travel", "params": {"a": 1}, "attempts": 0,
        "worker_id": None, "generation_started_at": None, "generation_processed_at": None, "error_message": None,
        "result_data": None, "created_at": clock.now, "updated_at": clock.now,
    }  # fmt: skip
    assert status(db, task["id"]) == "queued"
    found = db.execute("select max_attempts, backoff_seconds from tenuto.tasks where id = %s", [task["id"]]).fetchone()
    assert found == (3, 0)


def test_a_client_can_choose_the_id_and_uses_it_once(db: Db) -> None:
    chosen = uuid4()
    insert = "insert into tenuto_compat_wgp.tasks (id, status, task_type) values (%s, 'Queued', 'travel')"
    db.execute(insert, [chosen])

    assert claim_wgp(db)["id"] == chosen
    with refused("TN004", f"task {chosen} exists already"):
        db.execute(insert, [chosen])


def test_many_rows_are_inserted_by_one_statement(db: Db) -> None:
    db.execute(
        "insert into tenuto_compat_wgp.tasks (task_type, params)"
        " select 'travel', jsonb_build_object('no', no) from generate_series(1, 5) no"
    )

    assert [claim_wgp(db)["task_data"] for _ in range(5)] == [{"no": no} for no in range(1, 6)]


@pytest.mark.parametrize(
    ("columns", "values", "message"),
    [
        ("status", "'In Progress'", "inserted as Queued, not as In Progress"),
        ("worker_id", "'gpu-1'", "its type, its params and an id, and no other column"),
        ("attempts", "2", "its type, its params and an id, and no other column"),
        ("result_data", "'{}'", "its type, its params and an id, and no other column"),
    ],
)
def test_an_insert_with_a_state_of_its_own_is_refused(db: Db, columns: str, values: str, message: str) -> None:
    with refused("TN003", message):
        db.execute(f"insert into tenuto_compat_wgp.tasks (task_type, {columns}) values ('travel', {values})".encode())
    with refused("TN003", "task_type of the task is null"):
        db.execute("insert into tenuto_compat_wgp.tasks (params) values ('{}')")


def test_setting_the_status_to_cancelled_cancels(db: Db) -> None:
    task_id = insert_wgp(db)

    db.execute(UPDATE.format("status = 'Cancelled', updated_at = now()").encode(), [task_id])
    db.execute(UPDATE.format("status = 'Cancelled'").encode(), [task_id])

    assert (wgp_task(db, task_id)["status"], claim_wgp(db)) == ("Cancelled", {})


def test_a_task_that_has_ended_is_not_cancelled(db: Db) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db)
    complete_wgp(db, task_id)

    with refused("TN004", "is already completed"):
        db.execute(UPDATE.format("status = 'Cancelled'").encode(), [task_id])


def test_a_running_task_is_cancelled_when_its_worker_reports_a_failure(db: Db) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db)
    db.execute(UPDATE.format("status = 'Cancelled'").encode(), [task_id])
    assert wgp_task(db, task_id)["status"] == "In Progress"

    fail_wgp(db, task_id, "stopped")

    assert wgp_task(db, task_id)["status"] == "Cancelled"
    fail_wgp(db, task_id, "again")
    with refused("TN004", "is already cancelled"):
        complete_wgp(db, task_id)


@pytest.mark.parametrize(
    "change",
    ["status = 'Complete'", "status = 'Queued', worker_id = ''", "params = '{}'", "status = 'Cancelled', params = '1'"],
)
def test_any_other_update_is_refused_with_the_function_to_use(db: Db, change: str) -> None:
    task_id = insert_wgp(db, params={"a": 1})

    with refused("TN003", "can only set the status to Cancelled(.|\n)*func_mark_task_complete"):
        db.execute(UPDATE.format(change).encode(), [task_id])
    with refused("TN003", "cannot be changed by delete(.|\n)*tenuto.delete_run"):
        db.execute("delete from tenuto_compat_wgp.tasks")
    assert wgp_task(db, task_id)["status"] == "Queued"


def test_states_that_the_seed_does_not_have_are_shown_in_its_words(db: Db) -> None:
    slow = start_one(db, kind={"type": "app.slow", "backoff_seconds": 60})
    claim_wgp(db)
    fail_wgp(db, slow)
    _, (parent, child) = start_graph(db, 2, [(0, 1)])

    assert [status(db, task) for task in (slow, parent, child)] == ["retrying", "queued", "pending"]
    assert {wgp_task(db, task)["status"] for task in (slow, parent, child)} == {"Queued"}
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=parent)
    assert [wgp_task(db, task)["status"] for task in (parent, child)] == ["Cancelled", "Cancelled"]


@pytest.mark.parametrize(
    ("state", "shown", "orchestrator_status"),
    [
        ("starting", "inactive", "spawning"),
        ("active", "active", "active"),
        ("draining", "active", "terminating"),
        ("error", "inactive", "error"),
        ("terminated", "terminated", "terminating"),
    ],
)
def test_a_worker_has_the_statuses_of_the_seed(db: Db, state: str, shown: str, orchestrator_status: str) -> None:
    a_worker_that_is(db, state)

    worker = wgp_worker(db, "w")
    assert (worker["status"], worker["metadata"]["orchestrator_status"]) == (shown, orchestrator_status)


@pytest.mark.parametrize(
    "statement",
    [
        "insert into tenuto_compat_wgp.workers (id) values ('gpu-9')",
        "update tenuto_compat_wgp.workers set status = 'terminated'",
        "delete from tenuto_compat_wgp.workers",
    ],
)
def test_workers_are_not_changed_through_the_view(db: Db, statement: str) -> None:
    beat_wgp(db)

    with refused("TN003", "func_update_worker_heartbeat"):
        db.execute(statement.encode())


def test_a_client_sees_and_claims_the_tasks_of_its_org_only(db: Db) -> None:
    mine, theirs = insert_wgp(db), call(db, "create_org", slug="theirs")
    beat_wgp(db)
    with db.transaction():
        db.execute("select set_config('tenuto.org_id', %s, true)", [str(theirs)])
        assert rows(db, "select * from tenuto_compat_wgp.tasks") == []
        assert rows(db, "select * from tenuto_compat_wgp.workers") == []
        assert claim_wgp(db) == {}
        insert_wgp(db, "other")
        assert claim_wgp(db)["task_type"] == "other"
        with refused("TN001"), db.transaction():
            complete_wgp(db, mine)

    assert [task["id"] for task in rows(db, "select id from tenuto_compat_wgp.tasks")] == [mine]
    assert claim_wgp(db)["id"] == mine
