"""-> queued: what every transition that makes a task claimable does with limits."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.tasks import Worker, a_worker, start, statuses

ONE_AT_A_TIME = [{"task": n, "limits": [{"scope": "key", "key": "k", "size": 1}]} for n in range(2)]


@pytest.mark.parametrize("give_back", [Worker.snooze, Worker.fail], ids=lambda verb: verb.__name__)
def test_a_limited_task_that_comes_back_later_hands_its_slot_to_the_next_in_line(
    db: psycopg.Connection, clock: Clock, give_back
) -> None:
    first, second = start(db, 1, 2, details=Jsonb(ONE_AT_A_TIME))
    worker = a_worker(db)
    held = worker.claim_one()
    assert held.task_id == first

    assert give_back(worker, held) == ["accepted"]

    (next_held,) = worker.claim(2)
    assert next_held.task_id == second
    clock.advance(minutes=2)
    db.execute("select tenuto.promote_due()")
    assert worker.claim(2) == []
    worker.complete(next_held)
    worker.complete(worker.claim_one())
    assert statuses(db, [first, second]) == ["completed", "completed"]


def test_a_limited_task_that_waits_gives_its_slot_back(db: psycopg.Connection) -> None:
    _, second = start(db, 1, 2, details=Jsonb(ONE_AT_A_TIME))
    worker = a_worker(db)

    assert worker.wait(worker.claim_one(), **{"for": "signal", "name": "go"}) == "accepted"

    assert worker.claim_one().task_id == second
