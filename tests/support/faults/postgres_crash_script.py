"""Repeatedly writes a row, kills the postmaster and recovers; runs as the user given."""

import os
import signal
import sys
from pathlib import Path

import psutil
import psycopg

from tenuto.db import embedded


def crash_and_recover(home: Path, times: int) -> tuple[set[int], int]:
    """The ports seen and the rows found at the end."""
    ports = set()
    with embedded.server(home) as url:
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute("create table written (number int)")
        for number in range(times):
            server = embedded.start(home)
            ports.add(server.port)
            with psycopg.connect(server.url, autocommit=True) as conn:
                conn.execute("insert into written values (%s)", [number])
                os.kill(server.pid, signal.SIGKILL)
        with psycopg.connect(embedded.start(home).url) as conn:
            rows = conn.execute("select count(distinct number) from written").fetchone()
    return ports, rows[0] if rows else 0


def become(uid: int, gid: int) -> None:
    psutil.process_iter()  # what is imported lazily must be imported while the interpreter's files can be read
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


if __name__ == "__main__":
    _, home, uid, gid, times = sys.argv
    become(int(uid), int(gid))
    os.umask(0o077)
    ports, rows = crash_and_recover(Path(home), int(times))
    print(os.getuid(), len(ports), rows)
