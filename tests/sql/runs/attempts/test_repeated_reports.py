"""What a report of an attempt that has ended gets, for every pair of earlier end and report."""

from collections.abc import Callable

import pytest

from tests.support.clock import Clock
from tests.support.database.loops import cancel_task, lose_workers, promote
from tests.support.database.tasks import Claim, Db, Worker, a_worker, a_worker_with, call, history, start_one, task

Report = Callable[[Worker, Claim], list[str]]

REPORTS: dict[str, Report] = {
    "completed": lambda worker, held: worker.complete(held, outputs=["late"]),
    "failed": lambda worker, held: worker.fail(held),
    "failed for good": lambda worker, held: worker.fail(held, final=True),
    "lost": lambda worker, held: worker.lose(held),
    "snoozed": lambda worker, held: worker.snooze(held, seconds=0),
    "interrupted": lambda worker, held: worker.interrupt(held),
    "waiting": lambda worker, held: [worker.wait(held, **{"for": "time", "seconds": 0})],
    "blocked": lambda worker, held: worker.block(held),
}
STOPPED = frozenset(REPORTS) - {"completed"}
FAILED = frozenset(("failed", "failed for good"))
# The reports that may be repetitions of each end, because they would have got the stored outcome.
SAME: dict[str, frozenset[str]] = {end: frozenset((end,)) for end in REPORTS} | {
    "failed": FAILED,
    "failed for good": FAILED | {"lost"},
}


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("end", REPORTS)
def test_a_report_is_already_accepted_only_after_the_same_end(end: str, report: str, db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    assert REPORTS[end](worker, held) == ["accepted"]
    before = history(db, held.task_id), task(db, held.task_id)

    assert REPORTS[report](worker, held) == ["already_accepted" if report in SAME[end] else "stale_lease"]
    assert (history(db, held.task_id), task(db, held.task_id)) == before


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("end", sorted(STOPPED - {"failed for good"}))
def test_the_same_holds_while_the_next_attempt_runs(end: str, report: str, db: Db, clock: Clock) -> None:
    start_one(db, kind={"max_attempts": 9})
    worker, other = a_worker(db), a_worker_with(db, "other code")
    first = worker.claim_one()
    assert REPORTS[end](worker, first) == ["accepted"]
    clock.advance(seconds=50)
    promote(db)
    call(db, "wake_waiting")
    second = other.claim_one()

    assert REPORTS[report](worker, first) == ["already_accepted" if report in SAME[end] else "stale_lease"]
    assert other.complete(second, outputs=["new"]) == ["accepted"]
    assert task(db, first.task_id)["output"] == "new"


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("end", sorted(STOPPED))
def test_whatever_ends_an_attempt_that_was_asked_to_stop_cancels_it(end: str, report: str, db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_task(db, task_id)
    assert REPORTS[end](worker, held) == ["accepted"]
    assert history(db, task_id) == [(1, "cancelled")]

    assert REPORTS[report](worker, held) == ["already_accepted" if report in STOPPED else "stale_lease"]


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("attempts", [1, 3])
def test_an_end_that_the_database_recorded_was_not_reported(report: str, attempts: int, db: Db, clock: Clock) -> None:
    start_one(db, kind={"max_attempts": attempts})
    worker = a_worker(db)
    held = worker.claim_one()
    assert lose_workers(db, clock) == 1

    assert REPORTS[report](worker, held) == ["stale_lease"]


@pytest.mark.parametrize("report", REPORTS)
def test_an_attempt_that_a_heartbeat_gave_back_was_not_reported(report: str, db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    worker.beat(settled=worker.claim_no)  # without the attempt

    assert REPORTS[report](worker, held) == ["stale_lease"]


def test_a_second_snooze_of_an_older_attempt_is_not_taken_for_its_first(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    first = worker.claim_one()
    worker.snooze(first, seconds=0)
    promote(db)
    second = worker.claim_one()
    worker.snooze(second, seconds=0)

    assert worker.complete(first) == worker.complete(second) == ["stale_lease"]
    assert worker.snooze(first) == worker.snooze(second) == ["already_accepted"]


def test_reports_of_one_batch_are_judged_one_by_one(db: Db) -> None:
    for _ in range(3):
        start_one(db)
    worker = a_worker(db)
    completed, failed, held = worker.claim(3)
    worker.complete(completed)
    worker.fail(failed)

    assert worker.complete(completed, failed, held) == ["already_accepted", "stale_lease", "accepted"]
