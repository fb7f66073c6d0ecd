"""Workers of Headless-WGP claim, and report without a fence."""

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
    reset_wgp,
    rows,
    wgp_task,
)
from tests.support.database.dags import deploy
from tests.support.database.loops import lose_workers
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one, status
from tests.support.database.workers import worker_row
from tests.support.faults.failing_rows import poison


def test_a_claim_returns_the_columns_of_the_seed(db: Db, clock: Clock) -> None:
    task_id = insert_wgp(db, "travel", {"prompt": "a boat"})
    clock.advance(seconds=5)

    claimed = claim_wgp(db)

    assert list(claimed) == [
        "id", "status", "attempts", "worker_id", "generation_started_at", "task_data", "created_at", "task_type",
    ]  # fmt: skip
    assert (claimed["id"], claimed["status"], claimed["attempts"]) == (task_id, "In Progress", 0)
    assert (claimed["worker_id"], claimed["task_data"]) == ("gpu-1", {"prompt": "a boat"})
    assert (claimed["generation_started_at"], claimed["task_type"]) == (clock.now, "travel")
    assert claim_wgp(db) == {}


def test_the_oldest_task_is_claimed_first_whatever_its_type(db: Db) -> None:
    types = ["edit", "travel", "join", "travel", "edit"]
    tasks = [insert_wgp(db, name) for name in types]

    assert [claim_wgp(db, f"gpu-{no}")["id"] for no in range(5)] == tasks


def test_a_task_that_waited_longest_comes_before_those_of_a_busier_type(db: Db) -> None:
    first = [insert_wgp(db, "travel") for _ in range(3)]
    edit = insert_wgp(db, "edit")
    last = insert_wgp(db, "travel")

    assert [claim_wgp(db)["id"] for _ in range(5)] == [*first, edit, last]


def test_a_claim_follows_starts_of_tenuto_and_leaves_the_tasks_of_operators_and_paused_queues(db: Db) -> None:
    deploy(db)
    call(db, "cutover_dag", org_id=DEFAULT_ORG, name="orders", expected=0, actor="ann")
    call(db, "trigger_job", org_id=DEFAULT_ORG, dag="orders", name="extract")
    start_one(db, kind={"type": "app.paused", "queue": "later"})
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="later")
    task_id = start_one(db, kind={"type": "app.plain"})

    assert claim_wgp(db)["id"] == task_id
    assert claim_wgp(db) == {}


def test_a_task_that_cannot_be_claimed_does_not_stop_those_behind_it(db: Db) -> None:
    bad, good = insert_wgp(db), insert_wgp(db)
    poison(db, "running_tasks", bad, on="insert", column="id")

    assert claim_wgp(db) == {}  # postpones it
    assert claim_wgp(db)["id"] == good
    assert status(db, bad) == "queued"


def test_a_resource_group_at_its_quota_waits_and_the_others_do_not(db: Db) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="small", quota=0)
    start_one(db, group="small")
    task_id = insert_wgp(db)

    assert claim_wgp(db)["id"] == task_id
    assert claim_wgp(db) == {}


def test_the_older_name_claims_too_and_knows_one_table(db: Db) -> None:
    task_id = insert_wgp(db)

    (claimed,) = rows(db, "select * from tenuto_compat.func_claim_task('tasks', 'gpu-1')")

    assert (claimed["id"], claimed["status"]) == (task_id, "In Progress")
    with refused("TN003", "there is no table users"):
        rows(db, "select * from tenuto_compat.func_claim_task('users', 'gpu-1')")


@pytest.mark.parametrize("marked", ["draining", "terminated", "terminating"])
def test_a_worker_that_is_to_end_gets_nothing(db: Db, marked: str) -> None:
    beat_wgp(db)
    if marked == "draining":
        call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="gpu-1")
    elif marked == "terminated":
        call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="gpu-1")
    else:
        call(db, "beat_worker", org_id=DEFAULT_ORG, worker_id="gpu-1", metrics={"orchestrator_status": "terminating"})
    task_id = insert_wgp(db)

    assert claim_wgp(db) == {}
    assert wgp_task(db, task_id)["status"] == "Queued"


