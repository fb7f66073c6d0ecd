"""`tenuto worker`, `dispatcher` and `up`: they start, say what they do, and stop when told."""

import signal
import urllib.request
from pathlib import Path

import psycopg
import pytest

from tests.support.database.loops import count, value
from tests.support.database.tasks import Db
from tests.support.processes.command_line import running_from_start, tenuto
from tests.support.waiting import wait_until

APP = "tests.support.processes.shop:app"


def test_up_needs_nothing_and_one_interrupt_stops_all_of_it(home: Path):
    with running_from_start("up", APP, ready="Ctrl-C to stop everything", TENUTO_HOME=home) as up:
        done = tenuto("start", "shop.add", "20", "22", "--wait", TENUTO_HOME=home)
        url = tenuto("db", "status", TENUTO_HOME=home).stdout.split()[1]

        assert done.stdout == "42\n", done.stderr
        assert up.stop(signal.SIGINT) == 0
        assert up.said().endswith("stopped\n")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(url, connect_timeout=5)


def test_a_dispatcher_alone_promotes_says_that_it_lives_and_answers_prometheus(db: Db, database: str, free_port: int):
    arguments = ("dispatcher", "--metrics-port", str(free_port))
    with running_from_start(*arguments, ready="dispatcher running", TENUTO_DATABASE_URL=database) as dispatcher:
        tenuto("start", "shop.add", "1", "2", "--anyway", "--delay", "100ms", TENUTO_DATABASE_URL=database)
        wait_until(lambda: count(db, "ready_tasks") == 1)
        wait_until(lambda: value(db, "select port from tenuto.dispatchers") == free_port)

        def metrics() -> str:
            with urllib.request.urlopen(f"http://127.0.0.1:{free_port}/metrics") as answer:
                return answer.read().decode()

        wait_until(lambda: 'tenuto_tasks_open{state="ready"} 1.0' in metrics())
        assert 'tenuto_loop_rows_total{loop="promote_due"} 1.0' in metrics()
        assert dispatcher.stop() == 0
    assert count(db, "dispatchers") == 0


def test_a_worker_retries_and_fires_with_no_dispatcher_beside_it(db: Db, database: str):
    where = {"TENUTO_DATABASE_URL": database}
    with running_from_start("worker", APP, "--concurrency", "2", ready="tasks at once", **where) as worker:
        assert "database: set by TENUTO_DATABASE_URL" in worker.said()
        assert count(db, "workers") == 1
        wait_until(lambda: count(db, "dispatchers") == 1)
        assert worker.stop() == 0
    assert value(db, "select status from tenuto.workers") == "terminated"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("worker", "shop"), "'shop' does not name an app; write module:app"),
        (("worker", "tests.support.nowhere:app"), "no module 'tests.support.nowhere'"),
        (("worker", "tests.support.processes.shop:nothing"), "write tests.support.processes.shop:app"),
        (("worker", APP, "--concurrency", "0"), "--concurrency"),
        (("worker", APP, "--processes", "-1"), "--processes"),
        (("worker", APP, "--lease", "0s"), "--lease is '0s'"),
        (("worker", APP, "--lease", "100ms"), "not between 1 second and 1 day"),
        (("worker", APP, "--grace", "-1s"), "--grace is '-1s'"),
        (("worker", APP, "--code-version", "v" * 65), "--code-version has 65 bytes"),
        (("worker", APP, "--queues", "a,,b"), "contains an empty name"),
        (("up", "shop"), "write module:app"),
        (("worker", "nope.py"), "there is no file"),
        (("dispatcher", "--metrics-port", "0"), "--metrics-port"),
    ],
)
def test_wrong_flags_are_one_line_and_exit_code_2(database: str, arguments: tuple[str, ...], said: str):
    refused = tenuto(*arguments, TENUTO_DATABASE_URL=database)

    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert said in refused.stderr


@pytest.mark.parametrize("command", [("worker", APP), ("dispatcher",), ("up",), ("bench",), ("top",), ("doctor",)])
def test_without_a_database_every_process_says_so_and_ends_with_3(command: tuple[str, ...]):
    refused = tenuto(*command, TENUTO_DATABASE_URL="postgresql://me:secret@127.0.0.1:1/mine")

    assert (refused.returncode, refused.stderr.count("\n")) == (3, 1), refused.stderr
    assert "secret" not in refused.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope.py"], "there is no file"),
        (["nope:app"], "there is no module 'nope'"),
        ([APP, "--queues", "a,"], "--queues is 'a,' and contains an empty name"),
    ],
)
def test_what_cannot_run_is_said_before_a_database_is_started(home: Path, words: list[str], said: str):
    refused = tenuto("up", *words, TENUTO_HOME=home)

    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert said in refused.stderr
    assert not home.exists()
