"""`tenuto` as processes that start at once: forks of fork_server.py, with their own pids, streams and signals.

They differ from the program only in how they start, so tests of the start itself use the program.
"""

import atexit
import functools
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from tests.support.waiting import wait_until

ROOT = Path(__file__).parents[3]
# For scripts. Passes signals on, as a shell that waits for its command does. It begins as the scripts of pip do: an
# interpreter after `#!` cannot have a long path or one with spaces, so a shell starts it.
SCRIPT = """#!/bin/sh
'''exec' "{python}" -IS "$0" "$@"
' '''
import json, os, signal, socket, struct, sys
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect({address!r})
    request = json.dumps([sys.argv[1:], dict(os.environ), os.getcwd(), None]).encode()
    socket.send_fds(connection, [len(request).to_bytes(4, "big")], [0, 1, 2])
    connection.sendall(request)
    (pid,) = struct.unpack("!i", connection.recv(4))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    (code,) = struct.unpack("!i", connection.recv(4) or b"\\0\\0\\0\\x46")
os._exit(code if code >= 0 else 128 - code)
"""


@functools.cache
def _server() -> Path:
    """The address of this process's fork server."""
    folder = Path(tempfile.mkdtemp(prefix="tenuto-fork-"))
    folder.chmod(0o755)
    address = folder / "socket"
    command = [sys.executable, str(Path(__file__).with_name("fork_server.py")), str(address)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
    process = subprocess.Popen(command, cwd=ROOT, env=clean, stdin=subprocess.PIPE)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(process.kill)
    wait_until(lambda: address.exists() or process.poll() is not None)
    assert process.poll() is None
    return address


@functools.cache
def forked_tenuto() -> Path:
    """The folder of a program `tenuto`, to be put on PATH; it is gone with this process."""
    address = _server()
    program = address.with_name("tenuto")
    program.write_text(SCRIPT.format(python=sys.executable, address=str(address)))
    program.chmod(0o755)
    return program.parent


class ForkedTenuto:
    """One process, of `tenuto` or of a Python script, with the methods of subprocess.Popen that tests use."""

    def __init__(
        self,
        *arguments: str | Path,
        env: Mapping[str, str],
        stdout: BinaryIO,
        stderr: BinaryIO | None = None,
        stdin: BinaryIO | None = None,
        cwd: Path | None = None,
        script: Path | None = None,
    ) -> None:
        self.args = ["tenuto", *map(str, arguments)]
        self.returncode: int | None = None
        request = json.dumps([self.args[1:], dict(env), str(cwd or Path.cwd()), script and str(script)]).encode()
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(str(_server()))
        with Path(os.devnull).open("rb") as nothing:
            streams = [file.fileno() for file in (stdin or nothing, stdout, stderr or stdout)]
            socket.send_fds(self._connection, [len(request).to_bytes(4, "big")], streams)
        self._connection.sendall(request)
        self.pid = self._receive()

    def _receive(self) -> int:
        number: int = struct.unpack("!i", self._connection.recv(4))[0]
        return number

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
            self._end()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self._end()
        assert self.returncode is not None
        return self.returncode

    def _end(self) -> None:
        self.returncode = self._receive()
        self._connection.close()

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)
