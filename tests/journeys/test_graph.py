"""A graph of many tasks."""

import pytest

from tests.support.database.attempts import charged, ended, wait_for
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import run
from tests.support.database.tasks import Db, start_graph
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

WIDTH = 200


@pytest.mark.parametrize("depth", [8, pytest.param(50, marks=pytest.mark.soak)])
def test_a_graph_of_many_tasks_completes(db: Db, fleet: Fleet, depth: int):
    edges = [
        (layer * WIDTH + place, (layer + 1) * WIDTH + (place + step) % WIDTH)
        for layer in range(depth - 1)
        for place in range(WIDTH)
        for step in (0, 1)
    ]
    fleet.start("plain", "--concurrency", "100")
    run_id, tasks = start_graph(db, WIDTH * depth, edges, kinds=[{"type": "plain.noop"}])
    wait_for(db, completed=len(tasks), timeout=100)
    wait_until(lambda: run(db, run_id)["status"] == "completed")

    assert ended(db) == len(tasks) == WIDTH * depth
    assert charged(db) == 0
    assert_invariants(db)
