"""A process that has run many tasks, or uses much memory, is replaced; no attempt is lost or returned."""

from tests.support.database.attempts import ended, outcomes, start_tasks, wait_for
from tests.support.database.loops import count
from tests.support.database.tasks import Db, task
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until


def test_a_process_is_replaced_after_so_many_tasks_and_finishes_what_it_has(db: Db, fleet: Fleet):
    worker = fleet.start("plain", "--max-tasks-per-process", "20")
    (first,) = worker.children()
    (held,) = start_tasks(db, "plain.hold", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())

    start_tasks(db, "plain.noop", *range(100))
    wait_until(lambda: len(worker.children()) > 1)
    wait_for(db, completed=100)
    wait_until(lambda: "another takes its place" in worker.log)
    assert first.is_running()
    fleet.open_gate("door")
    wait_until(lambda: not first.is_running())
    start_tasks(db, "plain.noop", *range(50))
    wait_for(db, completed=151)

    assert outcomes(db, held) == ["completed"]
    assert count(db, "task_attempts", "outcome <> 'completed'") == 0
    assert f"process {worker.name} has run" in worker.log
    assert "(--max-tasks-per-process 20); another takes its place" in worker.log


def test_one_process_finishes_at_a_time_and_is_killed_when_a_shutdown_hook_does_not_end(db: Db, fleet: Fleet):
    fleet.open_gate("stuck")
    worker = fleet.start("hooked", "--max-tasks-per-process", "1", "--grace", "1s")
    (first,) = worker.children()
    start_tasks(db, "hooked.on_loop", [])
    wait_until(lambda: f"closed in {first.pid}" in fleet.effects())

    start_tasks(db, "hooked.on_loop", *[[]] * 5)
    wait_until(lambda: f"another takes its place when process {worker.name} has ended" in worker.log)
    assert len(worker.children()) == 2
    wait_until(lambda: not first.is_running())
    wait_until(lambda: worker.log.count("; another takes its place\n") == 2)

    assert f"process {worker.name} has not ended 8 s after its last task" in worker.log
    wait_for(db, completed=6)
    assert count(db, "task_attempts", "outcome <> 'completed'") == 0


def test_a_limit_that_a_new_process_exceeds_is_refused(fleet: Fleet):
    worker = fleet.start("plain", "--max-memory-per-process", "1MB", wait=False)

    assert worker.wait() == 2
    assert "(--max-memory-per-process 1MB) before its first task; set a higher limit" in worker.log


def test_processes_that_use_much_memory_and_task_processes_are_replaced_too(db: Db, fleet: Fleet):
    limits = ("--max-memory-per-process", "500MB", "--max-tasks-per-process", "1000")
    worker = fleet.start("plain", *limits, "--queues", "default")  # the tasks below are for the other worker
    (first,) = worker.children()

    (grown,) = start_tasks(db, "plain.grow", [600])
    wait_until(lambda: not first.is_running())
    assert task(db, grown)["output"] == first.pid
    assert f"process {worker.name} uses" in worker.log
    assert "(--max-memory-per-process 500MB); another takes its place" in worker.log

    other = fleet.start("plain", "--max-tasks-per-process", "1", "--queues", "apart")
    pids: list[int] = []
    for no in range(2):
        (apart,) = start_tasks(db, "plain.pid_of_process", [no], queue="apart")
        wait_until(lambda apart=apart: outcomes(db, apart) == ["completed"])
        pids.append(task(db, apart)["output"])
    assert pids[0] != pids[1]
    assert f"task process {pids[0]} has run 1 tasks" in other.log
    assert ended(db) == 3
    assert count(db, "task_attempts", "outcome <> 'completed'") == 0
