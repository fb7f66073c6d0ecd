"""A failed step is recorded once: for good, or until it is tried again."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, InvalidInput, NotFound, StaleLease, TooLarge
from tests.support.clock import Clock
from tests.support.database.loops import an_org, fenced, lose_workers, promote
from tests.support.database.tasks import DEFAULT_ORG, Claim, Worker, a_worker, call, start_one

ERROR = {"type": "BankDown", "module": "bank", "message": "no"}


def fail(worker: Worker, held: Claim, number: int = 1, **more: Any) -> None:
    call(
        worker.db,
        "fail_step",
        **fenced(worker, held, **{"step_no": number, "name": "charge", "error": ERROR, "tries": 1, **more}),
    )


def record(worker: Worker, held: Claim, value: Any, number: int = 1) -> Any:
    return call(
        worker.db,
        "record_step",
        **fenced(worker, held, step_no=number, name="charge", kind="step", value={"v": value}),
    )


def steps_of(db: psycopg.Connection, held: Claim) -> list[tuple[Any, ...]]:
    steps = call(db, "get_steps", org_id=DEFAULT_ORG, task_id=held.task_id)
    return [(s["step_no"], s["value"], s["error"], s["tries"], s["retry_at"]) for s in steps]


@pytest.fixture
def worker(db: psycopg.Connection) -> Worker:
    start_one(db, kind={"max_attempts": 9})
    return a_worker(db)


@pytest.fixture
def held(worker: Worker) -> Claim:
    return worker.claim_one()


def test_a_failure_for_good_is_recorded_once(db: psycopg.Connection, worker: Worker, held: Claim) -> None:
    fail(worker, held)
    fail(worker, held)
    fail(worker, held, error={"type": "Other", "message": "later"}, tries=2)

    assert steps_of(db, held) == [(1, None, ERROR, 1, None)]
    assert record(worker, held, "late") is None
    assert steps_of(db, held) == [(1, None, ERROR, 1, None)]


def test_a_failure_after_the_result_changes_nothing(db: psycopg.Connection, worker: Worker, held: Claim) -> None:
    record(worker, held, "charged")
    fail(worker, held)
    fail(worker, held, tries=5, retry_seconds=60.0)

    assert steps_of(db, held) == [(1, {"v": "charged"}, None, 1, None)]


def test_tries_are_counted_until_the_step_completes(
    db: psycopg.Connection, worker: Worker, held: Claim, clock: Clock
) -> None:
    fail(worker, held, tries=1, retry_seconds=60.0)
    (first,) = steps_of(db, held)
    clock.advance(seconds=90)
    fail(worker, held, tries=2, retry_seconds=60.0, error={"message": "second"})
    (second,) = steps_of(db, held)

    assert (first[2:4], second[2:4]) == ((ERROR, 1), ({"message": "second"}, 2))
    assert second[4] - first[4] == timedelta(seconds=90)
    assert record(worker, held, "charged") == {"v": "charged"}
    assert steps_of(db, held) == [(1, {"v": "charged"}, None, 3, None)]


def test_a_repeated_or_late_try_leaves_the_later_one(db: psycopg.Connection, worker: Worker, held: Claim) -> None:
    fail(worker, held, tries=2, retry_seconds=60.0)
    before = steps_of(db, held)
    fail(worker, held, tries=2, retry_seconds=5.0, error={"message": "again"})
    fail(worker, held, tries=1, error={"message": "late"})

    assert steps_of(db, held) == before


def test_the_last_try_ends_the_step_for_good(db: psycopg.Connection, worker: Worker, held: Claim) -> None:
    fail(worker, held, tries=1, retry_seconds=60.0)
    fail(worker, held, tries=2)

    assert steps_of(db, held) == [(1, None, ERROR, 2, None)]


def test_another_step_under_the_number_is_an_error(db: psycopg.Connection, worker: Worker, held: Claim) -> None:
    fail(worker, held, tries=1, retry_seconds=60.0)
    call(db, "record_step", **fenced(worker, held, step_no=2, name="sleep", kind="sleep", value={"seconds": 1}))
    before = steps_of(db, held)

    with pytest.raises(Conflict, match="was step charge and is now step mail"):
        fail(worker, held, name="mail", tries=2)
    with pytest.raises(Conflict, match="was sleep sleep and is now step charge"):
        fail(worker, held, 2)
    with pytest.raises(Conflict, match="was step charge and is now sleep sleep"):
        call(db, "record_step", **fenced(worker, held, step_no=1, name="sleep", kind="sleep", value={"seconds": 1}))
    assert steps_of(db, held) == before


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        ({"error": Jsonb(["x"])}, InvalidInput, "not a JSON object"),
        ({"error": Jsonb(None)}, InvalidInput, "not a JSON object"),
        ({"error": {"message": "ab" * 600_000}}, TooLarge, "the error of step charge"),
        ({"tries": 0}, InvalidInput, "tries of step charge is '0'"),
        ({"retry_seconds": -1.0}, InvalidInput, "cannot be tried again after -1"),
        ({"retry_seconds": float("nan")}, InvalidInput, "cannot be tried again after NaN"),
        ({"retry_seconds": float("inf")}, InvalidInput, "cannot be tried again after Infinity"),
        ({"name": ""}, InvalidInput, "name of a step"),
        ({"kind": "sleep"}, InvalidInput, "the failure of step charge of kind 'sleep' cannot be recorded"),
        (
            {"kind": "child", "retry_seconds": 1.0},
            InvalidInput,
            "the failure of step charge of kind 'child' cannot be recorded",
        ),
    ],
    ids=["list", "none", "large", "no try", "negative", "nan", "infinity", "no name", "sleep", "child again"],
)
def test_a_wrong_failure_is_rejected_with_its_value(
    db: psycopg.Connection, worker: Worker, held: Claim, wrong: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        fail(worker, held, **wrong)
    assert steps_of(db, held) == []


def test_the_handled_failure_of_children_is_recorded_once_in_their_step(
    db: psycopg.Connection, worker: Worker, held: Claim
) -> None:
    (child,) = worker.start_children(held, 7, step_no=1, step_name="charge")
    fail(worker, held, kind="child")
    fail(worker, held, kind="child", error={"message": "later"})

    assert steps_of(db, held) == [(1, [str(child)], ERROR, 1, None)]
    assert worker.start_children(held, 7, step_no=1, step_name="charge") == [child]


def test_only_a_step_that_started_children_fails_with_them(db: psycopg.Connection, worker: Worker, held: Claim) -> None:
    with pytest.raises(NotFound, match="has no step 1"):
        fail(worker, held, kind="child")
    record(worker, held, "charged")
    worker.start_children(held, 7, step_no=2, step_name="pack")
    before = steps_of(db, held)

    with pytest.raises(Conflict, match="was step charge and is now child charge"):
        fail(worker, held, kind="child")
    with pytest.raises(Conflict, match="was child pack and is now child charge"):
        fail(worker, held, 2, kind="child")
    with pytest.raises(Conflict, match="was child pack and is now step pack"):
        fail(worker, held, 2, name="pack")
    assert steps_of(db, held) == before


def test_only_the_running_attempt_records_failures(
    db: psycopg.Connection, worker: Worker, held: Claim, clock: Clock
) -> None:
    worker.fail(held, retry=0)
    with pytest.raises(StaleLease):
        fail(worker, held)
    promote(db)
    again = worker.claim_one()
    with pytest.raises(StaleLease):
        fail(worker, held)
    lose_workers(db, clock)
    with pytest.raises(StaleLease):
        fail(worker, again)
    with pytest.raises((StaleLease, NotFound)):
        fail(a_worker(db, "other", org_id=an_org(db, "other")), again)
    assert steps_of(db, held) == []
