"""A program that has imported everything `tenuto` needs and forks one process per request: importing takes longer than
most commands and most starts of a worker or server.

A request holds the arguments, the environment, the working directory and perhaps a Python script to run instead of
`tenuto`, and passes the standard streams. The response is the process id and, when the process has ended, its exit
code. A process is killed when its requester is gone. Children of workers are forks too, of their supervisors.
"""

import asyncio
import atexit
import ctypes
import gc
import importlib
import json
import logging
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import Context
from functools import partial
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(sys.executable).with_name("tenuto")
ALSO = ("rich.markdown", "rich.table", "rich.live", "pydantic.type_adapter", "uvicorn.protocols.http.h11_impl")
CHILD = "tenuto.worker.process.main"
NAME_CHARS = 15  # of a process, which `WorkerProcess.children` looks for

_exit_code = 1  # of a process that ends with an exception


def _import_everything() -> None:
    import tenuto
    from tenuto.db.install.sql_tree import read_tree
    from tenuto.model.keys import Peppers
    from tenuto.server.app import create_app
    from tenuto.server.settings import ServerSettings
    from tenuto.worker.supervisor import spawn

    for module in pkgutil.walk_packages(tenuto.__path__, "tenuto."):
        importlib.import_module(module.name)
    for name in ALSO:
        importlib.import_module(name)
    create_app(ServerSettings("", "tenuto_api", Peppers((b"",))))  # builds the routes, which applications share
    _ = read_tree().interface.digest
    if sys.platform == "linux":
        spawn.Popen = _fork_child  # type: ignore[assignment,misc]
    gc.freeze()


class Server:
    """Forks a process per request and watches all of them. One thread and one fork per process: copying the memory map
    of all that is imported is most of what a short command costs."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._events = selectors.DefaultSelector()
        self._watched: dict[int, socket.socket | int] = {}

    def serve(self) -> None:
        """Until stdin closes, when the test process ends."""
        self._events.register(sys.stdin, selectors.EVENT_READ)
        self._watch(self._listener, self._start)
        while True:
            for key, _ in self._events.select():
                if key.fileobj is sys.stdin:
                    return
                if self._watched.get(key.fd) == key.fileobj:  # an earlier event of this round may have closed it
                    key.data()

    def _watch(self, file: socket.socket | int, act: Callable[[], None]) -> None:
        key = self._events.register(file, selectors.EVENT_READ, act)
        self._watched[key.fd] = file

    def _close(self, file: socket.socket | int) -> None:
        key = self._events.unregister(file)
        del self._watched[key.fd]
        _close(file)

    def _start(self) -> None:
        connection, _ = self._listener.accept()
        head, files, _, _ = socket.recv_fds(connection, 4, 3)
        request = b""
        while len(request) < int.from_bytes(head, "big") and (piece := connection.recv(1 << 20)):
            request += piece
        if not request or len(request) < int.from_bytes(head, "big"):  # its requester is gone already
            for file in (connection, *files):
                _close(file)
            return
        pid = os.fork()
        if pid == 0:
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            for file in (connection, *self._watched.values()):
                _close(file)
            self._events.close()
            for number, file in enumerate(files):
                os.dup2(file, number)
                os.close(file)
            _run(*json.loads(request))
        for file in files:
            os.close(file)
        with suppress(OSError):  # its requester is gone, and the connection says so next
            connection.send(struct.pack("!i", pid))
        process = os.pidfd_open(pid)
        self._watch(connection, partial(self._kill, connection, process))
        self._watch(process, partial(self._end, connection, process, pid))

    def _kill(self, connection: socket.socket, process: int) -> None:
        """Its requester is gone."""
        self._close(connection)
        signal.pidfd_send_signal(process, signal.SIGKILL)

    def _end(self, connection: socket.socket, process: int, pid: int) -> None:
        self._close(process)
        _, status = os.waitpid(pid, 0)
        if connection.fileno() in self._watched:
            with suppress(OSError):  # its requester is gone
                connection.send(struct.pack("!i", os.waitstatus_to_exitcode(status)))
            self._close(connection)


def _close(file: socket.socket | int) -> None:
    if isinstance(file, int):
        os.close(file)
    else:
        file.close()


def _serve(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen(100)
        Path(f"{address}.new").rename(address)
        Server(listener).serve()


def _run(arguments: Sequence[str], environment: dict[str, str], folder: str, script: str | None) -> NoReturn:
    """Run as if a shell had started the program."""
    from tenuto.cli.main import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    first = PROGRAM if script is None else Path(script)
    sys.path[:] = [str(first.parent), *(path for path in sys.path if path.startswith((sys.prefix, sys.base_prefix)))]
    sys.argv = [str(first), *arguments]
    _end_with(main if script is None else lambda: runpy.run_path(script, run_name="__main__"))


def _end_with(main: Callable[[], object]) -> NoReturn:
    global _exit_code
    try:
        main()
    except SystemExit as end:
        _exit_code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise
    _exit_code = 0
    raise SystemExit


def _fork_child(command: Sequence[str], *, pass_fds: Sequence[int], **_: object) -> "ForkedChild":
    """Stands for `Popen` where a worker starts a child, which is a fork of its supervisor."""
    sys.stdout.flush()
    sys.stderr.flush()
    gc.collect()  # in the child it would close files that are others by then
    pid = os.fork()
    if pid == 0:
        Context().run(_be_child, command[3:], pass_fds)
    return ForkedChild(pid)


def _be_child(arguments: Sequence[str], files: Sequence[int]) -> NoReturn:
    """Run as `python -m tenuto.worker.process.main`. Nothing of the supervisor is left but its modules."""
    asyncio.events._set_running_loop(None)
    asyncio.set_event_loop_policy(None)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for file in {int(path.name) for path in Path("/proc/self/fd").iterdir()} - {0, 1, 2, *files}:
        with suppress(OSError):  # the one with which the folder was read
            os.close(file)
    ctypes.CDLL(None).prctl(15, CHILD[-NAME_CHARS:].encode())  # PR_SET_NAME
    for handler in logging.root.handlers[:]:
        logging.root.removeHandler(handler)
    atexit._clear()
    atexit.register(_exit_at_once)
    atexit.register(logging.shutdown)
    sys.path[0] = os.getcwd()  # noqa: PTH109 - as `python -m` does
    sys.argv = [CHILD, *arguments]
    del sys.modules[CHILD]
    try:
        _end_with(lambda: runpy.run_module(CHILD, run_name="__main__", alter_sys=True))
    except SystemExit:
        pass
    except BaseException:
        traceback.print_exc()
    finally:  # nothing below this frame is of the child
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    os._exit(1)


class ForkedChild:
    """One process, with the methods of Popen that a supervisor uses."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None and (ended := os.waitpid(self.pid, os.WNOHANG))[0]:
            self._code = os.waitstatus_to_exitcode(ended[1])
        return self._code

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def _exit_at_once() -> None:
    """Runs last of all exit functions: taking apart everything that was imported takes longer than most commands."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_exit_code)


if __name__ == "__main__":
    atexit.register(_exit_at_once)
    _import_everything()
    _serve(sys.argv[1])
