"""A client keeps a transaction open that started tasks: a worker serves all others meanwhile, and then its tasks."""

import time
from collections.abc import Callable

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.database.attempts import wait_for
from tests.support.database.limits import a_key, a_queue, a_rate
from tests.support.database.tasks import Db, start
from tests.support.processes.workers import Fleet

LIMITS = [a_key("k", 3), a_queue("default", 4), a_rate("r", 1000, 1)]
FEW, LONG = 2, 60.0  # batches; seconds


def start_each(db: Db, batch: int) -> int:
    """A plain task in a lane of the batch, a task under each limit, and one under all of them; how many."""
    start(db, [batch], kind={"type": "plain.noop", "priority": batch})
    for limits in [*([limit] for limit in LIMITS), LIMITS]:
        start(db, [batch], kind={"type": "plain.noop"}, details=Jsonb([{"task": 0, "limits": limits}]))
    return 2 + len(LIMITS)


def serve_while_open(db: Db, database: str, goes_on: Callable[[int], bool]) -> None:
    with psycopg.connect(database) as client:
        mine, theirs, batch = start_each(client, 0), 0, 0
        while goes_on(batch):
            theirs += start_each(db, batch)
            wait_for(db, completed=theirs)
            batch += 1
        client.commit()
    wait_for(db, completed=mine + theirs)


def test_everybody_else_is_served_while_a_clients_transaction_is_open(db: Db, database: str, fleet: Fleet) -> None:
    fleet.start("plain")

    serve_while_open(db, database, lambda batch: batch < FEW)


@pytest.mark.soak
def test_everybody_else_is_served_for_a_minute(db: Db, database: str, fleet: Fleet) -> None:
    fleet.start("plain")
    until = time.monotonic() + LONG

    serve_while_open(db, database, lambda _: time.monotonic() < until)
