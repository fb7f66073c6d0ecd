"""Workers that die: what they held is done by others, and only what was running pays for it."""

import signal
from datetime import timedelta

import pytest

from tests.support.database.attempts import charged, end_lease, outcomes, running, start_tasks, started_at, wait_for
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import count, value
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until


def recover(db: Db, fleet: Fleet, *flags: str) -> timedelta:
    """How long after the end of a killed worker's lease its task runs again, if it was on another host."""
    doomed = fleet.start("plain", *flags)
    (task,) = start_tasks(db, "plain.hold", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())
    survivor = fleet.start("plain", *flags)

    db.execute("update tenuto.sessions set process = jsonb_set(process, '{host}', '\"elsewhere\"')")
    doomed.kill()
    if flags:
        lease_ends = value(db, "select expires_at from tenuto.sessions where worker_id = %s", doomed.name)
    else:
        lease_ends = end_lease(db, doomed.name)
    wait_until(lambda: fleet.effects().count("begun door") == 2)
    fleet.open_gate("door")
    wait_for(db, completed=1)

    assert outcomes(db, task) == ["lost", "completed"]
    assert "worker processes whose lease expired: 1" in survivor.log
    assert "tasks lost with their worker: 1" in survivor.log
    assert_invariants(db)
    return started_at(db, task, 2) - lease_ends


def test_a_killed_workers_task_is_recovered_after_its_lease(db: Db, fleet: Fleet):
    assert recover(db, fleet) >= timedelta(0)  # the machine may be busy: how soon is for the soak


@pytest.mark.parametrize("after", ["beside", "restarted"])
def test_a_worker_killed_on_the_same_host_loses_its_lease_at_once(after: str, db: Db, fleet: Fleet):
    doomed = fleet.start("plain", "--lease", "1h")
    (task,) = start_tasks(db, "plain.hold", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())

    if after == "beside":
        survivor = fleet.start("plain")
        doomed.kill()
    else:
        doomed.kill()
        survivor = fleet.start("plain")
    wait_until(lambda: fleet.effects().count("begun door") == 2)
    fleet.open_gate("door")
    wait_for(db, completed=1)

    assert outcomes(db, task) == ["lost", "completed"]
    assert "worker processes that ended without closing their session: 1" in survivor.log
    assert value(db, "select error from tenuto.workers where id = %s", doomed.name) == "its process ended"
    assert_invariants(db)


@pytest.mark.soak
def test_a_killed_workers_task_is_recovered_within_its_lease_and_a_second(db: Db, fleet: Fleet):
    assert recover(db, fleet, "--lease", "2s") <= timedelta(seconds=1)


def test_a_child_that_is_killed_is_followed_by_another_at_once(db: Db, fleet: Fleet):
    worker = fleet.start("plain")
    (task,) = start_tasks(db, "plain.hold", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())

    (child,) = worker.children()
    child.send_signal(signal.SIGKILL)
    wait_until(lambda: fleet.effects().count("begun door") == 2)
    fleet.open_gate("door")
    wait_for(db, completed=1)

    assert outcomes(db, task) == ["lost", "completed"]
    assert charged(db) == 1
    assert running(db) == 0


def test_of_several_processes_one_dies_alone_and_all_end_together(db: Db, fleet: Fleet):
    worker = fleet.start("plain", "--processes", "2", "--concurrency", "1")
    start_tasks(db, "plain.hold", ["first"], ["second"])
    wait_until(lambda: len(fleet.effects()) == 2)

    worker.children()[0].kill()
    wait_until(lambda: len(fleet.effects()) == 3)
    fleet.open_gate("first")
    fleet.open_gate("second")
    wait_for(db, completed=2)
    worker.tell(signal.SIGTERM)

    assert worker.wait() == 0
    assert charged(db) == 1
    assert count(db, "sessions", "ended_at is null") == 0
