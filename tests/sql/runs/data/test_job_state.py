"""Operator state of jobs: it belongs to the job and the version of its dataset."""

from typing import Any

from psycopg.types.json import Jsonb

from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.jobs import SALES, deployed, trigger
from tests.support.database.tasks import Claim, Db, Worker, a_worker, call, start


def edited(**changes: Any) -> dict[str, Any]:
    extract, daily = SALES["jobs"]
    return {**SALES, "jobs": [{**extract, **changes}, daily]}


def a_task(db: Db, worker: Worker, job: str = "extract") -> Claim:
    trigger(db, job)
    return worker.claim_one()


def put(worker: Worker, claim: Claim, key: str, value: object, version: int = 0) -> int:
    fence = {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt}
    return call(worker.db, "put_task_state", **fence, key=key, value=Jsonb(value), version=version)


def state(worker: Worker, claim: Claim) -> dict[str, Any]:
    fence = {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt}
    return {row["key"]: row["value"] for row in call(worker.db, "get_task_state", **fence)}


def test_two_jobs_with_the_same_operator_do_not_share_state(db: Db):
    other = {**SALES["jobs"][0], "name": "import", "outputs": [{"dataset": "imported"}]}
    deployed(db, {**SALES, "jobs": [*SALES["jobs"], other]})
    worker = a_worker(db)
    put(worker, a_task(db, worker), "cursor", 7)

    assert state(worker, a_task(db, worker)) == {"cursor": 7}
    assert state(worker, a_task(db, worker, "import")) == {}


def test_state_is_carried_over_by_the_same_definition_and_restored_by_a_rollback(db: Db):
    deployed(db)
    worker = a_worker(db)
    put(worker, a_task(db, worker), "cursor", 7)

    deploy(db, edited(timeout_seconds=60))  # the data stays the same
    cutover(db, 1, name="sales")
    assert state(worker, a_task(db, worker)) == {"cursor": 7}

    deploy(db, edited(config={"task": "shop.extract_more"}))
    cutover(db, 2, name="sales")
    late = a_task(db, worker)
    assert state(worker, late) == {}
    put(worker, late, "cursor", 1)

    rollback(db, 3, name="sales")
    assert state(worker, a_task(db, worker)) == {"cursor": 7}
    put(worker, late, "cursor", 2, version=1)  # a task that still runs writes the state of its own version
    assert state(worker, a_task(db, worker)) == {"cursor": 7}
    cutover(db, 2, 3, name="sales")
    assert state(worker, a_task(db, worker)) == {"cursor": 2}


def test_a_job_without_a_dataset_has_state_too(db: Db):
    quiet = {**SALES["jobs"][0], "name": "quiet", "outputs": [{"name": "tick"}]}
    deployed(db, {**SALES, "jobs": [*SALES["jobs"], quiet]})
    worker = a_worker(db)
    put(worker, a_task(db, worker, "quiet"), "cursor", 3)

    assert state(worker, a_task(db, worker, "quiet")) == {"cursor": 3}


def test_the_state_of_plain_tasks_belongs_to_their_type(db: Db):
    deployed(db)
    worker = a_worker(db)
    put(worker, a_task(db, worker), "cursor", 7)
    start(db)

    assert state(worker, worker.claim_one()) == {}
