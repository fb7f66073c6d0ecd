"""`tenuto start`, with a worker that works and without."""

import json
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tenuto.cli.commands.start import print_reason
from tenuto.cli.session import with_tenuto
from tests.support.database.loops import count
from tests.support.database.tasks import Db, a_worker, start_one, task
from tests.support.http.both_ways import run_here as tenuto
from tests.support.processes.command_line import running

APP = "tests.support.processes.shop:app"


@pytest.fixture
def worker(database: str) -> Iterator[str]:
    """A worker process on the database, whose url this is."""
    with running("worker", APP, ready="tasks at once", TENUTO_DATABASE_URL=database):
        yield database


def test_a_task_is_started_and_its_result_printed(worker: str):
    by_place = tenuto("start", "shop.add", "2", "3", "--wait", TENUTO_DATABASE_URL=worker)
    by_name = tenuto("start", "shop.add", "x=2", "y=40", "--wait", "--json", TENUTO_DATABASE_URL=worker)
    delayed = tenuto("start", "shop.tell", "words=it is late", "--delay", "200ms", "--wait", TENUTO_DATABASE_URL=worker)

    assert (by_place.returncode, by_place.stdout) == (0, "5\n")
    assert json.loads(by_name.stdout)["result"] == 42
    assert delayed.stdout == '"it is late"\n'


def test_a_task_that_fails_is_failed_work_in_one_line(worker: str):
    failed = tenuto("start", "shop.fail", "no luck", "--max-attempts", "1", "--wait", TENUTO_DATABASE_URL=worker)

    assert (failed.returncode, failed.stdout, failed.stderr.count("\n")) == (1, "", 1)
    assert "failed with ValueError: no luck" in failed.stderr


def test_what_a_task_logs_can_be_read(worker: str):
    told = tenuto("start", "shop.tell", "hello there", "--wait", "--json", TENUTO_DATABASE_URL=worker)

    logs = tenuto("tasks", "logs", "-f", json.loads(told.stdout)["id"], TENUTO_DATABASE_URL=worker)

    assert "hello there" in logs.stdout


def test_what_a_task_logs_shows_on_the_terminal_of_its_worker_with_its_name(database: str):
    with running("worker", APP, ready="tasks at once", TENUTO_DATABASE_URL=database) as worker:
        told = tenuto("start", "shop.tell", "hello there", "--wait", "--json", TENUTO_DATABASE_URL=database)

        assert f"INFO tenuto.task [shop.tell {json.loads(told.stdout)['id']}] hello there\n" in worker.said()


def test_options_of_a_start_reach_the_task(db: Db, database: str):
    options = ("--queue", "mail", "--priority", "7", "--max-attempts", "2", "--timeout", "30s", "--delay", "1h")
    started = tenuto("start", "shop.add", "1", "2", *options, "--anyway", "--json", TENUTO_DATABASE_URL=database)

    found = task(db, json.loads(started.stdout)["id"])

    assert (found["queue"], found["priority"], found["max_attempts"], found["timeout_seconds"]) == ("mail", 7, 2, 30)
    assert (found["input"], found["available_at"] > found["created_at"]) == ([1, 2], True)


def test_without_the_app_a_task_has_the_options_that_its_worker_declared(db: Db, worker: str):
    told = tenuto("start", "shop.post", "ada", "--wait", "--json", "--priority", "0", TENUTO_DATABASE_URL=worker)

    found = task(db, json.loads(told.stdout)["id"])

    assert json.loads(told.stdout)["result"] == "to ada"
    assert (found["queue"], found["max_attempts"], found["priority"]) == ("mail", 9, 0)
    assert found["limits"] == [{"scope": "key", "key": "shop.post:to=ada", "size": 2}]


def test_an_argument_may_have_the_name_of_an_option(db: Db, database: str):
    started = tenuto("start", "shop.greet", "name=ada", "queue=7", "--anyway", "--json", TENUTO_DATABASE_URL=database)

    assert task(db, json.loads(started.stdout)["id"])["input"] == {"name": "ada", "queue": 7}


def test_the_attempts_of_a_task_are_shown_with_why_they_failed(worker: str):
    run = tenuto("start", "shop.fail", "no luck", "--max-attempts", "1", "--json", TENUTO_DATABASE_URL=worker)
    id = json.loads(run.stdout)["id"]
    tenuto("runs", "watch", id, TENUTO_DATABASE_URL=worker)

    shown = tenuto("tasks", "show", id, TENUTO_DATABASE_URL=worker)

    assert shown.stdout.splitlines()[-1].endswith("ValueError: no luck")


def test_a_dedupe_key_starts_once(db: Db, database: str):
    answers: list[Any] = [
        json.loads(
            tenuto("start", "a.b", "--anyway", "--dedupe-key", "one", "--json", TENUTO_DATABASE_URL=database).stdout
        )
        for _ in range(2)
    ]

    assert answers[0]["id"] == answers[1]["id"]
    assert [answer["created"] for answer in answers] == [True, False]
    assert count(db, "runs") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add",), "'add' is not the name of a task; write app.function"),
        (("shop.ad", "1", "2", "--app", APP), "did you mean 'shop.add'?"),
        (("shop.add", "1", "--app", APP), "missing a required argument: 'y'"),
        (("shop.add", "1", "two", "--app", APP), "'two' is not int"),
        (("shop.add", "1", "y=2"), "name all or none, or pass --app"),
        (("shop.add", "x=1", "2"), "is positional but follows a named one"),
        (("shop.add", "x=1", "x=2"), "'x' is given twice"),
        (("shop.add", "--app", "tests.support.nowhere:app"), "no module 'tests.support.nowhere'"),
        (("shop.add", "--app", "tests.support.processes.shop:wrong"), "write tests.support.processes.shop:app"),
        (("shop.add", "--delay", "soon"), "not a duration"),
        (("shop.add", "--wait-timeout", "soon"), "not a duration"),
        (("shop.add", "--max-attempts", "0"), "--max-attempts"),
        (("shop.add", *["x" * 120_000] * 10, "--anyway"), "the input of shop.add"),
    ],
)
def test_what_cannot_be_started_is_one_line_and_exit_code_2(db: Db, database: str, arguments: Any, said: str):
    refused = tenuto("start", *arguments, TENUTO_DATABASE_URL=database)

    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert said in refused.stderr
    assert count(db, "runs") == 0


