"""A client of Foreman on its tables: runs, tasks, run data, keys and the audit log."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.compat import refused, rows
from tests.support.database.loops import settle
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call, status

S = "tenuto_compat_foreman"


def insert(db: Db, table: str, **values: Any) -> dict[str, Any]:
    columns, marks = ", ".join(values), ", ".join(["%s"] * len(values))
    params = [Jsonb(value) if isinstance(value, dict | list) else value for value in values.values()]
    return rows(db, f"insert into {S}.{table} ({columns}) values ({marks}) returning *", *params)[0]


def a_run(db: Db, **values: Any) -> UUID:
    return insert(db, "run", **{"org_id": "default", "input_data": {"folder": "in"}, **values})["id"]


def a_task(db: Db, run_id: UUID, **values: Any) -> UUID:
    return insert(db, "task", **{"run_id": run_id, "type": "send-email", "input_data": {"to": "a"}, **values})["id"]


def task_row(db: Db, task_id: UUID) -> dict[str, Any]:
    return rows(db, f"select * from {S}.task where id = %s", task_id)[0]


def run_row(db: Db, run_id: UUID) -> dict[str, Any]:
    return rows(db, f"select * from {S}.run where id = %s", run_id)[0]


@pytest.fixture
def worker(db: Db) -> Worker:
    return a_worker(db)


def test_an_inserted_run_is_open_and_ends_with_its_tasks(db: Db, clock: Clock, worker: Worker) -> None:
    run_id = a_run(db, metadata={"team": "mail"})
    tasks = [a_task(db, run_id), a_task(db, run_id)]
    assert (run_row(db, run_id)["status"], run_row(db, run_id)["total_tasks"]) == ("pending", 2)
    for claim in worker.claim(2):
        clock.advance(seconds=2)
        worker.complete(claim, outputs=[{"sent": True}])
    settle(db)
    assert run_row(db, run_id)["status"] == "running"

    db.execute("select tenuto.close_run(tenuto.find_org('default'), %s)", [run_id])
    settle(db)

    run = run_row(db, run_id)
    assert (run["status"], run["total_tasks"], run["completed_tasks"], run["failed_tasks"]) == ("completed", 2, 2, 0)
    assert (run["org_id"], run["input_data"], run["metadata"]) == ("default", {"folder": "in"}, {"team": "mail"})
    assert run["duration_ms"] > 0
    assert [task_row(db, task)["output_data"] for task in tasks] == [{"sent": True}] * 2
    assert task_row(db, tasks[0])["duration_ms"] == 2000


def test_a_task_keeps_what_was_inserted(db: Db) -> None:
    run_id, chosen = a_run(db), uuid4()
    task = insert(
        db, "task", id=chosen, run_id=run_id, org_id="default", type="pay", status="queued", input_data={"x": 1},
        metadata={"k": None}, max_retries=5, queue_job_id="bull-7",
    )  # fmt: skip

    assert (task["id"], task["status"], task["retry_count"], task["max_retries"]) == (chosen, "queued", 0, 5)
    assert (task["metadata"], task["queue_job_id"], task["parent_task_id"]) == ({"k": None}, "bull-7", None)


def test_retries_are_counted_and_the_last_one_fails_the_task(db: Db, clock: Clock, worker: Worker) -> None:
    task_id = a_task(db, a_run(db), max_retries=1)
    worker.fail(worker.claim_one(), error="bounced")
    assert (task_row(db, task_id)["status"], task_row(db, task_id)["retry_count"]) == ("retrying", 1)
    clock.advance(minutes=1)
    call(db, "promote_due")
    worker.fail(worker.claim_one(), error="bounced")

    task = task_row(db, task_id)
    assert (task["status"], task["retry_count"], task["error_data"]) == ("failed", 1, {"message": "bounced"})


def test_a_running_task_owns_the_children_that_name_it(db: Db, worker: Worker) -> None:
    run_id = a_run(db)
    parent = a_task(db, run_id)
    with refused("TN004", "is not running in run"):
        a_task(db, run_id, parent_task_id=parent)
    worker.claim_one()
    child = a_task(db, run_id, parent_task_id=parent)

    tree = """
      with recursive task_tree as (
        select * from tenuto_compat_foreman.task where id = %s
        union all
        select t.* from tenuto_compat_foreman.task t join task_tree tt on t.parent_task_id = tt.id
      ) select id from task_tree"""
    assert [row["id"] for row in rows(db, tree, parent)] == [parent, child]
    assert run_row(db, run_id)["total_tasks"] == 2


def test_setting_the_status_to_cancelled_cancels_a_task_or_a_run(db: Db) -> None:
    run_id = a_run(db)
    first, second = a_task(db, run_id), a_task(db, run_id)

    db.execute("update tenuto_compat_foreman.task set status = 'cancelled' where id = %s", [first])
    assert (status(db, first), status(db, second)) == ("cancelled", "queued")
    db.execute("update tenuto_compat_foreman.run set status = 'cancelled' where id = %s", [run_id])
    settle(db)

    assert (run_row(db, run_id)["status"], status(db, second)) == ("cancelled", "cancelled")


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("update tenuto_compat_foreman.run set status = 'completed'", "tenuto.close_run"),
        ("update tenuto_compat_foreman.task set status = 'completed'", "tenuto.complete_tasks"),
        ("update tenuto_compat_foreman.task set output_data = '1'", "tenuto.complete_tasks"),
        ("delete from tenuto_compat_foreman.run", "tenuto.delete_run"),
        ("delete from tenuto_compat_foreman.task", "tenuto.delete_task"),
        ("update tenuto_compat_foreman.run_data set value = '2'", "insert the key again"),
    ],
)
def test_any_other_change_is_refused_with_the_function_to_use(db: Db, statement: str, hint: str) -> None:
    run_id = a_run(db)
    a_task(db, run_id)
    insert(db, "run_data", run_id=run_id, key="k", value={"v": 1})

    with refused("TN003", hint):
        db.execute(statement.encode())


@pytest.mark.parametrize(
    ("values", "code", "message"),
    [
        ({"status": "running"}, "TN003", "inserted as pending or queued, not as running"),
        ({"max_retries": 11}, "TN003", "max_retries is 11, not 0 to 10"),
        ({"retry_count": 1}, "TN003", "without times, retries and results"),
        ({"input_data": None}, "TN003", "input_data of the task is null"),
        ({"type": None}, "TN003", "type of the task is null"),
        ({"run_id": None}, "TN003", "insert into run first"),
        ({"org_id": "other"}, "TN009", "other is not the org of this connection"),
        ({"run_id": uuid4()}, "TN001", "no run"),
    ],
)
def test_a_wrong_task_is_refused(db: Db, values: dict[str, Any], code: str, message: str) -> None:
    with refused(code, message):
        a_task(db, **{"run_id": a_run(db), **values})


@pytest.mark.parametrize(
    ("values", "code", "message"),
    [
        ({"status": "running"}, "TN003", "inserted as pending, not as running"),
        ({"total_tasks": 3}, "TN003", "a new run has no output, error, start, end, duration or task counts"),
        ({"input_data": None}, "TN003", "input_data of the run is null"),
        ({"org_id": "other"}, "TN009", "other is not the org of this connection"),
    ],
)
def test_a_wrong_run_is_refused(db: Db, values: dict[str, Any], code: str, message: str) -> None:
    with refused(code, message):
        a_run(db, **values)


def test_an_id_opens_one_run(db: Db) -> None:
    run_id = a_run(db)

    with refused("TN004", f"run {run_id} exists already"):
        a_run(db, id=run_id)


def test_the_last_value_of_a_key_is_shown_with_its_writer(db: Db, worker: Worker) -> None:
    run_id = a_run(db)
    task_id = a_task(db, run_id)
    with refused("TN004", "is not running in run"):
        insert(db, "run_data", run_id=run_id, task_id=task_id, key="total", value={"n": 0})
    worker.claim_one()
    insert(db, "run_data", run_id=run_id, key="total", value={"n": 1}, metadata={"unit": "rows"})
    last = insert(db, "run_data", run_id=run_id, task_id=task_id, org_id="default", key="total", value={"n": 2})

    latest = f"select distinct on (key) * from {S}.run_data where run_id = %s order by key, updated_at desc"
    assert rows(db, latest, run_id) == [last]
    assert (last["task_id"], last["value"], last["metadata"]) == (task_id, {"n": 2}, None)
    with refused("TN003", "run_id, key or value of run data is null"):
        insert(db, "run_data", run_id=run_id, value={"n": 1})


def test_keys_are_shown_without_their_hashes_and_the_audit_log_in_the_words_of_the_seed(db: Db) -> None:
    call(db, "import_api_key", org_id=DEFAULT_ORG, name="old", prefix="fm_live_", bcrypt="$2b$10$" + "a" * 53,
         permissions=["runs:read"], created_by="ann")  # fmt: skip

    (key,) = rows(db, f"select * from {S}.api_key")
    assert (key["key_hash"], key["key_prefix"], key["is_active"]) == (None, "fm_live_", True)
    assert key["permissions"] == {"runs:read": True}
    call(db, "seal_audit")
    (entry,) = rows(db, f"select * from {S}.audit_log where entity_type = 'api_key'")
    assert (entry["action"], entry["entity_id"], entry["org_id"]) == ("create", key["id"], "default")
