"""`top`, `bench`, `db prune` and `schedules`: looking after an installation."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg.types.json import Jsonb

from tests.support.database.loops import count
from tests.support.database.outbox import finish, publish, take
from tests.support.database.schedules import put
from tests.support.database.tasks import Db, a_worker, start
from tests.support.http.both_ways import run_here as tenuto
from tests.support.processes import command_line

Asked = Callable[..., Any]


def test_top_shows_queues_and_workers_and_leaves_where_there_is_no_terminal(db: Db, database: str, asked: Asked):
    start(db, 1, 2, 3, kind={"queue": "mail"})
    start(db, 4, details=Jsonb([{"task": 0, "delay_seconds": 60}]))
    a_worker(db, "one").claim(1)

    seen = asked("top")
    text = tenuto("top", "--once", TENUTO_DATABASE_URL=database).stdout

    assert {queue["name"]: (queue["ready"], queue["delayed"]) for queue in seen["queues"]} == {
        "mail": (2, 0),
        "default": (0, 1),
    }
    assert [(worker["id"], worker["running"]) for worker in seen["workers"]] == [("one", 1)]
    assert text.startswith("ready 2  running 1  delayed 1  waiting 0  pending 0  0/s  workers 1  dispatchers 0\n")


def test_prune_says_what_would_go_and_then_takes_it(db: Db, database: str, asked: Asked):
    (effect,) = publish(db, {"n": 1})
    take(db)
    finish(db, effect)
    db.execute("update tenuto.outbox set processed_at = tenuto.now() - interval '2 days'")

    dry = asked("db", "prune", "--dry-run")
    assert (dry["runs"], count(db, "outbox")) == (0, 1)
    assert asked("db", "prune")["side effects"] == 1
    assert count(db, "outbox") == 0


def test_bench_measures_through_the_public_api(db: Db, database: str):
    # A process of its own: it runs a worker, which takes over the signals and children of its process.
    done = command_line.tenuto("bench", "--tasks", "50", "--json", TENUTO_DATABASE_URL=database)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)

    assert (measured["tasks"], measured["processes"]) == (50, 1)
    assert measured["enqueue_per_second"] > 0
    assert measured["drain_per_second"] > 0
    assert count(db, "task_attempts", "outcome = 'completed'") == 50


def test_a_schedule_is_fired_now_and_keeps_its_next_time(db: Db, database: str, asked: Asked):
    put(db, datetime.now(UTC) + timedelta(hours=1), "nightly")
    (before,) = asked("schedules", "list")["schedules"]

    fired = asked("schedules", "run", "nightly")

    assert count(db, "tasks", f"id = '{fired['run_id']}'") == 1
    assert asked("schedules", "list")["schedules"] == [before]
    assert tenuto("schedules", "run", "weekly", TENUTO_DATABASE_URL=database).returncode == 2


def test_a_schedule_is_listed_paused_and_goes_on_with_its_next_time(db: Db, database: str, asked: Asked):
    put(db, datetime.now(UTC) + timedelta(hours=1), "nightly")

    asked("schedules", "pause", "nightly")
    (paused,) = asked("schedules", "list")["schedules"]
    resumed = asked("schedules", "resume", "nightly")
    (again,) = asked("schedules", "list")["schedules"]

    assert paused["paused_at"] is not None
    assert (again["paused_at"], again["next_at"]) == (None, resumed["next_at"])
    assert datetime.fromisoformat(resumed["next_at"]).astimezone(UTC).hour == 3
    assert tenuto("schedules", "resume", "weekly", TENUTO_DATABASE_URL=database).returncode == 2


def test_a_schedule_whose_app_is_gone_is_deleted(db: Db, database: str, asked: Asked):
    put(db, datetime.now(UTC) + timedelta(hours=1), "nightly")

    asked("schedules", "delete", "nightly")

    assert asked("schedules", "list") == {"schedules": []}
    assert tenuto("schedules", "delete", "nightly", TENUTO_DATABASE_URL=database).returncode == 2
