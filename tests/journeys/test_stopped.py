"""Workers that are stopped and continued: their results come too late and are refused, and they go on."""

import signal

import pytest

from tests.support.database.attempts import by_worker, outcomes, running, start_tasks, wait_for
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import count
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet, WorkerProcess
from tests.support.waiting import wait_until


def send(worker: WorkerProcess, whom: str, number: int) -> None:
    if whom == "everybody":
        worker.tell_all(number)
    else:
        (child,) = worker.children()
        child.send_signal(number)


@pytest.mark.parametrize("whom", ["everybody", "the child"])
def test_a_stopped_workers_result_is_refused_and_it_goes_on_under_a_new_session(db: Db, fleet: Fleet, whom: str):
    stopped = fleet.start("plain", "--lease", "4s")
    held = [*start_tasks(db, "plain.hold", ["door"]), *start_tasks(db, "plain.hold_thread", ["door"])]
    wait_until(lambda: fleet.effects().count("begun door") == 2)
    other = fleet.start("plain", "--lease", "4s")

    send(stopped, whom, signal.SIGSTOP)
    wait_until(lambda: fleet.effects().count("begun door") == 4)
    fleet.open_gate("door")
    wait_for(db, completed=2)
    send(stopped, whom, signal.SIGCONT)
    wait_until(lambda: count(db, "sessions", "worker_id = %s", stopped.name) == 2)
    other.tell(signal.SIGTERM)
    assert other.wait() == 0
    after = start_tasks(db, "plain.note", ["after"])
    wait_for(db, completed=3)

    assert [outcomes(db, task) for task in held] == [["lost", "completed"]] * 2
    assert by_worker(db, held) == {other.name: 2}
    assert by_worker(db, after) == {stopped.name: 1}
    assert_invariants(db)


def test_a_worker_that_gets_its_own_lost_task_again_runs_it_to_the_end(db: Db, fleet: Fleet):
    worker = fleet.start("plain", "--lease", "4s")
    (held,) = start_tasks(db, "plain.hold_thread", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())

    send(worker, "the child", signal.SIGSTOP)
    wait_until(lambda: outcomes(db, held) == ["lost"])
    send(worker, "the child", signal.SIGCONT)
    wait_until(lambda: fleet.effects().count("begun door") == 2)
    fleet.open_gate("door")
    start_tasks(db, "plain.note", ["after"])
    wait_for(db, completed=2)

    assert outcomes(db, held) == ["lost", "completed"]
    assert fleet.effects().count("begun door") == 2
    assert running(db) == 0
