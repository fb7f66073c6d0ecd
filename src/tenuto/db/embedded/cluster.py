"""Creates the data folder of one Postgres cluster, and starts and stops its server."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Literal

import psycopg
from psycopg import sql

from tenuto.db.connection.errors import ServerFailed
from tenuto.db.embedded.binaries import Binaries, find_binaries, within_reach
from tenuto.db.embedded.failures import last_lines, record_failure
from tenuto.db.embedded.paths import DATABASE, HOST, USER, ServerPaths
from tenuto.db.embedded.postmaster import end_orphans, is_alive, read_pid_file, running_pid

# Replaying a lot of WAL takes minutes, and a server that is still recovering has not failed.
START_TIMEOUT_SECONDS = 900.0
STOP_TIMEOUT_SECONDS = 60.0
MAX_STARTS = 3  # of one call that starts a server which ends while it recovers
POLL_SECONDS = 0.02
CONNECT_SECONDS = 10
SILENT_SECONDS = 60.0  # a server that has not responded for so long hangs
LOG_LIMIT = 20_000_000

# fsync and synchronous_commit stay on, because even a laptop can lose power.
SETTINGS = """
# Tenuto's choices for one machine. Edit freely; they are written once.
max_connections = 200
jit = off                  # our statements are short; compiling them costs more than it saves
random_page_cost = 1.1
timezone = 'UTC'
log_timezone = 'UTC'
log_checkpoints = off
"""

Answer = Literal["accepts", "refuses", "silent"]


def ensure_running(place: ServerPaths, pg_bin: Path | None, *, in_use: bool) -> bool:
    """Returns when the server accepts connections. The result is True if this call started it. `in_use`: other
    processes use the server, so its port must stay the same. The caller must hold the lock."""
    starts, heard_at = 0, time.monotonic()
    for _ in _until("accept connections", place, START_TIMEOUT_SECONDS):
        pid = running_pid(place.data)
        if pid is None:
            if starts == MAX_STARTS:
                raise ServerFailed(f"the embedded server started and ended {starts} times; {last_lines(place)}")
            start(place, pg_bin, in_use=in_use or starts > 0)
            starts += 1
        elif (answer := _ask(place)) == "accepts":
            break
        elif answer == "refuses":
            heard_at = time.monotonic()
        elif time.monotonic() - heard_at >= SILENT_SECONDS:
            raise hangs(pid)
    return starts > 0


def hangs(pid: int) -> ServerFailed:
    return ServerFailed(
        f"the embedded server has not responded for {SILENT_SECONDS:.0f} s: process {pid} hangs; end it with "
        f"kill -9 {pid}, then start again"
    )


def stop(place: ServerPaths) -> bool:
    """Stops the server and disconnects its clients. Returns whether it was running. Its users do not start it again,
    even if it has died. The caller must hold the lock."""
    pid = running_pid(place.data)
    with suppress(OSError):  # such as a full disk
        place.stopped.touch(mode=0o600)
    if pid is None:
        return False
    for how, timeout in ((signal.SIGINT, STOP_TIMEOUT_SECONDS), (signal.SIGQUIT, STOP_TIMEOUT_SECONDS)):
        with suppress(ProcessLookupError):
            os.kill(pid, how)
        with suppress(ServerFailed):
            for _ in _until("stop", place, timeout):
                if running_pid(place.data) is None:
                    return True
    place.stopped.unlink(missing_ok=True)
    raise ServerFailed(f"the server with pid {pid} does not stop; see {place.log}")


def start(place: ServerPaths, pg_bin: Path | None, *, in_use: bool, died: bool = False) -> None:
    """Starts the server, which may still be recovering when this returns. Records that it did not start, or that it had
    died: that is, if it left its pid file, or if the caller has seen it running. The caller must hold the lock."""
    end = describe_end(place) if died or read_pid_file(place.data) is not None else None
    try:
        _start(place, pg_bin, in_use=in_use)
    except ServerFailed as error:
        record_failure(place, str(error))
        raise
    if end is not None:
        record_failure(place, end)
    place.stopped.unlink(missing_ok=True)


def describe_end(place: ServerPaths) -> str:
    """Return how the server ended that runs no more."""
    stale = read_pid_file(place.data)
    killed = stale and f"process {stale.pid} ended without shutting down, as after kill -9"
    return f"{killed or 'it ended, and Tenuto had not stopped it'}; {last_lines(place)}"


def _start(place: ServerPaths, pg_bin: Path | None, *, in_use: bool) -> None:
    binaries = within_reach(find_binaries(pg_bin, major=place.major), place.account, place.folder)
    if place.major is None:
        _make_cluster(place, binaries)
    end_orphans(place.data)
    port = place.settle_port(in_use=in_use)
    stale = read_pid_file(place.data)
    environment = _environment()
    if stale is not None:
        # While a killed postmaster is a zombie, Postgres considers it alive and does not start, unless its pid is that
        # of "the grandparent". Removing the pid file instead would race with another process that starts the server.
        environment["PG_GRANDPARENT_PID"] = str(stale.pid)
    if place.log.exists() and place.log.stat().st_size > LOG_LIMIT:
        place.log.rename(place.log.with_suffix(".log.old"))
    arguments = ["-D", place.data, "-c", f"listen_addresses={HOST}", "-p", str(port), "-c", "unix_socket_directories="]
    with _log_from_here(place) as (log, reason):
        # The shell exits at once, so that the server is not a child of this process and never becomes its zombie.
        shell = ["/bin/sh", "-c", '"$@" </dev/null >&2 & echo $!', "sh", binaries.folder / "postgres", *arguments]
        spawned = subprocess.run(
            shell, stdout=subprocess.PIPE, stderr=log, text=True, check=True,
            cwd=place.folder, env=environment, start_new_session=True,
            user=place.account.user, group=place.account.group, extra_groups=place.account.extra_groups,
        )  # fmt: skip
        _wait_until_listed(place, int(spawned.stdout), reason)


def probe(place: ServerPaths) -> Answer:
    """Tries to connect. `refuses`: the server does not accept connections yet, or not any more. `silent`: it has not
    responded within 10 s."""
    try:
        psycopg.connect(place.url("postgres"), connect_timeout=CONNECT_SECONDS).close()
    except psycopg.OperationalError as error:
        return "accepts" if "authentication failed" in str(error) else _answer_of(error)
    return "accepts"


def _wait_until_listed(place: ServerPaths, pid: int, reason: Callable[[], str]) -> None:
    """Returns when the new postmaster has written its pid file. Raises ServerFailed with lines of its log if it
    exits."""
    for _ in _until("start", place, START_TIMEOUT_SECONDS):
        if running_pid(place.data) == pid:
            return
        if not is_alive(pid):
            raise ServerFailed(f"the embedded server did not start: {reason()} (log: {place.log})")


def _ask(place: ServerPaths) -> Answer:
    """As `probe`; also creates the database if it is missing."""
    try:
        with psycopg.connect(place.url("postgres"), connect_timeout=CONNECT_SECONDS, autocommit=True) as conn:
            row = conn.execute("select 1 from pg_database where datname = %s", [DATABASE]).fetchone()
            if row is None:
                conn.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))
        return "accepts"
    except psycopg.OperationalError as error:
        if "authentication failed" in str(error):
            raise ServerFailed(f"the server refuses the password in {place.password}") from error
        return _answer_of(error)


def _answer_of(error: psycopg.OperationalError) -> Answer:
    if isinstance(error, psycopg.errors.ConnectionTimeout):
        return "silent"
    # libpq gives no error code for a refused connection, only a text. It is in English because of the locale that
    # initdb got.
    return "accepts" if "too many clients" in str(error) else "refuses"  # still recovering, or just killed


def _make_cluster(place: ServerPaths, binaries: Binaries) -> None:
    """Runs initdb in a temporary folder next to the final one, so that a partial cluster is never mistaken for a
    complete one."""
    workshop = place.folder / "init.tmp"
    shutil.rmtree(workshop, ignore_errors=True)
    workshop.mkdir(mode=0o700)
    secret = workshop / "password"
    secret.touch(mode=0o600)
    secret.write_text(place.new_password())
    place.account.give(workshop)
    place.account.give(secret)
    initdb = subprocess.run(
        [
            binaries.folder / "initdb", "-D", workshop / "data", "-U", USER, "--pwfile", secret,
            "--auth=scram-sha-256", "--locale=C", "--encoding=UTF8",
        ],
        capture_output=True, text=True, check=False, cwd=place.folder, env=_environment(),
        user=place.account.user, group=place.account.group, extra_groups=place.account.extra_groups,
    )  # fmt: skip
    if initdb.returncode != 0:
        raise ServerFailed(f"initdb failed in {place.folder}: {initdb.stderr.strip() or initdb.stdout.strip()}")
    with (workshop / "data" / "postgresql.conf").open("a") as conf:
        conf.write(SETTINGS)
    (workshop / "data").rename(place.data)
    shutil.rmtree(workshop)


def _environment() -> dict[str, str]:
    """Return a clean environment, because PGDATA, PGOPTIONS or a locale of the caller would change the server's
    behaviour."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}


@contextmanager
def _log_from_here(place: ServerPaths) -> Generator[tuple[IO[str], Callable[[], str]]]:
    """Yields the log, opened for appending, and a function that returns the errors that were written to it since
    then."""
    # Only the owner can read the log, because it may contain statements with values.
    private = os.open(place.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(private, "a") as log:
        start = log.tell()

        def reason() -> str:
            with place.log.open() as written:
                written.seek(start)
                lines = [line for line in written.read().splitlines() if "FATAL" in line or "HINT" in line]
            return " ".join(lines) or "it logged no FATAL error"

        yield log, reason


def _until(what: str, place: ServerPaths, timeout: float) -> Iterator[None]:
    """Yields repeatedly, with short pauses. Raises ServerFailed when the time is over."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        yield
        time.sleep(POLL_SECONDS)
    raise ServerFailed(f"the embedded server did not {what} within {timeout:.0f} s; see {place.log}")
