"""A row that the database rejects stops its own task, and no others of the same worker."""

import pytest

from tests.support.database.attempts import ended, error_of, running, start_tasks, wait_for
from tests.support.database.loops import count
from tests.support.database.tasks import Db
from tests.support.faults.failing_rows import poison
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until


@pytest.mark.parametrize("how", ["complete", "fail", "wait"])
def test_a_report_that_is_rejected_does_not_keep_back_the_others_of_its_batch(db: Db, fleet: Fleet, how: str):
    worker = fleet.start("poison")
    tasks = start_tasks(db, "poison.end_at_gate", *([how] for _ in range(5)))
    wait_until(lambda: len(fleet.effects()) == 5)
    if how == "wait":
        poison(db, "waiting_tasks", tasks[2], on="insert", column="id")
    else:
        poison(db, "task_attempts", tasks[2], on="insert", column="task_id")

    fleet.open_gate("door")

    match how:
        case "complete":
            wait_for(db, completed=4)
        case "fail":
            wait_until(lambda: ended(db, "failed") == 4)
        case _:
            wait_until(lambda: count(db, "waiting_tasks") == 4 and ended(db, "failed") == 1)
            assert error_of(db, tasks[2])["message"] == "poisoned row"
    if how != "wait":
        wait_until(lambda: f"the database rejects the outcome of task {tasks[2]} (poisoned row)" in worker.log)
        assert running(db) == 1
    assert "not available" not in worker.log
    start_tasks(db, "poison.note", ["after"])
    wait_until(lambda: "after" in fleet.effects())


def test_a_task_that_cannot_be_claimed_does_not_keep_back_those_behind_it(db: Db, fleet: Fleet):
    tasks = start_tasks(db, "poison.note", *([f"note {no}"] for no in range(5)))
    poison(db, "running_tasks", tasks[0], on="insert", column="id")

    worker = fleet.start("poison")

    wait_for(db, completed=4)
    wait_until(lambda: f"task {tasks[0]} cannot be claimed (poisoned row)" in worker.log)
    wait_until(lambda: count(db, "delayed_tasks", "id = %s", tasks[0]) == 1)
    assert "not available" not in worker.log
