"""Watching: the server of a home runs again soon after it died, and the processes that use it say what happened."""

import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from tenuto.db import embedded
from tenuto.db.connection.errors import ServerFailed
from tenuto.db.embedded import cluster, watch
from tenuto.db.embedded.failures import list_failures
from tenuto.db.embedded.paths import find_paths
from tests.support.postgres.server import PG_BIN
from tests.support.waiting import wait_until

STARTED = "starting PostgreSQL"  # in the log of the server


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="tenuto.embedded")
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(watch, "FIRST_PAUSE_SECONDS", 0.125)


@contextmanager
def watched(home: Path) -> Iterator[Future[None]]:
    """Watch the server of this home; yields what becomes of the watch."""
    result, ended = Future[None](), threading.Event()
    observer = watch.Watch(home, PG_BIN)

    def run() -> None:
        try:
            result.set_result(observer.run(ended))
        except BaseException as error:
            result.set_exception(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield result
    finally:
        ended.set()
        thread.join()


def logged(caplog: pytest.LogCaptureFixture, text: str) -> Callable[[], bool]:
    return lambda: text in caplog.text


def kill(home: Path, number: int = signal.SIGKILL) -> int:
    pid = embedded.status(home).pid
    assert pid is not None
    os.kill(pid, number)
    return pid


def says(home: Path) -> list[str]:
    return [failure.says for failure in list_failures(find_paths(home), timedelta(hours=1))]


def test_a_killed_server_runs_again_at_the_same_url(home: Path, caplog: pytest.LogCaptureFixture):
    with embedded.server(home, pg_bin=PG_BIN) as url, watched(home):
        stopped = psycopg.connect(url, autocommit=True)
        os.kill(stopped.info.backend_pid, signal.SIGSTOP)  # holds the shared memory of the killed server
        killed = kill(home)
        wait_until(logged(caplog, "accepts connections again"))

        with psycopg.connect(url) as conn:
            assert conn.execute("select 1").fetchone() == (1,)
        assert embedded.status(home).pid != killed
        assert (
            f"the embedded server died: process {killed} ended without shutting down, as after kill -9" in caplog.text
        )
        assert "database system is ready to accept connections" in caplog.text  # the last lines of its log
        assert "starting it again now" in caplog.text
        assert len(says(home)) == 1
        stopped.close()


def test_a_server_that_another_program_shut_down_runs_again(home: Path, caplog: pytest.LogCaptureFixture):
    with embedded.server(home, pg_bin=PG_BIN), watched(home):
        kill(home, signal.SIGINT)
        wait_until(logged(caplog, "accepts connections again"))

        assert "it ended, and Tenuto had not stopped it" in caplog.text
        assert "received fast shutdown request" in says(home)[0]


def test_a_server_that_was_stopped_on_purpose_stays_stopped(home: Path, caplog: pytest.LogCaptureFixture):
    with embedded.server(home, pg_bin=PG_BIN) as url, watched(home):
        embedded.stop(home)
        wait_until(logged(caplog, "`tenuto db stop` stopped the embedded server"))
        assert embedded.status(home).pid is None

        assert embedded.start(home, pg_bin=PG_BIN).url == url
        wait_until(logged(caplog, "accepts connections again"))
        assert caplog.text.count("stopped the embedded server") == 1
        assert says(home) == []

        kill(home)  # the stop is over: this is a crash
        wait_until(logged(caplog, "starting it again now"))
        wait_until(lambda: caplog.text.count("accepts connections again") == 2)


def test_a_stop_between_two_starts_is_obeyed(home: Path, caplog: pytest.LogCaptureFixture):
    with embedded.server(home, pg_bin=PG_BIN), watched(home):
        _break_settings(home)
        kill(home)
        wait_until(logged(caplog, "retrying in"))
        embedded.stop(home)

        wait_until(logged(caplog, "`tenuto db stop` stopped the embedded server"))


def test_failing_starts_are_said_and_repeated_with_growing_pauses(home: Path, caplog: pytest.LogCaptureFixture):
    with embedded.server(home, pg_bin=PG_BIN) as url, watched(home):
        mend = _break_settings(home)
        kill(home)
        wait_until(lambda: caplog.text.count("the embedded server did not start") == 3)
        mend()
        wait_until(logged(caplog, "accepts connections again"))

        pauses = [line.rpartition(" in ")[2] for line in caplog.messages if "retrying in" in line]
        assert pauses[:3] == ["0.25 s", "0.5 s", "1 s"]
        assert 'postgresql.conf" contains errors' in caplog.text  # what the server logged
        with psycopg.connect(url) as conn:
            assert conn.execute("select 1").fetchone() == (1,)
        assert len(says(home)) == 4  # three starts, and the death


def test_the_port_of_running_processes_is_waited_for(home: Path, caplog: pytest.LogCaptureFixture):
    with embedded.server(home, pg_bin=PG_BIN) as url:
        port = embedded.status(home).port
        kill(home)
        wait_until(lambda: embedded.status(home).pid is None)
        with socket.create_server(("127.0.0.1", port or 0), reuse_port=False):
            with watched(home):
                wait_until(logged(caplog, f"another program listens on port {port}"))
            with pytest.raises(ServerFailed, match="another program listens"):
                embedded.start(home, pg_bin=PG_BIN)
        assert embedded.start(home, pg_bin=PG_BIN).url == url


def test_a_server_that_hangs_ends_the_watch(
    home: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(watch, "PROBE_SECONDS", 0.0)
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2)
    monkeypatch.setattr(cluster, "SILENT_SECONDS", 3.0)
    with embedded.server(home, pg_bin=PG_BIN), watched(home) as result:
        pid = kill(home, signal.SIGSTOP)
        try:
            with pytest.raises(ServerFailed, match=f"process {pid} hangs"):
                result.result(60)
            assert "does not respond" in caplog.text
            with pytest.raises(ServerFailed, match=f"process {pid} hangs"):
                embedded.start(home, pg_bin=PG_BIN)
        finally:
            os.kill(pid, signal.SIGCONT)


def test_a_data_folder_that_was_removed_ends_the_watch_and_is_not_made_anew(home: Path):
    with embedded.server(home, pg_bin=PG_BIN), watched(home) as result:
        data = embedded.status(home).data
        away = data.with_name("away")
        data.rename(away)
        try:
            with pytest.raises(ServerFailed, match="was removed while the server was in use"):
                result.result(60)
            assert not data.exists()
        finally:
            away.rename(data)


def test_a_server_that_ends_while_it_recovers_is_not_started_for_ever(home: Path):
    with embedded.server(home, pg_bin=PG_BIN):
        kill(home)
        wait_until(lambda: embedded.status(home).pid is None)
        data = embedded.status(home).data
        shutil.rmtree(data / "pg_wal")  # then the start-up process ends the server, after it has begun to run
        with pytest.raises(ServerFailed, match=r"did not start|started and ended 3 times"):
            embedded.start(home, pg_bin=PG_BIN)
        (data / "PG_VERSION").unlink()


WATCH = """
import logging, pathlib, sys, threading
from tenuto.db import embedded
from tenuto.db.embedded.watch import Watch
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
home = pathlib.Path(sys.argv[1])
with embedded.server(home) as url:
    ended = threading.Event()
    watch = threading.Thread(target=Watch(home, None).run, args=[ended])
    watch.start()
    print("watching", flush=True)
    sys.stdin.read()
    ended.set()
    watch.join()
"""


def test_of_two_processes_that_see_the_death_one_starts_the_server(home: Path, tmp_path: Path):
    logs = [tmp_path / "one.log", tmp_path / "two.log"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    watchers: list[subprocess.Popen[bytes]] = []
    for log in logs:
        with log.open("wb") as out:
            command = [sys.executable, "-c", WATCH, str(home)]
            watchers.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out, env=environment))
    for log in logs:
        wait_until(lambda log=log: "watching" in log.read_text())
    server_log = find_paths(home).log
    starts, url = server_log.read_text().count(STARTED), embedded.status(home).url
    for deaths in (1, 2, 3):
        kill(home)
        for log in logs:
            wait_until(lambda log=log, deaths=deaths: log.read_text().count("accepts connections again") == deaths)

    assert server_log.read_text().count(STARTED) == starts + 3
    assert embedded.status(home).url == url
    assert len(says(home)) == 3
    texts = [log.read_text() for log in logs]
    assert sum(text.count("starting it again") for text in texts) >= 3
    assert [text.count("the embedded server died") for text in texts] == [3, 3]
    assert not any("Traceback" in text for text in texts)
    for watcher in watchers:
        watcher.communicate()
    assert not embedded.status(home).running  # the last process that used it stopped it


def _break_settings(home: Path) -> Callable[[], None]:
    """Make the server refuse to start; returns a function that mends it."""
    conf = embedded.status(home).data / "postgresql.conf"
    text = conf.read_text()
    conf.write_text(text + "\nno_such_setting = 1\n")

    def mend() -> None:
        conf.write_text(text)

    return mend
