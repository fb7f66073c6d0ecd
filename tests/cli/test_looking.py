"""Looking at runs, tasks, queues and workers, and changing them, with real commands."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest

from tenuto.cli.output import fields
from tests.support.database.jobs import deployed, trigger
from tests.support.database.loops import settle, value
from tests.support.database.outbox import publish, wear_out
from tests.support.database.tasks import Db, a_worker, call, start, start_graph, start_one
from tests.support.faults.failing_rows import park
from tests.support.http.both_ways import run_here as tenuto

Asked = Callable[..., Any]


def test_runs_are_listed_newest_first_with_whole_ids(db: Db, database: str, asked: Asked):
    first, second = start_one(db), start_one(db)

    listed = asked("runs", "list")["runs"]
    text = tenuto("runs", "list", "--limit", "1", TENUTO_DATABASE_URL=database).stdout

    assert [run["id"] for run in listed] == [str(second), str(first)]
    assert str(second) in text
    assert str(first) not in text
    assert [run["id"] for run in asked("runs", "list", "--before", str(second))["runs"]] == [str(first)]


def test_a_run_and_its_task_show_what_became_of_them(db: Db, asked: Asked):
    run = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db)
    worker.fail(worker.claim_one(), error="boom")

    shown = asked("runs", "show", str(run))
    task = asked("tasks", "show", str(run))

    assert (shown["type"], shown["status"], shown["error"]) == ("app.work", "failed", {"message": "boom"})
    assert (task["task"]["status"], [attempt["outcome"] for attempt in task["attempts"]]) == ("failed", ["failed"])


def test_a_large_run_is_cancelled_with_progress_or_left_to_dispatchers(db: Db, database: str, asked: Asked):
    watched, left = (start_graph(db, 1001)[0] for _ in range(2))

    lines = tenuto("runs", "cancel", str(watched), TENUTO_DATABASE_URL=database).stdout.splitlines()
    asked("runs", "cancel", str(left), "--no-wait")

    assert lines[0] == "cancel: 0 of ? tasks"
    assert lines[-1] == f"cancelling run {watched}"
    assert (asked("runs", "show", str(watched))["progress"], value(db, "select run_id from tenuto.run_requests")) == (
        None,
        left,
    )


def test_people_read_an_error_in_a_line_and_its_traceback_below():
    @dataclass
    class Facts:
        status: str
        error: object

    error = {"type": "OSError", "message": "disk is full", "traceback": '  File "a.py", line 1\n    write()\n'}

    assert fields(Facts("failed", error)).splitlines() == [
        "status  failed", "error   OSError: disk is full", "", '    File "a.py", line 1', "      write()",
    ]  # fmt: skip
    assert fields(Facts("cancelled", {"reason": "a mistake"})).splitlines()[1:] == ["error   cancelled: a mistake"]


def test_a_failed_run_can_be_watched_retried_and_deleted(db: Db, database: str, asked: Asked):
    run = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db)
    worker.fail(worker.claim_one())

    watched = tenuto("runs", "watch", str(run), TENUTO_DATABASE_URL=database)
    again = UUID(asked("runs", "retry", str(run))["id"])
    third = UUID(asked("tasks", "retry", str(run), "--force")["id"])
    refused = tenuto("runs", "retry", str(run), TENUTO_DATABASE_URL=database)
    unknown = tenuto("runs", "retry", str(run), "--force", "--from", "pay", TENUTO_DATABASE_URL=database)
    (listed,) = [row for row in asked("runs", "list")["runs"] if row["id"] == str(run)]
    asked("runs", "delete", str(run))

    assert (watched.returncode, watched.stderr) == (1, f"tenuto: run {run} failed\n")
    assert (refused.returncode, f"was retried by run {third}" in refused.stderr) == (1, True)
    assert "no task or step 'pay' to retry from; write one of app.work" in unknown.stderr
    assert listed["retried_by"] == str(third)
    assert {claim.run_id for claim in worker.claim(10)} == {again, third}
    assert tenuto("runs", "show", str(run), TENUTO_DATABASE_URL=database).returncode == 2


def test_a_run_and_a_task_can_be_cancelled(db: Db, asked: Asked):
    graph, tasks = start_graph(db, 2, [(0, 1)])
    alone = start_one(db)

    asked("tasks", "cancel", str(tasks[0]), "--reason", "no need")
    asked("runs", "cancel", str(alone))
    settle(db)

    listed = {run["id"]: run["status"] for run in asked("runs", "list")["runs"]}
    assert listed == {str(graph): "cancelled", str(alone): "cancelled"}
    assert asked("tasks", "list", "--run", str(graph), "--status", "queued") == {"tasks": []}


def test_the_tasks_of_a_job_are_listed_and_counted(db: Db, database: str, asked: Asked):
    start_one(db)
    deployed(db)
    (started,) = trigger(db, "extract", "mon")

    found = asked("tasks", "list", "--job", "sales/extract", "--count")
    wrong = tenuto("tasks", "list", "--job", "sales/extrac", TENUTO_DATABASE_URL=database)

    assert [task["id"] for task in found["tasks"]] == [str(started["task_id"])]
    assert found["total"]["count"] == 1
    assert "did you mean sales/extract" in wrong.stderr


def test_why_says_in_one_sentence_what_a_task_waits_for(db: Db, database: str, asked: Asked):
    task = start_one(db)

    said = asked("why", str(task))
    asked("queues", "pause", "default")
    paused = tenuto("why", str(task), TENUTO_DATABASE_URL=database)

    assert "worker" in said["why"]
    assert "paused" in paused.stdout
    assert paused.stdout.count("\n") == 1


def test_why_names_the_loop_that_fails_on_a_run(db: Db, database: str, asked: Asked):
    run, _ = start_graph(db, 2, [(0, 1)])
    park(db, "settle_runs", str(run), run_id=run)

    told, shown = asked("why", str(run)), tenuto("why", str(run), TENUTO_DATABASE_URL=database).stdout

    assert [(one["loop"], one["error"]) for one in told["parked"]] == [("settle_runs", "boom")]
    assert "settle_runs fails on it: boom; next attempt at " in shown


def test_the_id_of_a_run_of_several_tasks_leads_to_its_tasks(db: Db, database: str, asked: Asked):
    run, (first, second) = start_graph(db, 2, [(0, 1)])

    told = asked("why", str(run))
    said = f"{run} is a run of 2 tasks, not a task; `tenuto tasks list --run {run}` shows its tasks"
    refused = [tenuto("tasks", verb, str(run), TENUTO_DATABASE_URL=database) for verb in ("show", "tree", "logs")]

    assert {one["id"] for one in told["tasks"]} == {str(first), str(second)}
    assert all("worker" in one["why"] or "waits" in one["why"] for one in told["tasks"])
    assert [(one.returncode, one.stderr) for one in refused] == [(2, f"tenuto: {said}\n")] * 3


def test_what_was_passed_to_a_task_is_shown_as_json(db: Db, database: str):
    (task,) = start(db, ["a, b", "c"])

    shown = tenuto("tasks", "show", str(task), TENUTO_DATABASE_URL=database).stdout

    assert '  ["a, b", "c"]\n' in shown


def test_a_task_shows_what_it_started(db: Db, asked: Asked):
    task = start_one(db)

    assert [(node["id"], node["depth"]) for node in asked("tasks", "tree", str(task))["tasks"]] == [(str(task), 0)]


def test_logs_are_followed_until_the_task_has_ended(db: Db, database: str):
    task = start_one(db)
    worker = a_worker(db)
    claim = worker.claim_one()
    lines = [
        {"task_id": str(task), "attempt": 1, "line_no": number, "level": "info", "message": f"line {number}"}
        for number in range(1, 1203)
    ]
    call(db, "write_logs", **worker.fence, lines=_json(lines))
    worker.complete(claim)

    followed = tenuto("tasks", "logs", "-f", str(task), TENUTO_DATABASE_URL=database)

    assert followed.returncode == 0
    assert len(followed.stdout.splitlines()) == 1202
    assert followed.stdout.splitlines()[-1].endswith("info     line 1202")


def test_the_logs_of_a_run_are_those_of_all_its_tasks(db: Db, database: str):
    run, tasks = start_graph(db, 2, details=[{"task": 0, "name": "first"}, {"task": 1, "name": "second"}])
    worker = a_worker(db)
    claims = worker.claim(2)
    words = [
        {
            "task_id": str(task),
            "attempt": 1,
            "line_no": 1,
            "logged_at": f"2026-01-02T03:04:0{no}Z",
            "message": f"hi {no}",
        }
        for no, task in enumerate(tasks)
    ]
    call(db, "write_logs", **worker.fence, lines=_json(words))
    worker.complete(*claims)
    settle(db)

    shown = tenuto("runs", "logs", "-f", str(run), TENUTO_DATABASE_URL=database).stdout.splitlines()
    one = tenuto("tasks", "logs", str(tasks[0]), TENUTO_DATABASE_URL=database)

    assert [line.split("  ", 1)[1] for line in shown] == ["first  1  info     hi 0", "second  1  info     hi 1"]
    assert one.stdout.endswith("hi 0\n")
    assert f"`tenuto runs logs {run}` shows the log lines of all 2 tasks of its run" in one.stderr


def test_logs_of_what_said_nothing_say_so(db: Db, database: str):
    task = start_one(db)

    of_task = tenuto("tasks", "logs", str(task), TENUTO_DATABASE_URL=database)
    of_run = tenuto("runs", "logs", str(task), TENUTO_DATABASE_URL=database)

    assert (of_task.stdout, of_task.stderr) == ("", f"task {task} logged nothing yet: it is queued\n")
    assert (of_run.stdout, of_run.stderr) == ("", f"run {task} logged nothing yet: it is pending\n")


def _json(lines: list[dict[str, Any]]) -> Any:
    from psycopg.types.json import Jsonb

    return Jsonb(lines)


def test_a_paused_queue_is_listed_as_paused_until_it_is_resumed(db: Db, asked: Asked):
    start_one(db)

    asked("queues", "pause", "default")
    (paused,) = asked("queues", "list")["queues"]
    asked("queues", "resume", "default")
    (resumed,) = asked("queues", "list")["queues"]

    assert (paused["name"], paused["ready"], paused["paused_at"] is not None) == ("default", 1, True)
    assert resumed["paused_at"] is None


def test_workers_are_listed_drained_and_terminated(db: Db, asked: Asked):
    a_worker(db, "one")

    assert [worker["id"] for worker in asked("workers", "list", "--status", "active")["workers"]] == ["one"]
    asked("workers", "drain", "one", "--reason", "old")
    assert (asked("workers", "show", "one")["status"], asked("workers", "show", "one")["drain_reason"]) == (
        "draining",
        "old",
    )
    asked("workers", "terminate", "one")
    assert asked("workers", "show", "one")["status"] == "terminated"


def test_a_signal_carries_json_or_text(db: Db, asked: Asked):
    run = start_one(db)

    asked("signal", str(run), "approved", '{"by": "me"}')
    asked("signal", str(run), "approved", "plain words")

    rows = db.execute("select value from tenuto.signals where run_id = %s order by sent_at, id", [run]).fetchall()
    assert [row[0] for row in rows] == [{"by": "me"}, "plain words"]


def test_dead_side_effects_are_listed_and_replayed(db: Db, database: str, asked: Asked):
    (dead,) = publish(db, {"n": 1})
    wear_out(db, dead)

    assert [effect["id"] for effect in asked("outbox", "list", "--status", "dead")["effects"]] == [dead]
    assert tenuto("outbox", "replay", TENUTO_DATABASE_URL=database).returncode == 2
    assert asked("outbox", "replay", str(dead)) == {"replayed": [dead]}
    assert value(db, "select status from tenuto.outbox where id = %s", dead) == "pending"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("runs", "show", str(uuid4())), "no run"),
        (("runs", "show", "019"), "'019' is not the id of a run"),
        (("runs", "show", "0191"), "no run has an id that begins with '0191'"),
        (("runs", "list", "--status", "done"), "--status is 'done'; write pending, running"),
        (("runs", "list", "--limit", "0"), "--limit"),
        (("tasks", "tree", str(uuid4())), "no task"),
        (("workers", "show", "nobody"), "no worker nobody"),
        (("outbox", "list", "--status", "lost"), "'lost' is not one of 'pending', 'processing'"),
        (("rnus",), "Did you mean 'runs'"),
        (("runs", "lst"), "Did you mean 'list'"),
        (("signal", str(uuid4()), "go"), "no run"),
    ],
)
def test_wrong_use_is_one_line_with_the_culprit_and_exit_code_2(database: str, arguments: tuple[str, ...], said: str):
    refused = tenuto(*arguments, TENUTO_DATABASE_URL=database)

    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert said in refused.stderr


def test_another_org_is_chosen_by_name_and_must_exist(db: Db, database: str):
    start_one(db)
    call(db, "create_org", slug="other")

    assert tenuto("runs", "list", TENUTO_DATABASE_URL=database, TENUTO_ORG="other").stdout == "no runs\n"
    assert tenuto("runs", "list", TENUTO_DATABASE_URL=database, TENUTO_ORG="nobody").returncode == 2


def test_a_database_without_tenuto_says_to_migrate(empty_database: str):
    refused = tenuto("runs", "list", TENUTO_DATABASE_URL=empty_database)

    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "run `tenuto db migrate`" in refused.stderr
