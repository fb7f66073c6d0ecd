"""A worker dies with every slot of a limit: they are free with its lease, and never are there more than the limit."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.types.json import Jsonb

from tests.support.database.attempts import end_lease, wait_for
from tests.support.database.limits import a_key
from tests.support.database.loops import count, value
from tests.support.database.tasks import Db, start
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

SIZE = 3
SAMPLE = """
select greatest((select count(*) from tenuto.limit_slots),
                (select count(*) from tenuto.running_tasks) + (select count(*) from tenuto.ready_tasks))
"""


@contextmanager
def sampling(database: str) -> Iterator[list[int]]:
    """How many hold or run under the limit, looked at all the time until the block ends."""
    samples: list[int] = []
    over = threading.Event()

    def sample() -> None:
        with psycopg.connect(database, autocommit=True) as conn:
            while not over.wait(0.01):
                samples.append(value(conn, SAMPLE))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        over.set()
        thread.join()


def test_the_slots_of_a_dead_worker_are_free_with_its_lease_and_never_too_many(db: Db, database: str, fleet: Fleet):
    with sampling(database) as samples:
        doomed = fleet.start("plain")
        details = [{"task": no, "limits": [a_key("k", SIZE)]} for no in range(12)]
        start(db, *([f"door {no}"] for no in range(12)), kind={"type": "plain.hold"}, details=Jsonb(details))
        wait_until(lambda: len(fleet.effects()) == SIZE)
        fleet.start("plain")

        doomed.kill()
        lease_ends = end_lease(db, doomed.name)
        wait_until(lambda: len(fleet.effects()) == 2 * SIZE)
        again = value(db, "select max(started_at) from tenuto.running_tasks")
        for no in range(12):
            fleet.open_gate(f"door {no}")
        wait_for(db, completed=12)

    assert again >= lease_ends  # how soon on an idle machine is for test_crash's soak
    assert max(samples) == SIZE
    assert count(db, "limit_slots") == 0
