"""`python -m tests.support.postgres.leave_with FOLDER` uses the server of the run until stdin ends, as it does however
the process that started this one ends. So the last one to leave also stops the server of a killed run."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tenuto.db import embedded
from tests.support.postgres.server import PG_BIN, remove_server
from tests.support.waiting import wait_until


@contextmanager
def leaving_with_this_process(folder: Path) -> Iterator[None]:
    command = [sys.executable, "-m", __name__, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as follower:
        assert follower.stdout
        assert follower.stdout.readline() == b"joined\n"
        yield
        follower.communicate(b"left")


if __name__ == "__main__":
    folder, parent = Path(sys.argv[1]), os.getppid()
    with embedded.server(folder, pg_bin=PG_BIN):
        print("joined", flush=True)
        if not sys.stdin.read():  # it was killed; its lock is released before this process gets another parent
            wait_until(lambda: os.getppid() != parent)
    if not embedded.status(folder).running:
        remove_server(folder)
