"""Hooks in real workers: once per process that runs tasks, and a failing start is loud."""

import signal

from tests.support.database.attempts import ended, start_tasks, wait_for
from tests.support.database.tasks import Db, task
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until


def test_hooks_run_once_in_every_process_with_tasks_and_several_apps_share_a_worker(db: Db, fleet: Fleet):
    worker = fleet.start("plain", "tests.journeys.apps.hooked:app")
    (child,) = [process.pid for process in worker.children()]
    here = [*start_tasks(db, "hooked.on_loop", *([] for _ in range(5))), *start_tasks(db, "hooked.in_process", [], [])]
    start_tasks(db, "plain.note", ["the other app"])
    start_tasks(db, "hooked.fail_in_process", [])
    wait_until(lambda: (ended(db), ended(db, "failed")) == (8, 1))
    start_tasks(db, "hooked.die_in_process", [])
    wait_until(lambda: ended(db, "failed") == 2)
    pids = {child, *(process.pid for process in worker.pool())}

    worker.tell(signal.SIGTERM)

    assert worker.wait() == 0
    assert all(task(db, task_id)["output"] is True for task_id in here)
    effects = fleet.effects()
    assert "the other app" in effects
    opened = [line.removeprefix("opened in ") for line in effects if line.startswith("opened")]
    assert len(opened) == len(set(opened))
    assert str(child) in opened
    assert len(opened) > 1
    assert {int(line.removeprefix("closed in ")) for line in effects if line.startswith("closed")} == pids
    assert f"hooked.fail_in_process AttemptFailed final=True in {child}" in effects
    assert f"hooked.die_in_process AttemptFailed final=True in {child}" in effects


def test_a_failing_start_up_hook_ends_a_new_worker_and_is_tried_again_by_one_that_ran(db: Db, fleet: Fleet):
    running = fleet.start("hooked")
    fleet.open_gate("broken")
    new = fleet.start("hooked", wait=False)

    assert new.wait() == 1
    problem = "the start-up hook tests.journeys.apps.hooked.open_pool raised OSError: no connection for the pool"
    assert problem in new.log
    assert f"tenuto: {problem}" in new.log

    (child,) = running.children()
    child.kill()
    wait_until(lambda: problem in running.log)
    (fleet.folder / "broken.gate").unlink()
    tasks = start_tasks(db, "hooked.on_loop", [])
    wait_for(db, completed=1)
    assert task(db, tasks[0])["output"] is True
