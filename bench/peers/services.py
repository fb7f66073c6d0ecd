"""The servers that the systems share: one Postgres with default durability and one Redis, both stopped afterwards."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from bench.peers.peer import Peer
from bench.program import remove_home
from tenuto.db import embedded


@dataclass(frozen=True)
class Services:
    """The addresses of the servers."""

    postgres: str
    redis_port: int | None

    def url(self, peer: Peer) -> str:
        """Return the URL of the system's own database."""
        if peer.store == "redis":
            return f"redis://127.0.0.1:{self.redis_port}/0"
        return self.postgres.rsplit("/", 1)[0] + f"/bench_{peer.name}"

    def create(self, peer: Peer) -> None:
        if peer.store == "redis":
            _ask_redis(self.redis_port, "FLUSHALL")
            return
        with psycopg.connect(self.postgres, autocommit=True) as conn:
            conn.execute(f'create database "bench_{peer.name}"'.encode())

    def settle(self, peer: Peer) -> None:
        """Give all systems the same starting point: no dead rows, fresh statistics, no dirty pages."""
        if peer.store == "postgres":
            with psycopg.connect(make_conninfo(self.url(peer)), autocommit=True) as conn:
                conn.execute("vacuum analyze")
                conn.execute("checkpoint")

    def ended(self, peer: Peer) -> bool:
        """Whether all tasks have ended, according to the store."""
        if isinstance(peer.ended, tuple):
            return not any(int(_ask_redis(self.redis_port, "EXISTS", key)) for key in peer.ended)
        with psycopg.connect(self.url(peer), autocommit=True) as conn:
            row = conn.execute(peer.ended.encode()).fetchone()
            return bool(row and row[0])

    def transactions(self, peer: Peer) -> int:
        """Return the number of transactions so far in the system's database; an autocommitted statement is one."""
        with psycopg.connect(self.postgres, autocommit=True) as conn:
            query = "select xact_commit + xact_rollback from pg_stat_database where datname = %s"
            row = conn.execute(query, (f"bench_{peer.name}",)).fetchone()
            return int(row[0]) if row else 0


@contextmanager
def services(*, redis: bool) -> Iterator[Services]:
    home = Path(tempfile.mkdtemp(prefix="tenuto-compare-"))
    try:
        with embedded.server(home / "postgres") as postgres, _redis(home, wanted=redis) as port:
            yield Services(postgres, port)
    finally:
        remove_home(home / "postgres")
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def _redis(home: Path, *, wanted: bool) -> Iterator[int | None]:
    """Run Redis without persistence, which favours the systems on it: Postgres syncs every commit."""
    program = shutil.which("redis-server")
    if not wanted or program is None:
        yield None
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", home]
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield port
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            _ask_redis(port, "PING")
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise TimeoutError(f"redis-server does not answer on port {port}")


def _ask_redis(port: int | None, *words: str) -> str:
    """Send one command and return the line of the response."""
    with socket.create_connection(("127.0.0.1", port or 0), timeout=10) as sock:
        sock.sendall((" ".join(words) + "\r\n").encode())
        return sock.makefile().readline()[1:].strip()
