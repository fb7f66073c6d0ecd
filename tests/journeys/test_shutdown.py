"""Stopping workers: nothing is lost, nothing is charged, and it does not take for ever."""

import os
import signal
from uuid import UUID

import pytest

from tests.support.database.attempts import charged, ended, outcomes, running, start_tasks, wait_for
from tests.support.database.invariants import assert_invariants
from tests.support.database.tasks import DEFAULT_ORG, Db, call, status, statuses
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until


def test_a_rolling_restart_under_load_loses_and_charges_nothing(db: Db, fleet: Fleet):
    old = [fleet.start("plain", "--grace", "5s") for _ in range(2)]
    start_tasks(db, "plain.nap", *([0.02] for _ in range(1500)))
    for no, worker in enumerate(old, 1):
        wait_until(lambda goal=no * 100: ended(db) >= goal)
        fleet.start("plain", wait=False)
        worker.tell(signal.SIGTERM)
        assert worker.wait() == 0
    wait_for(db, completed=1500)

    assert charged(db) == 0
    assert running(db) == 0
    assert_invariants(db)


def hold_one_of_each(db: Db, fleet: Fleet) -> list[UUID]:
    """A task on the loop, one in a thread and one in a process, all of them waiting at the door."""
    tasks = [start_tasks(db, f"plain.{kind}", ["door"])[0] for kind in ("hold", "hold_thread", "hold_process")]
    wait_until(lambda: len(fleet.effects()) == len(tasks))
    return tasks


def test_what_does_not_finish_within_the_grace_is_given_back_at_no_charge(db: Db, fleet: Fleet):
    worker = fleet.start("plain", "--grace", "0.2s")
    held = hold_one_of_each(db, fleet)

    worker.tell(signal.SIGTERM)

    assert worker.wait() == 0
    assert [outcomes(db, task) for task in held] == [["interrupted"]] * 3
    assert statuses(db, held) == ["queued"] * 3


def test_what_finishes_within_the_grace_is_completed(db: Db, fleet: Fleet):
    worker = fleet.start("plain")
    held = hold_one_of_each(db, fleet)

    worker.tell_all(signal.SIGTERM)  # as an init system does that signals the whole group
    wait_until(lambda: "stopping" in worker.log)
    (late,) = start_tasks(db, "plain.note", ["late"])
    fleet.open_gate("door")

    assert worker.wait() == 0
    assert [outcomes(db, task) for task in held] == [["completed"]] * 3
    assert status(db, late) == "queued"


def test_a_second_sigterm_ends_at_once_and_charges_nothing(db: Db, fleet: Fleet):
    worker = fleet.start("plain", "--grace", "1h")
    held = hold_one_of_each(db, fleet)

    worker.tell(signal.SIGTERM)
    wait_until(lambda: "stopping" in worker.log)
    worker.tell(signal.SIGTERM)

    assert worker.wait() == 0
    assert statuses(db, held) == ["queued"] * 3
    assert charged(db) == 0


def test_a_stopping_worker_keeps_its_grace_when_its_parent_ends(db: Db, fleet: Fleet):
    heard, held_by_parent = os.pipe()
    fleet.variables["TENUTO_PARENT_PIPE"] = str(heard)
    worker = fleet.start("plain", "--grace", "1h", from_start=True, inherited=[heard])
    os.close(heard)
    (held,) = start_tasks(db, "plain.hold", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())

    worker.tell(signal.SIGTERM)
    wait_until(lambda: "stopping" in worker.log)
    os.close(held_by_parent)
    fleet.open_gate("door")

    assert worker.wait() == 0
    assert outcomes(db, held) == ["completed"]
    assert "at once:" not in worker.log


@pytest.mark.parametrize("how", ["SIGHUP", "drain_worker"])
def test_a_drained_worker_finishes_what_it_holds_and_claims_no_more(db: Db, fleet: Fleet, how: str):
    worker = fleet.start("plain", "--lease", "6s", "--grace", "0s")
    (held,) = start_tasks(db, "plain.hold", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())

    if how == "SIGHUP":
        worker.tell(signal.SIGHUP)
        worker.tell(signal.SIGHUP)  # once more changes nothing
    else:
        call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id=worker.name)
    wait_until(lambda: "drain" in worker.log)
    (late,) = start_tasks(db, "plain.note", ["late"])
    fleet.open_gate("door")

    assert worker.wait() == 0
    assert outcomes(db, held) == ["completed"]
    assert status(db, late) == "queued"


def test_a_draining_worker_still_obeys_sigterm_and_its_grace(db: Db, fleet: Fleet):
    worker = fleet.start("plain", "--grace", "1h")
    (held,) = start_tasks(db, "plain.hold", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())

    worker.tell(signal.SIGHUP)
    wait_until(lambda: "draining" in worker.log)
    worker.tell(signal.SIGTERM)
    wait_until(lambda: "stopping" in worker.log)
    fleet.open_gate("door")

    assert worker.wait() == 0
    assert outcomes(db, held) == ["completed"]


def test_a_task_that_holds_the_interpreter_cannot_keep_its_worker_from_ending(db: Db, fleet: Fleet):
    worker = fleet.start("gil", "--grace", "0.2s")
    (stuck,) = start_tasks(db, "gil.hold_gil", [3600])
    wait_until(lambda: "begun" in fleet.effects())

    worker.tell(signal.SIGTERM)

    assert worker.wait() == 0
    assert status(db, stuck) == "queued"
    assert charged(db) == 0


def test_a_worker_whose_resource_group_is_deleted_ends_and_says_so(db: Db, fleet: Fleet):
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="team-a")
    worker = fleet.start("plain", "--resource-group", "team-a")

    call(db, "delete_group", org_id=DEFAULT_ORG, external_id="team-a")

    assert worker.wait() == 2
    assert "no resource group 'team-a' in org" in worker.log
    assert "this worker claims from no other group, and ends" in worker.log
