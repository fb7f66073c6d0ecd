"""A `tenuto` for scripts that call it dozens of times: each call is a fork of a process that has imported everything.

`forked_tenuto()` creates the program's folder, to be put on PATH. Commands that run until stopped (`tenuto up`,
`worker`, `dispatcher`, `server`) are the real program, because tests of them are about its processes and signals.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.processes.command_line import PRELOADED, ROOT, TENUTO, be_tenuto
from tests.support.waiting import wait_until

CALL = """#!{python} -IS
import json, os, socket, sys
if sys.argv[1:2] and sys.argv[1] in ("up", "worker", "dispatcher", "server"):
    os.execv({tenuto!r}, [{tenuto!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    said = json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]).encode()
    socket.send_fds(line, [len(said).to_bytes(4, "big")], [0, 1, 2])
    line.sendall(said)
    code = line.recv(1)
os._exit(code[0] if code else 70)
"""


@functools.cache
def forked_tenuto() -> Path:
    """The folder with the program `tenuto`; it is gone with this process."""
    folder = Path(tempfile.mkdtemp(prefix="tenuto-quick-"))
    folder.chmod(0o755)
    address = folder / "socket"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
    clean["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, __file__, str(address)]  # as a script, so that help texts name the program
    process = subprocess.Popen(command, cwd=ROOT, env=clean, stdin=subprocess.PIPE)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(process.kill)
    program = folder / "tenuto"
    program.write_text(CALL.format(python=sys.executable, tenuto=str(TENUTO), address=str(address)))
    program.chmod(0o755)
    wait_until(address.exists, timeout=60)
    return folder


def _serve(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen(100)
        Path(f"{address}.new").rename(address)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            line, _ = listener.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                _answer(line)
            line.close()


def _answer(line: socket.socket) -> None:
    head, files, _, _ = socket.recv_fds(line, 4, 3)
    said = b""
    while len(said) < int.from_bytes(head, "big"):
        said += line.recv(1 << 20)
    arguments, environment, here = json.loads(said)
    pid = os.fork()
    if pid == 0:
        line.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        be_tenuto(arguments, environment, Path(here))
    for file in files:
        os.close(file)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    line.send(bytes([code if code >= 0 else 128 - code]))
    os._exit(0)


if __name__ == "__main__":
    for module in (*PRELOADED, "rich.markdown", "rich.table"):
        importlib.import_module(module)  # so that no call has to
    gc.freeze()
    _serve(sys.argv[1])
