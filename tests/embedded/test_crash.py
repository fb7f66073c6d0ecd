"""Crashing: a killed server comes back at the same port with every row."""

import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tenuto.db import embedded
from tenuto.db.connection.errors import ServerFailed
from tenuto.db.embedded.postmaster import is_alive
from tests.support.faults import postgres_crash_script
from tests.support.waiting import wait_until

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("times", [4, pytest.param(20, marks=pytest.mark.soak)])
def test_killed_postmasters_lose_no_row_and_keep_the_port(home, times: int):
    ports, rows = postgres_crash_script.crash_and_recover(home, times)

    assert rows == times
    assert len(ports) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_ordinary_user_loses_no_row_either(new_home):
    nobody = pwd.getpwnam("nobody")
    new_home.mkdir()
    os.chown(new_home, nobody.pw_uid, nobody.pw_gid)
    command = [sys.executable, postgres_crash_script.__file__, new_home, str(nobody.pw_uid), str(nobody.pw_gid), "4"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ROOT})

    assert done.stderr == ""
    assert done.stdout.split() == [str(nobody.pw_uid), "1", "4"]


def test_a_backend_that_outlives_its_postmaster_does_not_keep_the_next_from_starting(home):
    first = embedded.start(home)
    busy = psycopg.connect(first.url, autocommit=True)
    # A stopped backend cannot notice that its postmaster is gone.
    os.kill(busy.info.backend_pid, signal.SIGSTOP)
    os.kill(first.pid, signal.SIGKILL)

    second = embedded.start(home)

    assert second.pid != first.pid
    assert second.url == first.url
    wait_until(lambda: not is_alive(busy.info.backend_pid))
    busy.close()


def test_a_pid_file_that_names_an_unrelated_process_is_seen_through(home):
    first = embedded.start(home)
    os.kill(first.pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(first.pid))
    pid_file = first.data / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")

    assert not embedded.status(home).running
    assert embedded.start(home).url == first.url


ZOMBIE = """
import ctypes, os, pathlib, sys
import psutil
from tenuto.db import embedded
from tenuto.db.embedded.postmaster import is_alive
from tenuto.db.connection.errors import ServerFailed
ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: orphans become ours, and we do not reap
home = pathlib.Path(sys.argv[1])
first = embedded.start(home)
os.kill(first.pid, 9)
while psutil.Process(first.pid).status() != psutil.STATUS_ZOMBIE:
    pass
second = embedded.start(home)
print(first.url == second.url, psutil.Process(first.pid).status())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a process that collects orphans, which only Linux has")
def test_a_dead_postmaster_that_nobody_reaps_is_not_mistaken_for_a_live_one(home):
    done = subprocess.run([sys.executable, "-c", ZOMBIE, home], capture_output=True, text=True, check=False)

    assert done.stdout == "True zombie\n", done.stderr


def test_a_lost_password_is_told_at_once(home):
    data = embedded.start(home).data
    (data.parent / "password").write_text("wrong\n")

    with pytest.raises(ServerFailed, match=r"refuses the password in .*password"):
        embedded.start(home)


def test_a_server_without_a_free_connection_counts_as_running(home):
    server = embedded.start(home)
    with psycopg.connect(server.url, autocommit=True) as conn:
        conn.execute("alter system set max_connections = 4")
        conn.execute("alter system set superuser_reserved_connections = 0")
        conn.execute("alter system set max_wal_senders = 0")
    embedded.stop(home)
    server = embedded.start(home)
    held = [psycopg.connect(server.url) for _ in range(4)]

    assert embedded.start(home).pid == server.pid
    for conn in held:
        conn.close()
