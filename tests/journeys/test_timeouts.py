"""Timeouts: tasks are asked to stop, then they are made to; silence is noticed; the worker goes on."""

import pytest

from tests.support.database.attempts import charged, ended, error_of, outcomes, running, start_tasks, wait_for
from tests.support.database.loops import value
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

KINDS = ("", "_thread", "_process")


def test_a_task_over_its_time_is_asked_to_stop_wherever_it_runs(db: Db, fleet: Fleet):
    worker = fleet.start("times")
    tasks = [start_tasks(db, f"times.polite{kind}", None, timeout_seconds=0.5, max_attempts=1)[0] for kind in KINDS]
    wait_until(lambda: ended(db, "failed") == 3)

    assert sorted(fleet.effects()) == ["polite stopped", "polite_process stopped", "polite_thread stopped"]
    assert [error_of(db, task)["type"] for task in tasks] == ["Timeout"] * 3
    assert "left behind" not in worker.log


def test_a_task_that_will_not_stop_is_given_up_or_killed_and_the_worker_says_so(db: Db, fleet: Fleet):
    worker = fleet.start("times", "--concurrency", "2")
    tasks = [start_tasks(db, f"times.stubborn{kind}", None, timeout_seconds=0.3, max_attempts=1)[0] for kind in KINDS]
    wait_until(lambda: len(worker.pool()) == 1)
    (process,) = worker.pool()
    wait_until(lambda: ended(db, "failed") == 3)
    start_tasks(db, "times.note", ["after"])
    wait_for(db, completed=1)

    assert [error_of(db, task)["type"] for task in tasks] == ["Timeout"] * 3
    assert worker.log.count("is abandoned") == 2
    assert "killing its process" in worker.log
    wait_until(lambda: not process.is_running())


@pytest.mark.parametrize("task", ["hold_gil_on_the_loop", pytest.param("hold_gil", marks=pytest.mark.soak)])
def test_a_task_over_its_time_that_holds_the_whole_process_ends_with_it_and_charges_nobody_else(
    db: Db, fleet: Fleet, task: str
):
    worker = fleet.start("gil", "--lease", "4s")
    (neighbour,) = start_tasks(db, "gil.neighbour", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())
    (stuck,) = start_tasks(db, f"gil.{task}", [3600], timeout_seconds=0.5, max_attempts=1)
    wait_until(lambda: fleet.effects().count("begun door") == 2)
    fleet.open_gate("door")
    wait_for(db, completed=1)

    assert outcomes(db, stuck) == ["failed"]
    assert error_of(db, stuck)["reason"] == "timeout"
    assert charged(db, neighbour) == 0
    assert "blocks its process" in worker.log


def test_a_silent_task_fails_and_one_that_beats_does_not(db: Db, fleet: Fleet):
    fleet.start("times")
    (silent,) = start_tasks(db, "times.silent", None, heartbeat_timeout_seconds=4, max_attempts=1)
    (talking,) = start_tasks(db, "times.talking", [60], heartbeat_timeout_seconds=4, max_attempts=1)
    wait_for(db, completed=1)
    wait_until(lambda: ended(db, "failed") == 1)

    assert outcomes(db, talking) == ["completed"]
    assert error_of(db, silent)["reason"] == "heartbeat_timeout"


def test_the_import_of_the_app_in_a_process_does_not_count_against_the_task(db: Db, fleet: Fleet):
    fleet.start("slow_import")
    (task,) = start_tasks(db, "slow_import.quick", None, timeout_seconds=0.5, max_attempts=1)
    wait_until(lambda: running(db) == 1)
    first = value(db, "select deadline_at from tenuto.running_tasks")
    wait_until(lambda: value(db, "select now() > %s", first))  # as late as it may be, if the import counted
    fleet.open_gate("imported")
    wait_for(db, completed=1)

    assert outcomes(db, task) == ["completed"]
