"""Leases of workers whose interpreter is busy."""

import pytest

from tests.support.database.attempts import charged, outcomes, start_tasks, wait_for
from tests.support.database.loops import count
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until


@pytest.mark.parametrize("task", ["hold_gil", "hold_gil_on_the_loop"])
def test_a_task_that_holds_the_interpreter_for_twice_the_lease_loses_nothing(db: Db, fleet: Fleet, task: str):
    fleet.start("gil", "--lease", "4s")
    (neighbour,) = start_tasks(db, "gil.neighbour", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())
    (busy,) = start_tasks(db, f"gil.{task}", [8])
    wait_for(db, completed=1)
    fleet.open_gate("door")
    wait_for(db, completed=2)

    assert outcomes(db, busy) == outcomes(db, neighbour) == ["completed"]
    assert charged(db) == 0
    assert count(db, "sessions") == 1
