"""What a worker costs when there is nothing to do."""

import time

from tenuto.dispatcher.loop import UPKEEP_AFTER_SECONDS
from tests.support.database.loops import count
from tests.support.database.tasks import Db
from tests.support.faults.postgres_proxy import a_proxy
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

START = UPKEEP_AFTER_SECONDS * 1.2 + 2  # seconds in which everything runs once
WINDOW = 12.0  # seconds: everything that comes by itself, comes at least every ten, but what is very rare
QUERIES = 2.0  # a second and process
MEMORY = 80 * 1024 * 1024


def test_an_idle_worker_asks_little_and_is_small(db: Db, database: str, fleet: Fleet):
    with a_proxy(database) as line:
        worker = fleet.start("plain", url=line.url, from_start=True)
        wait_until(lambda: count(db, "dispatchers") == 1)
        ready = time.monotonic()
        wait_until(lambda: time.monotonic() - ready >= START)
        before, started = line.questions, time.monotonic()
        wait_until(lambda: time.monotonic() - started >= WINDOW)
        asked = line.questions - before

    processes = worker.everybody()
    assert len(processes) == 2
    assert 0 < asked <= QUERIES * WINDOW * len(processes)
    assert max(process.memory_info().rss for process in processes) <= MEMORY
