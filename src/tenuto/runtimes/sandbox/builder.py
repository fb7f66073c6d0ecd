"""Builds a sandbox around a process and waits until it ends: `python -I -m tenuto.runtimes.sandbox.builder FD SPEC`.

This process stays outside. If the sandbox has its own Linux namespaces (`walls` in spec.py), this process starts the
first process of the PID namespace, which starts the process with the code. When this process or that first process
ends, the kernel kills everything inside.
"""

import contextlib
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from tenuto.runtimes.sandbox.cgroup import Cgroup, NoCgroup, make
from tenuto.runtimes.sandbox.filesystem import build_walls
from tenuto.runtimes.sandbox.memory_watch import read_buffer, watch
from tenuto.runtimes.sandbox.privileges import become, drop_rights
from tenuto.runtimes.sandbox.spec import OUT_OF_MEMORY, Spec
from tenuto.runtimes.sandbox.syscalls import (
    NEW_IPC,
    NEW_MOUNTS,
    NEW_NAME,
    NEW_NETWORK,
    NEW_PIDS,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    PR_SET_PDEATHSIG,
    prctl,
    unshare,
)
from tenuto.sdk.secret_providers import RefusedSecrets, use_provider  # here: behind the walls, it could not be imported

NOBODY = 65534


def main(fd: int, spec: Spec) -> None:
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    prctl(PR_SET_DUMPABLE, 0)
    import_module(spec.program)  # here, once: everything inside is a fork of this process
    if spec.walls:
        end_like(_run_behind_walls(fd, spec))
    else:
        end_like(_run_without_walls(fd, spec))


def _run_behind_walls(fd: int, spec: Spec) -> int:
    cgroup, buffer = _make_cgroup(spec), read_buffer()
    unshare(NEW_MOUNTS | NEW_NAME | NEW_IPC | NEW_PIDS | NEW_NETWORK)
    status_pipe, status_out = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(status_pipe)
        _guard(_be_first, fd, spec, status_out, cgroup)
    signal.signal(signal.SIGTERM, lambda _number, _frame: os.kill(first, signal.SIGKILL))
    os.close(status_out)
    os.close(fd)
    over = watch(first, spec.limits.memory, buffer, cgroup.was_full if cgroup else lambda: False)
    os.wait()  # for the first process, and with it everything inside
    if cgroup:
        cgroup.remove()
    if over:
        return OUT_OF_MEMORY
    answer = os.read(status_pipe, 16)
    return int(answer) if answer else signal.SIGKILL  # the first process reported nothing: it was killed with the rest


def _make_cgroup(spec: Spec) -> Cgroup | None:
    """Create a memory cgroup; return None if that is impossible. The worker logs the reason at its start."""
    try:
        return make(spec.limits.memory + spec.limits.scratch)
    except NoCgroup:
        return None


def _be_first(fd: int, spec: Spec, tell: int, cgroup: Cgroup | None) -> None:
    """Run as the first process of the sandbox's PID namespace. No process inside can send it a signal. When it ends,
    all processes inside are killed."""
    if cgroup:
        cgroup.enter()
        cgroup.let_go()
    socket.sethostname("sandbox")
    _close_ipc()
    build_walls(spec)
    wait, go = os.pipe()
    inside = os.fork()
    if inside == 0:
        os.close(tell)
        os.close(go)
        os.read(wait, 1)  # wait until the first process has dropped its privileges
        _guard(_be_inside, fd, spec)
    os.close(fd)
    become(NOBODY)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # after the change of user, which clears it
    os.close(go)
    while True:
        ended, status = os.wait()
        if ended == inside:
            os.write(tell, str(status).encode())
            os._exit(0)


def _close_ipc() -> None:
    """Forbid shared memory, queues and semaphores in the sandbox's IPC namespace, in case a call passes the filter."""
    for name in ("shmall", "shmmni", "msgmni"):
        with contextlib.suppress(OSError):  # /proc/sys may be read-only
            Path("/proc/sys/kernel", name).write_text("0")


def _run_without_walls(fd: int, spec: Spec) -> int:
    """Run without a PID namespace. Orphaned processes become children of this process, which kills them at the end."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    inside = os.fork()
    if inside == 0:
        os.setsid()
        _guard(_be_inside, fd, spec)
    os.close(fd)
    signal.signal(signal.SIGTERM, lambda _number, _frame: _end_all_and(signal.SIGKILL))
    while True:
        ended, status = os.wait()
        if ended == inside:
            end_all()
            return status


def _end_all_and(status: int) -> NoReturn:
    end_all()
    end_like(status)


def end_all() -> None:
    """Kill every process below this one, including those started in the meantime."""
    while True:
        for pid in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123 (a file of the kernel)
        return [int(word) for word in file.read().split()]


def _be_inside(fd: int, spec: Spec) -> None:
    os.chdir(spec.cwd)
    os.dup2(fd, 3)
    os.closerange(4, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    drop_rights(spec)
    if spec.trial:
        Path(os.__file__).read_bytes()  # without walls, the sandbox's user may not be able to read Python's files
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)
    use_provider(RefusedSecrets())
    import_module(spec.program).main(socket.socket(fileno=3), spec)


def _guard(work: Callable[..., None], *arguments: object) -> NoReturn:
    """Run the work of a forked process and exit. A forked process must never continue with the code of its parent."""
    try:
        work(*arguments)
        os._exit(0)
    except SystemExit as leaving:
        os._exit(leaving.code if isinstance(leaving.code, int) else 1)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(2, f"tenuto sandbox: {type(error).__name__}: {error}\n".encode())
        os._exit(70)


def end_like(status: int) -> NoReturn:
    """End in the same way as the process inside, so that the worker sees how that process ended."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(int(sys.argv[1]), Spec.from_json(sys.argv[2]))
