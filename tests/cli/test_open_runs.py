"""`tenuto runs open`, `add`, `close` and `release`, and why of a run that waits to be closed or released."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from tests.support.database.loops import run, settle, value
from tests.support.database.tasks import Db, a_worker, drain, start_graph
from tests.support.http.both_ways import run_here as tenuto


def test_a_run_is_opened_filled_and_closed(asked: Callable[..., Any], db: Db, database: str) -> None:
    run_id = asked("runs", "open", "--name", "scan", "--input", '{"a": 1}', "--metadata", '{"b": 2}')["id"]
    task_id = str(uuid4())
    for _ in range(2):
        assert asked("runs", "add", run_id, "shop.add", "1", "2", "--anyway", "--task-id", task_id)["id"] == task_id
    drain(db, a_worker(db))
    settle(db)
    assert asked("why", run_id)["open"]
    assert value(db, "select input from tenuto.tasks where id = %s", task_id) == [1, 2]

    asked("runs", "close", run_id)
    settle(db)
    seen = run(db, run_id)
    assert (seen["status"], seen["name"], seen["input"], seen["metadata"]) == ("completed", "scan", {"a": 1}, {"b": 2})
    assert [*db.execute("select action from tenuto.audit_arrivals order by id")] == [("open",), ("add",), ("close",)]
    late = tenuto("runs", "add", run_id, "shop.add", "1", "2", "--anyway", TENUTO_DATABASE_URL=database)
    assert (late.returncode, "it is already completed" in late.stderr) == (1, True)
    wrong = tenuto("runs", "open", "--input", "{", TENUTO_DATABASE_URL=database)
    assert (wrong.returncode, "is not JSON" in wrong.stderr) == (2, True)


def test_a_held_run_starts_when_it_is_released(asked: Callable[..., Any], db: Db, database: str) -> None:
    single = asked("start", "shop.add", "1", "2", "--hold", "--anyway")["id"]
    opened = asked("runs", "open", "--hold")["id"]
    asked("runs", "add", opened, "shop.add", "3", "4", "--anyway")
    worker = a_worker(db)
    assert (worker.claim(5), asked("runs", "show", single)["held"], asked("why", opened)["held"]) == ([], True, True)
    assert "its run is held" in asked("why", single)["why"]

    for run_id in (single, opened):
        assert [asked("runs", "release", run_id)["released"] for _ in range(2)] == [True, False]
    assert drain(db, worker) == 2
    wrong = tenuto("start", "shop.add", "1", "2", "--hold", "--wait", TENUTO_DATABASE_URL=database)
    assert (wrong.returncode, "the run is held" in wrong.stderr) == (2, True)


def test_show_and_why_say_when_a_run_is_cancelled(db: Db, database: str) -> None:
    run_id, _ = start_graph(db, 2, run={"deadline_seconds": 3600, "expires_seconds": 60})
    shown = tenuto("runs", "show", str(run_id), TENUTO_DATABASE_URL=database)
    why = tenuto("why", str(run_id), TENUTO_DATABASE_URL=database)

    assert ("deadline_at " in shown.stdout, "expires_at " in shown.stdout) == (True, True)
    assert why.stdout.count("it is cancelled at ") == 2
    assert ("unless it has ended by then" in why.stdout, "unless it has begun by then" in why.stdout) == (True, True)
