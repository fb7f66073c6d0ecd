"""Runs psql in the terminal."""

import os
import signal
import subprocess
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tenuto.db.connection.errors import NoBinaries
from tenuto.db.embedded.binaries import find_program


def run(url: str, arguments: list[str], *, pg_bin: Path | None = None) -> int:
    """Runs psql until it exits, and returns its exit code. Raises NoBinaries if psql was not found."""
    program = find_program("psql", pg_bin)
    if program is None:
        raise NoBinaries("psql was not found; install the system's postgresql-client, or connect with another client")
    parts = conninfo_to_dict(url)
    # not on the command line, which all users can see
    environment = {**os.environ, "PGPASSWORD": str(parts.pop("password", ""))}
    if not environment["PGPASSWORD"]:
        del environment["PGPASSWORD"]
    # This process ignores Ctrl-C: psql gets it too, cancels its query and continues.
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
