"""A process from which sandboxes are forked: `python -I -m tenuto.runtimes.sandbox.template FD PROGRAM`.

Most of the time of building a sandbox is spent on importing its program. The template imports it once. Each sandbox is
a fork of the template and builds its own walls (see spec.py), so that two sandboxes share nothing but the memory pages
of the code. The template reads nothing but the requests of the process that started it, and ends when that process
ends.
"""

import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from tenuto.runtimes.sandbox import builder
from tenuto.runtimes.sandbox.spec import Spec
from tenuto.runtimes.sandbox.syscalls import PR_SET_DUMPABLE, PR_SET_PDEATHSIG, prctl

MAX_REQUEST_BYTES = 1 << 16


def main(control: socket.socket, program: str) -> None:
    """Fork a sandbox for each request, and report how each ends, until the connection is closed."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_DUMPABLE, 0)
    import_module(program)
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    control.sendall(b'{"ready": true}\n')
    children: set[int] = set()
    while True:
        ready, _, _ = select.select([control, ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            _report_ended(control, children)
        if control in ready:
            text, files, _, _ = socket.recv_fds(control, MAX_REQUEST_BYTES, 2)
            if not text:
                return
            for line in text.splitlines():
                _answer(control, children, json.loads(line), files)


def _answer(control: socket.socket, children: set[int], request: dict[str, object], files: list[int]) -> None:
    match request:
        case {"kill": int(pid), "signal": int(number)} if pid in children:  # not reaped: the pid is still its own
            os.kill(pid, number)
        case {"start": str(text), "id": int(number)}:
            connection, errors = files
            child = os.fork()
            if child == 0:
                _become_sandbox(control, connection, errors, text)
            children.add(child)
            for file in files:
                os.close(file)
            control.sendall(json.dumps({"started": child, "id": number}).encode() + b"\n")
        case _:
            pass  # it has ended already


def _become_sandbox(control: socket.socket, connection: int, errors: int, text: str) -> NoReturn:
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        os.setsid()
        os.dup2(errors, 2)
        os.close(errors)
        builder.main(connection, Spec.from_json(text))
    except BaseException as error:
        with suppress(OSError):
            os.write(2, f"tenuto sandbox: {type(error).__name__}: {error}\n".encode())
    os._exit(70)


def _report_ended(control: socket.socket, children: set[int]) -> None:
    while children:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        children.discard(pid)
        ended = {"ended": pid, "code": os.waitstatus_to_exitcode(status)}
        control.sendall(json.dumps(ended).encode() + b"\n")


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])
