"""Leaving: the server runs for those who use it, and no longer."""

import signal
import subprocess
import sys

import psycopg
import pytest

from tenuto.db import embedded
from tests.support.waiting import wait_until

JOIN = """
import sys, pathlib
from tenuto.db import embedded
with embedded.server(pathlib.Path(sys.argv[1])):
    print("joined", flush=True)
    sys.stdin.read()
"""


def a_user(home) -> subprocess.Popen:
    user = subprocess.Popen(
        [sys.executable, "-c", JOIN, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert user.stdout is not None
    assert user.stdout.readline() == "joined\n"
    return user


def test_the_last_user_stops_the_server(home):
    first, second = a_user(home), a_user(home)

    first.communicate("")
    assert embedded.status(home).running

    second.communicate("")
    assert not embedded.status(home).running


def test_a_user_killed_without_warning_does_not_count(home):
    killed, other = a_user(home), a_user(home)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()

    other.communicate("")

    assert not embedded.status(home).running


def test_a_server_whose_users_were_all_killed_is_used_by_the_next(home):
    killed = a_user(home)
    pid = embedded.status(home).pid
    killed.send_signal(signal.SIGKILL)
    killed.communicate()

    with embedded.server(home):
        assert embedded.status(home).pid == pid
    assert not embedded.status(home).running


def test_a_kept_server_runs_until_it_is_stopped(home):
    with embedded.server(home, keep=True):
        pass
    assert embedded.status(home).running

    assert embedded.stop(home)
    assert not embedded.status(home).running
    assert not embedded.stop(home)


def test_stop_does_not_wait_for_users(home):
    with embedded.server(home) as url, psycopg.connect(url) as conn:
        embedded.stop(home)
        wait_until(lambda: not embedded.status(home).running)
        with pytest.raises(psycopg.OperationalError):
            conn.execute("select 1")


def test_a_home_that_was_never_used_has_no_server(new_home):
    status = embedded.status(new_home)

    assert not status.running
    assert status.url is None
    assert not new_home.exists()
