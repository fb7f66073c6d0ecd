"""Rows that a loop failed on: parked with growing pauses, taken by one dispatcher when due, forgotten when served."""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.loops import an_org, count
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start, start_one

LOOPS = ["promote_due", "settle_runs"]


def park(db: Db, *keys: str, org: UUID = DEFAULT_ORG, loop: str = "promote_due") -> list[dict[str, Any]]:
    ids = {"org_ids": [org] * len(keys), "run_ids": [None] * len(keys), "task_ids": [None] * len(keys)}
    texts = {"errors": ["boom"] * len(keys), "sqlstates": ["XX000"] * len(keys)}
    return call(db, "park_rows", loop=loop, keys=list(keys), **ids, **texts)


def take(db: Db, limit: int = 100) -> list[str]:
    return [row["key"] for row in call(db, "take_parked", loops=LOOPS, limit=limit)]


def test_the_pause_doubles_up_to_ten_minutes(db: Db, clock: Clock):
    pauses = []
    for _ in range(12):
        (row,) = park(db, "a")
        pauses.append((row["retry_at"] - call(db, "now")).total_seconds())
        clock.advance(minutes=10)

    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]


def test_a_second_dispatcher_that_fails_on_the_same_row_counts_nothing(db: Db, clock: Clock):
    park(db, "a")

    assert park(db, "a") == []


def test_a_parked_row_is_taken_when_its_pause_is_over_by_one_until_its_lease_has_passed(db: Db, clock: Clock):
    park(db, "a")
    assert take(db) == []

    clock.advance(seconds=1)
    assert take(db) == ["a"]
    assert take(db) == []
    clock.advance(minutes=3)
    assert take(db) == ["a"]
    park(db, "a")
    clock.advance(seconds=2)
    assert take(db) == ["a"], "a row that was parked again waits for its pause, not for the lease"


def test_rows_of_unknown_loops_are_left_to_dispatchers_that_know_them(db: Db, clock: Clock):
    park(db, "a", loop="of_the_next_version")
    clock.advance(minutes=1)

    assert take(db) == []


def test_orgs_take_turns(db: Db, clock: Clock):
    park(db, *(f"a{number}" for number in range(50)))
    park(db, "b", org=an_org(db, "other"))
    clock.advance(seconds=1)

    assert "b" in take(db, limit=2)


def test_what_was_served_is_forgotten_and_forgetting_twice_is_fine(db: Db):
    park(db, "a", "b")

    assert call(db, "unpark_rows", loop="promote_due", keys=["a", "gone"]) == 1
    assert call(db, "unpark_rows", loop="promote_due", keys=["a"]) == 0
    assert count(db, "parked_rows") == 1


def test_the_rows_of_a_loop_are_picked_org_by_org_without_what_is_parked(db: Db, clock: Clock):
    tasks = start(db, *range(5), details=Jsonb([{"task": number, "delay_seconds": 1} for number in range(5)]))
    clock.advance(seconds=1)
    other = start_one(db, org_id=an_org(db, "other"), details=Jsonb([{"task": 0, "delay_seconds": 1}]))
    clock.advance(seconds=1)
    park(db, str(tasks[0]))

    rows = call(db, "pick_rows", loop="promote_due", limit=2)

    assert {row["task_id"] for row in rows} < {*tasks[1:], other}
    assert other in {row["task_id"] for row in rows}
    assert len(call(db, "pick_rows", loop="promote_due", limit=100)) == 5


def test_a_loop_without_rows_cannot_be_picked_from(db: Db):
    with pytest.raises(Exception, match="loop dance does not process rows"):
        call(db, "pick_rows", loop="dance", limit=1)


def test_two_dispatchers_take_different_rows(db: Db, database: str):
    park(db, "a", "b")
    db.execute("update tenuto.parked_rows set retry_at = now() - interval '1 minute'")
    with psycopg.connect(database) as other:
        first = take(db, limit=1)
        assert take(other, limit=1) != first
        assert take(db) == []


def test_an_org_sees_its_own_parked_rows(db: Db):
    other = an_org(db, "other")
    park(db, "a")
    park(db, "b", org=other)
    with db.transaction():
        db.execute("set local role tenuto_api")
        db.execute("select set_config('tenuto.org_id', %s, true)", [str(other)])
        assert db.execute("select key from tenuto.parked_rows").fetchall() == [("b",)]


def test_the_text_of_an_error_is_cut(db: Db):
    ids = {"org_ids": [None], "run_ids": [None], "task_ids": [None], "sqlstates": [None]}
    call(db, "park_rows", loop="promote_due", keys=["a"], errors=["x" * 5000], **ids)

    assert db.execute("select length(error) from tenuto.parked_rows").fetchone() == (1024,)
