"""A graph of ten thousand tasks."""

from tests.support.database.attempts import charged, ended, wait_for
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import run
from tests.support.database.tasks import Db, start_graph
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

WIDTH, DEPTH = 200, 50


def test_a_graph_of_ten_thousand_tasks_completes(db: Db, fleet: Fleet):
    edges = [
        (layer * WIDTH + place, (layer + 1) * WIDTH + (place + step) % WIDTH)
        for layer in range(DEPTH - 1)
        for place in range(WIDTH)
        for step in (0, 1)
    ]
    fleet.start("plain", "--concurrency", "100")
    run_id, tasks = start_graph(db, WIDTH * DEPTH, edges, kinds=[{"type": "plain.noop"}])
    wait_for(db, completed=len(tasks), timeout=100)
    wait_until(lambda: run(db, run_id)["status"] == "completed")

    assert ended(db) == len(tasks) == 10_000
    assert charged(db) == 0
    assert_invariants(db)
