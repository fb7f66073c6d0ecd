"""Effects are queued in the transaction that ends the task, or not at all."""

import psycopg
import pytest

from tenuto.model.errors import InvalidInput
from tests.support.database.outbox import effects, take
from tests.support.database.tasks import Db, Worker, a_worker, call, start, start_one, status


def deliver(task_id: object, payload: object = 1, kind: str = "deliver") -> dict[str, object]:
    return {"task_id": str(task_id), "kind": kind, "payload": payload}


def test_an_accepted_completion_publishes_its_effects(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    worker.complete(held, effects=[deliver(held.task_id, {"n": 1}), deliver(held.task_id, {"n": 2}, "route_event")])

    assert sorted(effects(db)) == [("deliver", {"n": 1}, "pending"), ("route_event", {"n": 2}, "pending")]


def test_a_refused_completion_publishes_nothing(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    lost = worker.claim_one()
    call(db, "terminate_worker", org_id=worker.org_id, worker_id="w")
    call(db, "expire_attempts")

    assert worker.complete(lost, effects=[deliver(lost.task_id)]) == ["stale_lease"]

    assert effects(db) == []


def test_of_a_mixed_batch_only_the_accepted_tasks_effects_are_published(db: Db) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    done, held = worker.claim(2)
    worker.complete(done)

    answers = worker.complete(done, held, effects=[deliver(done.task_id, "no"), deliver(held.task_id, "yes")])

    assert answers == ["already_accepted", "accepted"]
    assert effects(db) == [("deliver", "yes", "pending")]


def test_a_completion_repeated_publishes_its_effects_once(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    for _ in range(3):
        worker.complete(held, effects=[deliver(held.task_id)])

    assert len(effects(db)) == 1


def test_effects_go_with_the_transaction_that_is_rolled_back(db: Db, database: str) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    with psycopg.connect(database) as caller:
        Worker(caller, worker.session_id, worker.token).complete(held, effects=[deliver(task_id)])
        caller.rollback()

    assert (effects(db), status(db, task_id)) == ([], "running")


def test_effects_are_nobody_elses_before_the_commit(db: Db, database: str) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    with psycopg.connect(database) as caller:
        Worker(caller, worker.session_id, worker.token).complete(held, effects=[deliver(task_id)])
        assert take(db) == []

    assert len(take(db)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "telegram", "payload": 1},
        {"kind": "deliver"},
        {"payload": 1},
        {"kind": "deliver", "payload": None},
        {"kind": "deliver", "paylode": 1},
    ],
)
def test_a_wrong_effect_is_refused_and_the_task_stays_running(db: Db, wrong: dict[str, object]) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    with pytest.raises(InvalidInput):
        worker.complete(held, effects=[{"task_id": str(task_id), **wrong}])

    assert (effects(db), status(db, task_id)) == ([], "running")


@pytest.mark.parametrize("shape", [{"kind": "deliver"}, "deliver", 3, [1]])
def test_effects_of_a_wrong_shape_are_refused_and_the_task_stays_running(db: Db, shape: object) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    with pytest.raises(InvalidInput):
        worker.complete(held, effects=shape)

    assert status(db, task_id) == "running"


def test_a_task_cannot_publish_in_another_tasks_name(db: Db) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    held, other = worker.claim(2)

    worker.complete(held, effects=[deliver(other.task_id)])

    assert effects(db) == []