def test_a_worker_with_a_session_of_its_own_is_not_mixed_up(db: Db) -> None:
    a_worker(db, "native")

    with refused("TN004", "the worker id native is used by a worker of Tenuto"):
        claim_wgp(db, "native")
    with refused("TN004"):
        beat_wgp(db, "native")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("select tenuto_compat.func_mark_task_complete(null)", "task_id_param is null"),
        ("select tenuto_compat.func_mark_task_failed(null, 'out of memory', 'gpu-1')", "task_id_param is null"),
        ("select tenuto_compat.func_claim_available_task(null)", "a worker id is missing or empty"),
        ("select tenuto_compat.func_claim_task(null, 'gpu-1')", "there is no table null to claim from"),
        ("select tenuto_compat.func_reset_orphaned_tasks(null)", "failed_worker_ids is null"),
        ("select tenuto_compat.func_reset_orphaned_tasks(array['gpu-1', null])", "failed_worker_ids contains null"),
        ("select tenuto_compat.func_update_worker_heartbeat(null)", "a worker id is missing or empty"),
        ("insert into tenuto_compat_wgp.tasks (params) values ('{}')", "task_type of the task is null"),
    ],
)
def test_a_missing_argument_is_named(db: Db, statement: str, message: str) -> None:
    with refused("TN003", message):
        db.execute(statement.encode())


def test_a_wrong_worker_id_is_refused(db: Db) -> None:
    with refused("TN003", "a worker id"):
        claim_wgp(db, "")


def test_the_claim_opens_one_session_of_ten_minutes_which_claims_and_heartbeats_renew(db: Db, clock: Clock) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db)
    for step in (beat_wgp, claim_wgp, beat_wgp):
        assert lose_workers(db, clock, minutes=9) == 0
        step(db)

    assert db.execute("select count(*), max(lease_seconds) from tenuto.sessions").fetchone() == (1, 600)
    assert wgp_task(db, task_id)["status"] == "In Progress"
    assert lose_workers(db, clock, minutes=11) == 1
    assert (wgp_task(db, task_id)["status"], worker_row(db, "gpu-1")["status"]) == ("Queued", "error")


def test_a_worker_that_was_silent_and_comes_back_claims_with_a_new_session(db: Db, clock: Clock) -> None:
    insert_wgp(db)
    claim_wgp(db)
    lose_workers(db, clock, minutes=11)
    call(db, "promote_due")

    assert claim_wgp(db)["attempts"] == 1
    assert worker_row(db, "gpu-1")["status"] == "active"


def test_completing_stores_the_result_and_a_second_report_changes_nothing(db: Db, clock: Clock) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db)
    clock.advance(seconds=30)

    complete_wgp(db, task_id, {"video": "s3://a"})
    complete_wgp(db, task_id, {"video": "s3://b"})

    task = wgp_task(db, task_id)
    assert (task["status"], task["result_data"], task["worker_id"]) == ("Complete", {"video": "s3://a"}, "gpu-1")
    assert task["generation_processed_at"] == clock.now


def test_a_late_failure_does_not_reopen_a_completed_task(db: Db) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db)
    complete_wgp(db, task_id, {"ok": True})

    for worker in (None, "gpu-1"):
        with refused("TN004", "is already completed"):
            fail_wgp(db, task_id, worker=worker)

    assert (wgp_task(db, task_id)["status"], claim_wgp(db, "gpu-2")) == ("Complete", {})


def test_a_failure_queues_the_task_at_once_and_the_third_one_is_final(db: Db) -> None:
    task_id = insert_wgp(db)
    for attempts in range(3):
        assert claim_wgp(db)["attempts"] == attempts
        fail_wgp(db, task_id, f"error {attempts}")
        task = wgp_task(db, task_id)
        assert (task["attempts"], task["error_message"]) == (attempts + 1, f"error {attempts}")
        assert task["status"] == ("Queued" if attempts < 2 else "Failed")

    assert claim_wgp(db) == {}
    fail_wgp(db, task_id)  # again: nothing changes
    with refused("TN004", "is already failed"):
        complete_wgp(db, task_id)


def test_a_report_without_a_worker_is_refused_once_two_workers_have_claimed_the_task(db: Db) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db, "gpu-1")
    fail_wgp(db, task_id)
    claim_wgp(db, "gpu-2")

    for report in (complete_wgp, fail_wgp):
        with refused("TN005", "several workers have claimed task .*: gpu-1, gpu-2"):
            report(db, task_id)
        with refused("TN005", "worker gpu-1 does not hold task"):
            report(db, task_id, worker="gpu-1")
    complete_wgp(db, task_id, {"by": 2}, worker="gpu-2")

    assert wgp_task(db, task_id)["result_data"] == {"by": 2}
    with refused("TN005", "worker gpu-1 does not hold"):
        complete_wgp(db, task_id, {"by": 1}, worker="gpu-1")
    assert wgp_task(db, task_id)["worker_id"] == "gpu-2"


def test_a_report_about_a_task_that_was_given_back_is_refused_before_anybody_claims_it_again(db: Db) -> None:
    task_id = insert_wgp(db)
    claim_wgp(db)
    reset_wgp(db, "gpu-1")

    with refused("TN005", "it was given back"):
        complete_wgp(db, task_id)
    with refused("TN001", "no task"):
        complete_wgp(db, uuid4())
