"""running -> retrying | failed."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Db,
    Worker,
    a_worker,
    call,
    history,
    run_status,
    start,
    start_one,
    status,
    statuses,
    task,
)


def again(db: Db, worker: Worker, clock: Clock) -> Claim:
    """The task's next attempt, when its backoff has passed."""
    clock.advance(minutes=20)
    worker.beat()
    call(db, "promote_due")
    return worker.claim_one()


def lose(db: Db, clock: Clock) -> None:
    """A worker claims the one task there is and dies."""
    a_worker(db, "dying").claim_one()
    call(db, "fail_worker", org_id=DEFAULT_ORG, worker_id="dying", error="OOM")
    call(db, "expire_attempts")
    clock.advance(minutes=20)
    call(db, "promote_due")


def charged(db: Db, task_id: Any) -> tuple[int, int]:
    row = task(db, task_id)
    return row["failures"], row["losses"]


def test_a_failed_attempt_is_retried_after_a_backoff(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)

    assert worker.fail(worker.claim_one()) == ["accepted"]

    row = task(db, task_id)
    assert (row["status"], charged(db, task_id)) == ("retrying", (1, 0))
    assert 1 <= (row["next_retry_at"] - clock.now).total_seconds() <= 3
    assert worker.claim() == []
    assert again(db, worker, clock).attempt == 2


@pytest.mark.parametrize(
    ("base", "failures", "least", "most"),
    [(2, 3, 4, 12), (30, 1, 15, 45), (30, 2, 30, 90), (30, 9, 300, 900), (0, 5, 0, 0), (100_000, 1, 300, 900)],
)
def test_the_backoff_doubles_up_to_ten_minutes_and_jitters_after_the_cap(
    db: Db, clock: Clock, base: float, failures: int, least: float, most: float
) -> None:
    task_id = start_one(db, kind={"backoff_seconds": base, "max_attempts": 100})
    worker = a_worker(db)
    for _ in range(failures - 1):
        worker.fail(worker.claim_one(), retry=0)
        call(db, "promote_due")

    worker.fail(worker.claim_one())

    wait = (task(db, task_id)["next_retry_at"] - clock.now).total_seconds()
    assert least <= wait <= most


def test_backoffs_differ_so_that_not_all_come_back_at_once(db: Db, clock: Clock) -> None:
    start(db, *range(20))
    worker = a_worker(db)

    worker.fail(*worker.claim(20))

    times = db.execute("select count(distinct available_at) from tenuto.delayed_tasks").fetchone()
    assert times
    assert times[0] > 10


def test_an_attempt_may_ask_when_to_be_retried(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)

    worker.fail(worker.claim_one(), retry=42)

    assert (task(db, task_id)["next_retry_at"] - clock.now).total_seconds() == 42
    assert charged(db, task_id) == (1, 0)


def test_an_attempt_may_ask_not_to_be_retried(db: Db) -> None:
    task_id = start_one(db, kind={"max_attempts": 100})
    worker = a_worker(db)

    worker.fail(worker.claim_one(), final=True)

    assert (status(db, task_id), history(db, task_id)) == ("failed", [(1, "failed")])


@pytest.mark.parametrize("budget", [1, 2, 3])
def test_max_attempts_counts_the_first_attempt(db: Db, clock: Clock, budget: int) -> None:
    task_id = start_one(db, kind={"max_attempts": budget})
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    for _ in range(budget - 1):
        assert status(db, task_id) == "retrying"
        worker.fail(again(db, worker, clock))

    assert status(db, task_id) == "failed"
    assert history(db, task_id) == [*((n, "retrying") for n in range(1, budget)), (budget, "failed")]


def test_losses_draw_on_the_same_budget(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 3})
    lose(db, clock)
    lose(db, clock)
    assert charged(db, task_id) == (0, 2)

    worker = a_worker(db)
    worker.fail(worker.claim_one())

    assert (status(db, task_id), [outcome for _, outcome in history(db, task_id)]) == (
        "failed",
        ["lost", "lost", "failed"],
    )


def test_losses_alone_end_a_poison_task(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    for _ in range(3):
        lose(db, clock)

    assert status(db, task_id) == "failed"
    assert task(db, task_id)["error"]["reason"] == "worker_lost"


def test_max_losses_gives_losses_a_budget_of_their_own(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 2, "max_losses": 4})
    for _ in range(3):
        lose(db, clock)
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    assert (status(db, task_id), charged(db, task_id)) == ("retrying", (1, 3))

    worker.fail(again(db, worker, clock))

    assert status(db, task_id) == "failed"


