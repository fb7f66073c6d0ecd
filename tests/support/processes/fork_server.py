"""A program that has imported everything `tenuto` needs and forks one process per request: importing takes longer than
most commands and most starts of a worker or server.

A request holds the arguments, the environment and the working directory, and passes the standard streams. The response
is the process id and, when the process has ended, its exit code. A process is killed when its requester is gone.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(sys.executable).with_name("tenuto")
ALSO = ("rich.markdown", "rich.table", "rich.live", "pydantic.type_adapter", "uvicorn.protocols.http.h11_impl")

_exit_code = 1  # of a process that ends with an exception


def _import_everything() -> None:
    import tenuto
    from tenuto.model.keys import Peppers
    from tenuto.server.app import create_app
    from tenuto.server.settings import ServerSettings

    for module in pkgutil.walk_packages(tenuto.__path__, "tenuto."):
        importlib.import_module(module.name)
    for name in ALSO:
        importlib.import_module(name)
    create_app(ServerSettings("", "tenuto_api", Peppers((b"",))))  # builds the routes, which applications share
    gc.freeze()


def _serve(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen(100)
        Path(f"{address}.new").rename(address)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:  # it closes when the test process ends
            connection, _ = listener.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                _respond(connection)
            connection.close()


def _respond(connection: socket.socket) -> None:
    head, files, _, _ = socket.recv_fds(connection, 4, 3)
    request = b""
    while len(request) < int.from_bytes(head, "big"):
        request += connection.recv(1 << 20)
    arguments, environment, folder = json.loads(request)
    pid = os.fork()
    if pid == 0:
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        _be_tenuto(arguments, environment, folder)
    for file in files:
        os.close(file)
    connection.send(struct.pack("!i", pid))
    threading.Thread(target=_kill_when_closed, args=(connection, pid), daemon=True).start()
    _, status = os.waitpid(pid, 0)
    connection.send(struct.pack("!i", os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _kill_when_closed(connection: socket.socket, pid: int) -> None:
    connection.recv(1)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _be_tenuto(arguments: Sequence[str], environment: dict[str, str], folder: str) -> NoReturn:
    """Run as if a shell had started the program."""
    global _exit_code
    from tenuto.cli.main import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = [str(PROGRAM.parent), *(path for path in sys.path if path.startswith((sys.prefix, sys.base_prefix)))]
    sys.argv = [str(PROGRAM), *arguments]
    try:
        main()
    except SystemExit as end:
        _exit_code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise


def _exit_at_once() -> None:
    """Runs last of all exit functions: taking apart everything that was imported takes longer than most commands."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_exit_code)


if __name__ == "__main__":
    atexit.register(_exit_at_once)
    _import_everything()
    _serve(sys.argv[1])
