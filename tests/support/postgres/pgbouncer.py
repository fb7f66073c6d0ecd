"""A real PgBouncer in transaction mode in front of the test's database, with so few connections that all share them."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import socket
from urllib.parse import unquote, urlsplit

import psycopg
import pytest

from tests.support.free_ports import free_ports
from tests.support.waiting import wait_until

SETTINGS = """\
[databases]
{databases}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
unix_socket_dir =
"""


def find_pgbouncer() -> str:
    found = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/sbin")
    if found is None:
        pytest.skip("there is no PgBouncer here: on Debian or Ubuntu, apt-get install pgbouncer (.ci/run does)")
    return found


@contextmanager
def a_pooler(database: str, logins: dict[str, list[str]]) -> Iterator[dict[str, str]]:
    """A URL through the pooler for each login, which is made here with the rights of these roles."""
    there = urlsplit(database)
    name = there.path.removeprefix("/")
    password = unquote(there.password or "")
    with psycopg.connect(database, autocommit=True) as conn:
        for login, roles in logins.items():
            conn.execute(f"create role {name}_{login} login password '{password}'".encode())
            conn.execute(f"grant {', '.join(roles)} to {name}_{login}".encode())
    lines = [
        f"{login} = host={there.hostname} port={there.port} dbname={name} user={name}_{login} password={password}"
        for login in logins
    ]
    folder = Path(tempfile.mkdtemp(prefix="tenuto-pooler-"))
    try:
        folder.chmod(0o755)
        settings = folder / "pgbouncer.ini"
        (port,) = free_ports(1)
        settings.write_text(SETTINGS.format(databases="\n".join(lines), port=port))
        with _running(settings, port):
            yield {login: f"postgresql://any@127.0.0.1:{port}/{login}" for login in logins}
    finally:
        shutil.rmtree(folder)
        with psycopg.connect(database, autocommit=True) as conn:
            for login in logins:
                conn.execute(f"drop role {name}_{login}".encode())


@contextmanager
def _running(settings: Path, port: int) -> Iterator[None]:
    account = "nobody" if os.getuid() == 0 else None  # it refuses to be root
    log = settings.with_name("log")
    with log.open("wb") as file:
        process = subprocess.Popen([find_pgbouncer(), str(settings)], stdout=file, stderr=file, user=account)
    try:
        wait_until(lambda: _is_listening(port) or process.poll() is not None)
        assert process.poll() is None, log.read_text()
        yield
    finally:
        process.terminate()
        process.wait(60)


def _is_listening(port: int) -> bool:
    with socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0