def test_the_last_loss_of_its_own_budget_ends_a_task_that_never_failed(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 50, "max_losses": 2})

    lose(db, clock)
    assert status(db, task_id) == "queued"
    lose(db, clock)

    assert status(db, task_id) == "failed"


def test_a_failed_run_shows_the_error_of_its_task(db: Db) -> None:
    run_id = start_one(db)
    worker = a_worker(db)

    worker.fail(worker.claim_one(), error="no such table", final=True)

    assert run_status(db, run_id) == "failed"
    row = db.execute(
        "select error, failed_task_id, failed_tasks from tenuto.run_status where id = %s", [run_id]
    ).fetchone()
    assert row == ({"message": "no such table"}, run_id, 1)


def test_every_attempts_error_is_kept(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.fail(worker.claim_one(), error="first")
    worker.fail(again(db, worker, clock), error="second")

    errors = db.execute(
        "select error ->> 'message' from tenuto.task_attempts where task_id = %s order by attempt", [task_id]
    )
    assert errors.fetchall() == [("first",), ("second",)]


def test_a_task_asked_to_stop_that_fails_is_cancelled_not_retried(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)

    assert worker.fail(held) == ["accepted"]

    assert (status(db, task_id), run_status(db, task_id)) == ("cancelled", "cancelled")


def test_the_same_report_again_is_already_accepted_and_charges_once(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    worker.fail(held)

    assert worker.fail(held) == ["already_accepted"]
    assert worker.fail(held, held) == ["already_accepted"] * 2

    assert charged(db, task_id) == (1, 0)


def test_any_other_fence_is_stale(db: Db) -> None:
    task_id = start_one(db)
    worker, other = a_worker(db), a_worker(db, "other")
    held = worker.claim_one()

    assert other.fail(held) == ["stale_lease"]
    assert worker.fail(replace(held, attempt=7), replace(held, task_id=uuid4())) == ["stale_lease"] * 2

    assert status(db, task_id) == "running"


def test_a_mixed_batch_is_answered_in_order_and_each_has_its_own_fate(db: Db) -> None:
    tasks = start(db, 1, 2, 3)
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(3)}
    one, two, three = (claims[task_id] for task_id in tasks)
    worker.complete(two)

    rows = call(
        db,
        "fail_tasks",
        **worker.fence,
        task_ids=[three.task_id, two.task_id, one.task_id],
        attempts=[1, 1, 1],
        errors=[Jsonb("3"), Jsonb("2"), Jsonb("1")],
        retries=[-1.0, None, 5.0],
    )

    assert [row["result"] for row in rows] == ["accepted", "stale_lease", "accepted"]
    assert statuses(db, tasks) == ["retrying", "completed", "failed"]


@pytest.mark.parametrize(
    "values",
    [
        {"retries": [float("nan")]},
        {"retries": [float("inf")]},
        {"retries": [1e12]},
        {"retries": [1.0, 1.0]},
        {"errors": []},
        {"attempts": []},
    ],
    ids=str,
)
def test_a_report_that_cannot_be_is_refused_and_ends_nothing(db: Db, values: dict[str, object]) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    batch = {"task_ids": [held.task_id], "attempts": [1], "errors": [Jsonb("x")]}

    with pytest.raises(InvalidInput, match=r"batch"):
        call(db, "fail_tasks", **worker.fence, **{**batch, **values})

    assert status(db, held.task_id) == "running"


def test_whoever_reports_a_failure_is_told_whether_and_when_the_task_is_tried_again(db: Db) -> None:
    start_one(db, kind={"max_attempts": 2})
    worker = a_worker(db)

    def fail(claim: Claim, **more: Any) -> tuple[Any, Any]:
        said = {**worker.fence, "task_ids": [claim.task_id], "attempts": [claim.attempt], **more}
        (row,) = call(db, "fail_tasks", errors=[Jsonb({"message": "no"})], **said)
        return row["max_attempts"], row["retry_in_seconds"]

    assert fail(worker.claim_one(), retries=[0.0]) == (2, 0)
    call(db, "promote_due")
    assert fail(worker.claim_one()) == (2, None)
