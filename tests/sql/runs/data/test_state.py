"""Operator state: key-value pairs of a job, changed by compare-and-set."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tenuto.model.errors import Conflict, StaleLease, TooLarge
from tests.support.clock import Clock
from tests.support.database.loops import an_org, fenced, lose_workers
from tests.support.database.tasks import DEFAULT_ORG, Claim, Worker, a_worker, call, start, start_one


def put(worker: Worker, held: Claim, value: Any, version: int, key: str = "cursor") -> int:
    return call(
        worker.db,
        "put_state",
        **fenced(worker, held, job_key="load", key=key, version=version, value={"at": value}),
    )


def get(db: psycopg.Connection, key: str | None = None) -> list[tuple[str, Any, int]]:
    rows = call(db, "get_state", org_id=DEFAULT_ORG, job_key="load", key=key)
    return [(row["key"], row["value"]["at"], row["version"]) for row in rows]


def test_a_new_key_is_put_at_version_zero_and_counts_up(db: psycopg.Connection, clock: Clock) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    assert [put(worker, held, n, n) for n in range(3)] == [1, 2, 3]

    assert get(db) == [("cursor", 2, 3)]
    assert call(db, "get_state", org_id=DEFAULT_ORG, job_key="load")[0]["updated_at"] == clock.now


@pytest.mark.parametrize("version", [0, 2, 7, -1])
def test_another_version_is_a_conflict_and_changes_nothing(db: psycopg.Connection, version: int) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    put(worker, held, "first", 0)

    with pytest.raises(Conflict, match="is no longer at version"):
        put(worker, held, "other", version)

    assert get(db) == [("cursor", "first", 1)]


def test_of_two_who_read_the_same_version_one_wins(db: psycopg.Connection) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    one, two = worker.claim(2)
    put(worker, one, "start", 0)

    assert put(worker, two, "two", 1) == 2
    with pytest.raises(Conflict):
        put(worker, one, "one", 1)


def test_state_outlives_its_tasks_and_is_kept_by_key(db: psycopg.Connection) -> None:
    start(db, 1)
    worker = a_worker(db)
    held = worker.claim_one()
    put(worker, held, 1, 0, "b")
    put(worker, held, 2, 0, "a")
    worker.complete(held)
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=held.run_id)

    assert get(db) == [("a", 2, 1), ("b", 1, 1)]
    assert get(db, "b") == [("b", 1, 1)]
    assert get(db, "none") == []


def test_a_lost_attempt_changes_nothing(db: psycopg.Connection, clock: Clock) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    put(worker, held, "kept", 0)
    lose_workers(db, clock)

    with pytest.raises(StaleLease):
        put(worker, held, "late", 1)

    assert get(db) == [("cursor", "kept", 1)]


def test_orgs_do_not_share_state(db: psycopg.Connection) -> None:
    other = an_org(db, "other")
    start_one(db, org_id=other)
    worker = a_worker(db, org_id=other)
    put(worker, worker.claim_one(), "theirs", 0)

    assert get(db) == []


def test_a_value_has_at_most_a_megabyte(db: psycopg.Connection) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()

    with pytest.raises(TooLarge):
        put(worker, held, "".join(str(uuid4()) for _ in range(40_000)), 0)

    assert get(db) == []


def put_own(worker: Worker, held: Claim, value: Any, version: int) -> int:
    return call(worker.db, "put_task_state", **fenced(worker, held, key="n", value={"at": value}, version=version))


def test_a_task_has_the_state_of_its_type_and_of_no_other(db: psycopg.Connection) -> None:
    start(db, 1, 2)
    start_one(db, kind={"type": "app.other"})
    worker = a_worker(db)
    one, two, other = sorted(worker.claim(3), key=lambda held: held.task_id)

    assert put_own(worker, one, "x", 0) == 1
    assert [row["value"] for row in call(db, "get_task_state", **fenced(worker, two))] == [{"at": "x"}]
    assert call(db, "get_task_state", **fenced(worker, two, key="m")) == []
    assert call(db, "get_task_state", **fenced(worker, other)) == []


def test_a_repeated_put_of_the_same_attempt_returns_its_version_and_another_attempts_is_a_conflict(
    db: psycopg.Connection,
) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    one, two = worker.claim(2)

    assert [put_own(worker, one, 6, 0) for _ in range(3)] == [1, 1, 1]  # its answer was lost
    with pytest.raises(Conflict):
        put_own(worker, two, 6, 0)  # the same value, but computed by another
    with pytest.raises(Conflict):
        put_own(worker, one, 7, 0)


def test_a_task_that_was_lost_neither_reads_nor_writes_state(db: psycopg.Connection, clock: Clock) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    lose_workers(db, clock)

    with pytest.raises(StaleLease):
        put_own(worker, held, 1, 0)
    with pytest.raises(StaleLease):
        call(db, "get_task_state", **fenced(worker, held))
