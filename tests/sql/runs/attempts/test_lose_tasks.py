"""running -> retrying | failed, because what ran the attempt died while its worker lives."""

from dataclasses import replace
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.limits import a_key, admitted, start_limited, used
from tests.support.database.loops import cancel_task, lose_workers, promote
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Db,
    a_worker,
    call,
    history,
    run_status,
    start,
    start_graph,
    start_one,
    status,
    statuses,
    task,
)


def test_a_lost_attempt_is_charged_as_a_loss_and_tried_again(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)

    assert worker.lose(worker.claim_one(), error="exit code 9") == ["accepted"]

    row = task(db, task_id)
    assert (row["status"], row["failures"], row["losses"]) == ("retrying", 0, 1)
    promote(db)
    worker.complete(worker.claim_one())
    assert history(db, task_id) == [(1, "lost"), (2, "completed")]
    (first, _) = call(db, "list_attempts", org_id=DEFAULT_ORG, task_id=task_id)
    assert first["error"] == {"message": "exit code 9", "reason": "attempt_lost"}


def test_the_first_charge_of_a_task_waits_for_no_backoff_when_it_is_a_loss(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"backoff_seconds": 60, "max_attempts": 10})
    worker = a_worker(db)
    worker.lose(worker.claim_one())
    assert task(db, task_id)["next_retry_at"] == clock.now

    assert promote(db) == 1
    worker.lose(worker.claim_one())

    assert 60 <= (task(db, task_id)["next_retry_at"] - clock.now).total_seconds() <= 180


def test_a_loss_after_a_failure_backs_off(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"backoff_seconds": 60, "max_attempts": 10})
    worker = a_worker(db)
    worker.fail(worker.claim_one(), retry=0)
    promote(db)

    worker.lose(worker.claim_one())

    assert 60 <= (task(db, task_id)["next_retry_at"] - clock.now).total_seconds() <= 180


def test_a_task_of_a_killed_worker_is_due_as_soon_as_its_lease_is_over(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"backoff_seconds": 600})
    a_worker(db, lease="10 seconds").claim_one()

    assert lose_workers(db, clock, seconds=11) == 1

    assert promote(db) == 1
    assert status(db, task_id) == "queued"


@pytest.mark.parametrize("budget", [1, 2, 3])
def test_a_poison_task_ends_as_failed_after_its_budget(db: Db, clock: Clock, budget: int) -> None:
    task_id = start_one(db, kind={"max_attempts": budget})
    worker = a_worker(db, lease="1 day")
    for _ in range(budget):
        worker.lose(worker.claim_one())
        promote(db, clock)

    assert history(db, task_id) == [*((n, "lost") for n in range(1, budget)), (budget, "failed")]
    row = task(db, task_id)
    assert (row["failures"], row["losses"], row["error"]["reason"]) == (0, budget, "attempt_lost")
    assert run_status(db, task_id) == "failed"
    assert worker.claim() == []


def test_losses_can_have_a_budget_of_their_own(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 1, "max_losses": 2})
    worker = a_worker(db, lease="1 day")
    worker.lose(worker.claim_one())
    promote(db, clock)
    assert status(db, task_id) == "queued"

    worker.lose(worker.claim_one())

    assert status(db, task_id) == "failed"


def test_the_loss_that_spends_the_budget_ends_the_dependents(db: Db) -> None:
    _, tasks = start_graph(db, 3, [(0, 1), (0, 2, "continue")], kinds=[{"type": "app.work", "max_attempts": 1}])
    worker = a_worker(db)

    worker.lose(worker.claim_one())

    assert statuses(db, tasks) == ["failed", "cancelled", "queued"]


def test_a_lost_attempt_hands_its_limit_slot_on(db: Db) -> None:
    start_limited(db, 2, a_key("k", 1))
    worker = a_worker(db)

    worker.lose(worker.claim_one())

    assert (admitted(db, "k"), used(db, "k")) == (1, 1)


def test_a_task_asked_to_stop_that_is_lost_is_cancelled(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_task(db, task_id)

    assert worker.lose(held) == ["accepted"]

    assert history(db, task_id) == [(1, "cancelled")]


def test_a_loss_sent_twice_is_accepted_once(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    assert [worker.lose(held), worker.lose(held)] == [["accepted"], ["already_accepted"]]

    assert worker.lose(replace(held, attempt=2)) == ["stale_lease"]
    assert history(db, task_id) == [(1, "lost")]


def test_a_loss_twice_in_one_batch_counts_once(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    assert worker.lose(held, held) == ["accepted", "accepted"]

    assert (history(db, task_id), task(db, task_id)["losses"]) == ([(1, "lost")], 1)


def test_a_late_loss_is_stale_after_the_reaper(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    lose_workers(db, clock)

    assert worker.lose(held) == ["stale_lease"]

    assert (history(db, task_id), task(db, task_id)["losses"]) == ([(1, "lost")], 1)


def test_only_the_holder_may_lose_a_task(db: Db) -> None:
    mine, done = start(db, 1, 2)
    worker, other = a_worker(db, "mine"), a_worker(db, "other")
    claims = {claim.task_id: claim for claim in worker.claim(2)}
    worker.complete(claims[done])

    assert other.lose(claims[mine]) == ["stale_lease"]
    worker.fence["token"] = uuid4()
    assert worker.lose(claims[mine], claims[done]) == ["stale_lease", "stale_lease"]

    assert statuses(db, [mine, done]) == ["running", "completed"]


@pytest.mark.parametrize("error", [None, "text", 7, ["list"], {"exit_code": 1}])
def test_an_error_of_any_shape_is_kept(db: Db, error: object) -> None:
    task_id = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db)
    held = worker.claim_one()

    call(db, "lose_tasks", **worker.fence, task_ids=[held.task_id], attempts=[1], errors=[Jsonb(error)])

    kept = error if isinstance(error, dict) else {} if error is None else {"message": error}
    assert task(db, task_id)["error"] == {**kept, "reason": "attempt_lost"}


def test_a_batch_that_does_not_fit_is_refused(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    with pytest.raises(InvalidInput, match="each task needs one of each"):
        call(db, "lose_tasks", **worker.fence, task_ids=[held.task_id], attempts=[1], errors=[])