def test_a_database_that_does_not_answer_is_one_line_and_exit_code_3():
    refused = tenuto("start", "shop.add", TENUTO_DATABASE_URL="postgresql://me@127.0.0.1:1/mine")

    assert (refused.returncode, refused.stderr.count("\n")) == (3, 1)
    assert "127.0.0.1:1" in refused.stderr


def test_waiting_for_a_task_that_nobody_knows_says_so_and_an_interrupt_leaves_it_waiting(db: Db, database: str):
    with running(
        "start", "nobody.knows", "--anyway", "--wait", ready="still waiting", TENUTO_DATABASE_URL=database
    ) as start:
        assert start.stop(signal.SIGINT) == 130
        assert "worker" in start.said()
        assert "continues" in start.said()
    assert count(db, "ready_tasks") == 1


def test_a_task_that_has_just_ended_is_not_said_to_be_waiting(
    db: Db, database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("TENUTO_DATABASE_URL", database)
    monkeypatch.setattr("tenuto.cli.commands.start.NO_WORKER_AFTER_SECONDS", 0)
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    with_tenuto(lambda tenuto: print_reason(tenuto, task_id))
    assert "still waiting: " in capsys.readouterr().err

    worker.complete(held)
    with_tenuto(lambda tenuto: print_reason(tenuto, task_id))
    assert capsys.readouterr().err == ""


def test_waiting_no_longer_than_asked_leaves_the_run_and_says_how_to_go_on(db: Db, database: str):
    started = tenuto("start", "nobody.knows", "--anyway", "--wait-timeout", "300ms", TENUTO_DATABASE_URL=database)
    (run,) = db.execute("select id from tenuto.runs").fetchone() or (None,)
    watched = tenuto("runs", "watch", str(run), "--timeout", "300ms", TENUTO_DATABASE_URL=database)

    assert (started.returncode, watched.returncode) == (4, 4)
    assert f"run {run} has not ended within 0.3 s and continues: `tenuto runs show {run}`" in started.stderr
    assert f"`tenuto runs watch {run}` follows it" in watched.stderr
    assert count(db, "ready_tasks") == 1


def test_programs_read_in_json_what_became_of_a_run_that_failed_or_goes_on(worker: str):
    fail = ("start", "shop.fail", "no luck", "--wait", "--json")
    failed = tenuto(*fail, TENUTO_DATABASE_URL=worker)
    waits = tenuto("start", "a.b", "--anyway", "--wait-timeout", "200ms", "--json", TENUTO_DATABASE_URL=worker)
    run = json.loads(waits.stdout)["id"]
    watched = tenuto("runs", "watch", run, "--timeout", "200ms", "--json", TENUTO_DATABASE_URL=worker)

    told = json.loads(failed.stdout)
    assert (failed.returncode, told["status"], told["error"]["message"]) == (1, "failed", "no luck")
    assert f"`tenuto tasks show {told['id']}` shows its attempts" in failed.stderr
    assert (waits.returncode, json.loads(waits.stdout)["status"], "continues" in waits.stderr) == (4, "pending", True)
    assert (watched.returncode, json.loads(watched.stdout)["status"]) == (4, "pending")


def test_a_type_or_a_queue_that_nobody_knows_is_refused_with_the_one_that_is_near(db: Db, worker: str):
    mistyped = tenuto("start", "shop.ad", "1", "2", TENUTO_DATABASE_URL=worker)
    misplaced = tenuto("start", "shop.add", "1", "2", "--queue", "mails", TENUTO_DATABASE_URL=worker)
    started = tenuto("start", "shop.ad", "1", "2", "--queue", "mails", "--anyway", TENUTO_DATABASE_URL=worker)

    assert (mistyped.returncode, misplaced.returncode) == (2, 2)
    assert "no worker has ever served shop.ad; did you mean shop.add? If not, start its worker" in mistyped.stderr
    assert "no queue 'mails'; did you mean mail?" in misplaced.stderr
    assert "--anyway" in mistyped.stderr
    assert "--anyway" in misplaced.stderr
    assert (started.returncode, started.stderr, count(db, "runs")) == (0, "", 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("1", "2", "3"), "shop.add: 3 arguments by position, but it takes at most 2; its arguments are x, y"),
        (("1",), "shop.add: the argument 'y' is missing"),
        (("x=1", "z=2"), "shop.add: there is no argument 'z'"),
        (("x=1", "y=two"), "shop.add: y: is a text, not a whole number"),
    ],
)
def test_arguments_that_do_not_fit_the_declared_types_are_refused_before_the_start(
    db: Db, worker: str, asked: Callable[..., Any], arguments: tuple[str, ...], said: str
):
    run = asked("runs", "open")["id"]

    started = tenuto("start", "shop.add", *arguments, TENUTO_DATABASE_URL=worker)
    added = tenuto("runs", "add", run, "shop.add", *arguments, TENUTO_DATABASE_URL=worker)

    assert (started.returncode, added.returncode) == (2, 2)
    assert (said in started.stderr, said in added.stderr) == (True, True), started.stderr
    assert count(db, "tasks") == 0
