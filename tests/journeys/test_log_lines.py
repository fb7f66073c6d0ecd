"""The log of a worker: as JSON, with a line for all that happens to tasks and processes."""

import json
import signal
from typing import Any

from tests.support.database.attempts import outcomes, start_tasks
from tests.support.database.loops import value
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet, WorkerProcess
from tests.support.waiting import wait_until


def lines(worker: WorkerProcess) -> list[dict[str, Any]]:
    return [json.loads(line) for line in worker.log.splitlines() if line.startswith("{")]


def messages(worker: WorkerProcess, words: str) -> list[dict[str, Any]]:
    return [line for line in lines(worker) if words in line["message"]]


def carried(db: Db, words: str) -> int:
    """How many lines with these words heartbeats have carried, of workers with figures of their machine."""
    return value(
        db,
        "select count(*) from tenuto.worker_logs l join tenuto.workers w on w.org_id = l.org_id and w.id = l.worker_id"
        " where w.metadata ? 'memory_used_mb' and l.message like %s",
        f"%{words}%",
    )


def test_the_first_heartbeat_carries_figures_of_the_machine(db: Db, fleet: Fleet):
    fleet.start("plain", "--lease", "600s")  # the second heartbeat would come after 200 s

    wait_until(lambda: bool(value(db, "select metadata ?& '{cpu_percent,disk_used_mb}' from tenuto.workers")))


def test_a_worker_logs_what_blocks_dies_is_lost_or_returned(db: Db, fleet: Fleet):
    worker = fleet.start("plain", "--log-format", "json", "--log-level", "info", "--grace", "0.2s", "--lease", "8s")
    (child,) = worker.children()

    (blocking,) = start_tasks(db, "plain.block_loop", ["door"])
    wait_until(lambda: bool(messages(worker, "has blocked the event loop")))
    fleet.open_gate("door")
    (warning,) = messages(worker, "has blocked the event loop")
    assert f"task {blocking} (plain.block_loop) has blocked the event loop for" in warning["message"]
    assert "world.py:" in warning["message"], "where it blocks"
    assert (warning["level"], warning["logger"]) == ("warning", "tenuto.worker")
    (said,) = messages(worker, "about to block")
    assert (said["task_name"], said["task_id"], said["attempt"]) == ("plain.block_loop", str(blocking), 1)

    (held,) = start_tasks(db, "plain.hold", ["other"])
    wait_until(lambda: "begun other" in fleet.effects())
    child.kill()
    wait_until(lambda: fleet.effects().count("begun other") == 2)
    assert messages(worker, f"task {held} was lost: the process that ran it was killed by signal 9")
    assert messages(worker, f"process {worker.name} was killed by signal 9; another starts now")

    wait_until(lambda: carried(db, "was killed by signal 9; another starts now") == 1)
    worker.tell(signal.SIGTERM)
    assert worker.wait() == 0
    assert messages(worker, "stopping: running tasks have 0.2 s to finish, then they are given back")
    assert messages(worker, "waiting for 1 running tasks for 0 s at most: plain.hold (1)")
    assert messages(worker, f"task {held} (plain.hold) is given back: it did not finish within the grace period")
    assert outcomes(db, held) == ["lost", "interrupted"]
