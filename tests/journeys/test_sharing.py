"""Work is shared: nobody sits on what another could do."""

from datetime import timedelta

import pytest

from tests.support.database.attempts import by_worker, ended, start_tasks, wait_for
from tests.support.database.loops import count, value
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

MAKESPAN = "select max(ended_at) - min(queued_at) from tenuto.task_attempts where task_id = any(%s)"


def test_two_workers_share_what_takes_a_while(db: Db, fleet: Fleet):
    workers = [fleet.start("plain") for _ in range(2)]
    tasks = start_tasks(db, "plain.hold", *(["door"] for _ in range(20)))
    wait_until(lambda: fleet.effects().count("begun door") == 20)  # neither of them could hold all
    fleet.open_gate("door")
    wait_for(db, completed=20)

    assert by_worker(db, tasks) == {worker.name: 10 for worker in workers}


def test_what_was_claimed_ahead_is_given_to_others_when_it_cannot_start(db: Db, fleet: Fleet):
    busy = fleet.start("plain", "--concurrency", "1")
    start_tasks(db, "plain.noop", *([no] for no in range(300)))  # from these it learns that tasks are short
    wait_for(db, completed=300)
    (long,) = start_tasks(db, "plain.hold", ["door"], priority=1)
    wait_until(lambda: count(db, "running_tasks", "id = %s", long) == 1)
    short = start_tasks(db, "plain.note", *([f"note {no}"] for no in range(50)))
    idle = fleet.start("plain")
    wait_for(db, completed=350)

    assert by_worker(db, short) == {idle.name: 50}
    fleet.open_gate("door")
    wait_for(db, completed=351)
    assert by_worker(db, [long]) == {busy.name: 1}
    assert ended(db) == 351


@pytest.mark.soak
def test_a_hundred_long_tasks_on_twenty_slots_take_little_more_than_the_ideal_time(db: Db, fleet: Fleet):
    for _ in range(2):
        fleet.start("plain")
    tasks = start_tasks(db, "plain.nap", *([2] for _ in range(100)))
    wait_for(db, completed=100)

    ideal = timedelta(seconds=100 * 2 / 20)
    assert value(db, MAKESPAN, tasks) <= 1.15 * ideal
