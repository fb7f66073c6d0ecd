"""Steps run once across attempts; signals are messages that a task waits for."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound, StaleLease, TooLarge
from tests.support.clock import Clock
from tests.support.database.loops import an_org, fenced, lose_workers, promote, settle
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Worker,
    a_worker,
    call,
    drain,
    start_graph,
    start_one,
    status,
    statuses,
)


def step(worker: Worker, held: Claim, number: int, name: str, value: Any, kind: str = "step") -> Any:
    return call(
        worker.db, "record_step", **fenced(worker, held, step_no=number, name=name, kind=kind, value={"v": value})
    )["v"]


def take(worker: Worker, held: Claim, number: int, name: str = "go") -> tuple[bool, Any]:
    (row,) = call(worker.db, "take_signal", **fenced(worker, held, step_no=number, name=name))
    return row["found"], row["value"]


def send(db: psycopg.Connection, run_id: UUID, value: Any = None, name: str = "go") -> UUID:
    return call(db, "send_signal", org_id=DEFAULT_ORG, run_id=run_id, name=name, value={"v": value})


def again(worker: Worker, held: Claim) -> Claim:
    """The next attempt of the same task."""
    worker.fail(held, retry=0)
    promote(worker.db)
    return worker.claim_one()


def test_a_step_recorded_by_an_earlier_attempt_answers_from_the_record(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    first = worker.claim_one()
    assert step(worker, first, 1, "charge", "first") == "first"

    second = again(worker, first)
    assert step(worker, second, 1, "charge", "second") == "first"
    step(worker, second, 2, "mail", "sent")

    recorded = call(db, "get_steps", org_id=DEFAULT_ORG, task_id=task_id)
    assert [(s["step_no"], s["name"], s["attempt"], s["value"]["v"]) for s in recorded] == [
        (1, "charge", 1, "first"),
        (2, "mail", 2, "sent"),
    ]
    assert call(db, "get_steps", org_id=an_org(db, "other"), task_id=task_id) == []


@pytest.mark.parametrize(("name", "kind"), [("mail", "step"), ("charge", "sleep")])
def test_another_order_on_replay_is_an_error_that_says_so(db: psycopg.Connection, name: str, kind: str) -> None:
    start_one(db)
    worker = a_worker(db)
    first = worker.claim_one()
    step(worker, first, 1, "charge", 1)
    second = again(worker, first)

    with pytest.raises(Conflict, match=f"was step charge and is now {kind} {name}.*same order on every attempt"):
        step(worker, second, 1, name, 2, kind)
    with pytest.raises(Conflict, match="was step charge and is now signal go"):
        take(worker, second, 1)
    with pytest.raises(Conflict, match="was step charge and is now child"):
        worker.start_children(second, 1, step_no=1)


def test_children_started_as_a_step_are_started_once(db: psycopg.Connection) -> None:
    start_one(db)
    worker = a_worker(db)
    first = worker.claim_one()
    children = worker.start_children(first, "a", "b", step_no=1, step_name="fan out")
    drain(db, worker)
    second = again(worker, first)

    assert worker.start_children(second, "a", "b", step_no=1, step_name="fan out") == children
    with pytest.raises(Conflict, match="was child fan out and is now child other"):
        worker.start_children(second, "a", "b", step_no=1, step_name="other")
    assert worker.claim() == []


def test_a_lost_attempt_records_nothing(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    send(db, task_id)
    lose_workers(db, clock)

    with pytest.raises(StaleLease):
        step(worker, held, 1, "charge", 1)
    with pytest.raises(StaleLease):
        take(worker, held, 1)

    assert call(db, "get_steps", org_id=DEFAULT_ORG, task_id=task_id) == []
    assert db.execute("select taken_by from tenuto.signals").fetchall() == [(None,)]


def test_steps_have_a_known_kind_and_a_bound(db: psycopg.Connection) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    for kind in ("nap", "child"):  # a task could name the tasks of others as its children
        with pytest.raises(InvalidInput, match="not a kind of step"):
            step(worker, held, 1, "x", 1, kind=kind)
    with pytest.raises(TooLarge, match="step large"):
        step(worker, held, 1, "large", "".join(str(uuid4()) for _ in range(40_000)))


def test_a_signal_wakes_the_task_that_waits_for_it(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.wait(worker.claim_one(), **{"for": "signal", "name": "go"})

    send(db, task_id, "other", name="stop")
    assert status(db, task_id) == "waiting"
    send(db, task_id, "now")

    held = worker.claim_one()
    assert (held.attempt, take(worker, held, 1)) == (2, (True, {"v": "now"}))


def test_a_signal_sent_before_the_wait_is_found(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    assert take(worker, held, 1) == (False, None)
    send(db, task_id, "early")

    worker.wait(held, **{"for": "signal", "name": "go"})

    assert status(db, task_id) == "queued"
    assert take(worker, worker.claim_one(), 1) == (True, {"v": "early"})


def test_a_signal_is_taken_once_and_replays_the_same(db: psycopg.Connection) -> None:
    task_id = start_one(db, kind={"max_attempts": 9})
    worker = a_worker(db)
    for n in range(3):
        send(db, task_id, n)
    first = worker.claim_one()
    assert take(worker, first, 1) == (True, {"v": 0})
    second = again(worker, first)

    assert [take(worker, second, n) for n in (1, 2, 3, 4)] == [
        (True, {"v": 0}), (True, {"v": 1}), (True, {"v": 2}), (False, None),
    ]  # fmt: skip
    assert take(worker, again(worker, second), 2) == (True, {"v": 1})


def test_a_signal_without_a_value_is_found_too(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=task_id, name="go")

    assert take(worker, held, 1) == (True, None)
    assert take(worker, again(worker, held), 1) == (True, None)


def test_of_two_waiters_one_gets_the_signal_and_the_other_waits_again(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 2)
    worker = a_worker(db)
    for held in worker.claim(2):
        worker.wait(held, **{"for": "signal", "name": "go"})
    send(db, run_id, "one")

    claims = worker.claim(2)
    taken = [take(worker, held, 1) for held in claims]
    assert sorted(found for found, _ in taken) == [False, True]
    loser = claims[[found for found, _ in taken].index(False)]
    worker.wait(loser, **{"for": "signal", "name": "go"})
    assert sorted(statuses(db, tasks)) == ["running", "waiting"]

    send(db, run_id, "two")
    assert take(worker, worker.claim_one(), 1) == (True, {"v": "two"})


def test_signals_stay_in_their_run(db: psycopg.Connection) -> None:
    one, two = start_one(db), start_one(db)
    worker = a_worker(db)
    send(db, two, "for two")
    claims = {claim.run_id: claim for claim in worker.claim(2)}

    assert take(worker, claims[one], 1) == (False, None)
    assert take(worker, claims[two], 1) == (True, {"v": "for two"})


def test_a_signal_to_a_final_run_a_strangers_or_without_a_name_is_refused(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    with pytest.raises(NotFound):
        call(db, "send_signal", org_id=an_org(db, "other"), run_id=run_id, name="go")
    with pytest.raises(NotFound):
        send(db, uuid4())
    for name in ("", "x" * 257):
        with pytest.raises(InvalidInput):
            send(db, run_id, name=name)
    drain(db, a_worker(db))
    settle(db)
    with pytest.raises(Conflict):
        send(db, run_id)
