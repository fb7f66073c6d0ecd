"""A runtime is one file and one line in the table: nothing else of a worker knows it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from tenuto import App
from tenuto.sdk.options import TaskOptions
from tenuto.sdk.task import Task
from tenuto.worker.execution.runtimes import RUNTIMES, RuntimeEntry
from tenuto.worker.settings import WorkerSettings
from tests.support.database.attempts import ended, error_of, start_tasks
from tests.support.database.tasks import DEFAULT_ORG, Db
from tests.support.processes.program_runtime import ProgramRuntime
from tests.support.processes.worker_thread import Supervised, a_supervised_worker
from tests.support.waiting import wait_until


@pytest.fixture
def worker(database: str, tmp_path: Path) -> Iterator[Supervised]:
    app = App("elsewhere")
    app.tasks["elsewhere.run"] = Task(
        "elsewhere.run", lambda *words: words, cast("Any", TaskOptions)(runtime="program")
    )
    settings = WorkerSettings([], url=database, org_id=str(DEFAULT_ORG), name="w", home=str(tmp_path), concurrency=2)
    runtimes = {**RUNTIMES, "program": RuntimeEntry(ProgramRuntime, slots=lambda concurrency: concurrency)}
    with a_supervised_worker(settings, app, runtimes=runtimes) as supervised:
        yield supervised


def run(db: Db, *words: str, **kind: Any) -> Any:
    (task_id,) = start_tasks(db, "elsewhere.run", list(words), max_attempts=1, **kind)
    return task_id


def test_an_attempt_completes_with_what_the_program_prints(db: Db, worker: Supervised) -> None:
    task_id = run(db, "echo", "hello")

    wait_until(lambda: ended(db) == 1)
    row = db.execute("select output from tenuto.task_attempts where task_id = %s", [task_id]).fetchone()
    assert row == ("hello",)
    wait_until(worker.holds_nothing)


def test_a_program_that_fails_fails_its_attempt(db: Db, worker: Supervised) -> None:
    task_id = run(db, "false")

    wait_until(lambda: ended(db, "failed") == 1)
    assert error_of(db, task_id)["message"] == "the program ended with code 1"


def test_a_program_that_cannot_be_started_fails_its_attempt(db: Db, worker: Supervised) -> None:
    task_id = run(db, "no-such-program")

    wait_until(lambda: ended(db, "failed") == 1)
    assert "no-such-program" in error_of(db, task_id)["message"]


def test_a_program_is_killed_when_its_timeout_passes(db: Db, worker: Supervised) -> None:
    task_id = run(db, "sleep", "60", timeout_seconds=0.1)

    wait_until(lambda: ended(db, "failed") == 1)
    assert error_of(db, task_id)["type"] == "Timeout"
