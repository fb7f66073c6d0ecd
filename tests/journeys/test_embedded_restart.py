"""The embedded Postgres is killed while the processes of Tenuto use it: it runs again, and they go on by themselves."""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psycopg

from tenuto.db import embedded
from tests.support.database.attempts import end_lease
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import count, value
from tests.support.processes.command_line import Running, running, tenuto
from tests.support.waiting import wait_until

APP = "tests.journeys.apps.plain:app"
READY = "Ctrl-C to stop everything"
BACK = "the embedded server accepts connections again"


def kill_postgres(home: Path) -> int:
    pid = embedded.status(home).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


@contextmanager
def database_of(home: Path) -> Iterator[psycopg.Connection]:
    url = embedded.status(home).url
    assert url is not None
    with psycopg.connect(url, autocommit=True) as db:
        yield db


def url_of(command: Running) -> str:
    return re.findall(r"(?:server:|listening at) (http://[\d.:]+)", command.said())[0]


def answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/readyz", timeout=60).status_code == 200
    except httpx2.HTTPError:
        return False


def starts_of(home: Path) -> int:
    return (home / "server.log").read_text().count("starting PostgreSQL")


def test_up_starts_its_database_again_and_a_task_completes_through_the_crash(home: Path, tmp_path: Path):
    where = {"TENUTO_HOME": home, "JOURNEY_FOLDER": tmp_path}
    with running("up", APP, "--port", "0", ready=READY, **where) as up:
        tenuto("start", "plain.hold", "door", **where)
        wait_until(lambda: (tmp_path / "effects").exists())
        starts = starts_of(home)
        killed = kill_postgres(home)
        wait_until(lambda: BACK in up.said())
        (tmp_path / "door.gate").touch()
        with database_of(home) as db:
            wait_until(lambda: count(db, "task_attempts") == 1)
            assert db.execute("select attempt, outcome from tenuto.task_attempts").fetchall() == [(1, "completed")]
            assert_invariants(db)
        wait_until(lambda: answers(url_of(up)))

        assert (tmp_path / "effects").read_text() == "begun door\n"
        assert f"process {killed} ended without shutting down, as after kill -9" in up.said()
        assert "database system is ready to accept connections" in up.said()  # from the log of the server
        assert starts_of(home) == starts + 1
        shown = json.loads(tenuto("db", "status", "--json", **where).stdout)
        assert [f"process {killed}" in failure["says"] for failure in shown["failures"]] == [True]
        assert "server        failed once within the last hour" in tenuto("doctor", **where).stdout
        assert up.stop(signal.SIGINT) == 0
    assert not embedded.status(home).running


def test_worker_dispatcher_and_server_share_one_database_that_one_of_them_starts_again(home: Path, tmp_path: Path):
    where = {"TENUTO_HOME": home, "JOURNEY_FOLDER": tmp_path}
    commands = {
        ("worker", APP): "tasks at once",
        ("dispatcher",): "dispatcher running",
        ("server", "--port", "0"): "listening at",
    }
    with ExitStack() as stack:
        parts = [
            stack.enter_context(running(*arguments, ready=ready, **where)) for arguments, ready in commands.items()
        ]
        tenuto("start", "plain.hold", "door", **where)
        wait_until(lambda: (tmp_path / "effects").exists())
        starts = starts_of(home)
        kill_postgres(home)
        wait_until(lambda: all(BACK in part.said() for part in parts))
        (tmp_path / "door.gate").touch()
        with database_of(home) as db:
            wait_until(lambda: count(db, "task_attempts", "end_no = 0 and outcome = 'completed'") == 1)
        wait_until(lambda: answers(url_of(parts[2])))

        assert starts_of(home) == starts + 1
        assert [part.said().count("the embedded server died") for part in parts] == [1, 1, 1]


def test_a_stop_on_purpose_is_said_and_not_undone(home: Path):
    with running("up", "--port", "0", ready=READY, TENUTO_HOME=home) as up:
        assert tenuto("db", "stop", TENUTO_HOME=home).stdout == "stopped\n"
        wait_until(lambda: "`tenuto db stop` stopped the embedded server" in up.said())
        assert not embedded.status(home).running

        assert tenuto("db", "status", TENUTO_HOME=home).returncode == 0  # every command starts it
        wait_until(lambda: BACK in up.said())
        wait_until(lambda: answers(url_of(up)))


def test_a_database_whose_data_is_gone_ends_up_with_an_error(home: Path):
    with running("up", "--port", "0", ready=READY, TENUTO_HOME=home) as up:
        data = embedded.status(home).data
        data.rename(data.with_name("away"))

        assert up.process.wait(60) == 1
        assert f"{data} was removed while the server was in use" in up.said()
        assert "Traceback" not in up.said()
        assert not data.exists()
        data.with_name("away").rename(data)


def test_a_killed_up_is_dead_in_every_list(home: Path, tmp_path: Path):
    where = {"TENUTO_HOME": home, "JOURNEY_FOLDER": tmp_path}
    with embedded.server(home):
        with running("up", APP, "--port", "0", ready=READY, **where) as up:
            tenuto("start", "plain.hold", "door", **where)
            wait_until(lambda: (tmp_path / "effects").exists())
            up.process.kill()
            up.process.wait(60)
        with database_of(home) as db:  # nothing runs now but Postgres: time alone shows who is dead
            name = value(db, "select id from tenuto.workers")
            end_lease(db, name)
            db.execute("update tenuto.dispatchers set heartbeat = heartbeat - interval '1 minute'")

            assert "dead" in tenuto("workers", "list", **where).stdout
            (worker,) = json.loads(tenuto("workers", "list", "--json", **where).stdout)["workers"]
            (dispatcher,) = json.loads(tenuto("dispatchers", "list", "--json", **where).stdout)["dispatchers"]
            assert (worker["id"], worker["status"], worker["health_status"]) == (name, "active", "dead")
            assert dispatcher["status"] == "dead"
            checks = {
                check["name"]: check["says"]
                for check in json.loads(tenuto("doctor", "--json", **where).stdout)["checks"]
            }
            assert "none is alive (1 dead)" in checks["worker"]
            assert "none is alive (1 dead)" in checks["dispatcher"]
            key = json.loads(
                tenuto(
                    "keys", "create", "--name", "x", "--permissions", "workers:read,status:read", "--json", **where
                ).stdout
            )["key"]
            with running("server", "--port", "0", ready="listening at", **where) as server:
                (over_http,) = read(server, "/v1/workers", key)["items"]
                assert (over_http["health_status"], read(server, "/v1/dispatchers", key)["items"][0]["status"]) == (
                    "dead",
                    "dead",
                )
                assert read(server, "/v1/status", key)["health"] == {"dead": 1}

            with running("up", APP, "--port", "0", ready=READY, **where):
                wait_until(lambda: value(db, "select status from tenuto.workers where id = %s", name) == "error")
                listed = json.loads(tenuto("workers", "list", "--json", **where).stdout)["workers"]
                states = {row["id"]: (row["status"], row["health_status"]) for row in listed}
                assert states.pop(name) == ("error", "dead")
                assert list(states.values()) == [("active", "healthy")]


def read(server: Running, path: str, key: str) -> dict[str, Any]:
    return httpx2.get(f"{url_of(server)}{path}", headers={"Authorization": f"Bearer {key}"}, timeout=60).json()
