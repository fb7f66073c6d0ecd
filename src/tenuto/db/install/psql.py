"""Runs psql in the terminal."""

import os
import signal
import subprocess
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tenuto.db.connection.errors import NoBinaries
from tenuto.db.embedded.binaries import find_program


def run(url: str, arguments: list[str], *, pg_bin: Path | None = None) -> int:
    """Run psql until it exits; return its exit code."""
    program = find_program("psql", pg_bin)
    if program is None:
        raise NoBinaries("psql was not found; install the system's postgresql-client, or connect with another client")
    parts = conninfo_to_dict(url)
    environment = {**os.environ, "PGPASSWORD": str(parts.pop("password", ""))}  # a command line is visible to all users
    if not environment["PGPASSWORD"]:
        del environment["PGPASSWORD"]
    # Ctrl-C goes to psql, which cancels its query and continues.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        command = [program, make_conninfo("", **parts), *arguments]
        return subprocess.run(
            command, env=environment, check=False, restore_signals=True, preexec_fn=_listen
        ).returncode
    finally:
        signal.signal(signal.SIGINT, before)


def _listen() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
