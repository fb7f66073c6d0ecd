"""Escapes through memory that no process has mapped, and through other interfaces of the operating system's kernel."""

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
import platform
import signal
import socket
import time

from tenuto.runtimes.sandbox.seccomp import ABSENT, MACHINES, REFUSED
from tests.support.sandbox.escapes import libc, system

# With -1 everywhere it would make a queue, and with key 0 too: this asks for a queue that nobody made.
SHORT = {"msgget": (0x54454E55, 0)}


def errors_of_absent_calls() -> dict[str, str]:
    """What the kernel says to each call when it is made with arguments that no call takes."""
    column = list(MACHINES).index(platform.machine())
    numbers = {**ABSENT, **{name: REFUSED[name] for name in ("userfaultfd", "bpf")}}
    return {name: _error_of(name, numbers[name][column]) for name in numbers if numbers[name][column] is not None}


def _error_of(name: str, number: int | None) -> str:
    arguments = [ctypes.c_long(word) for word in SHORT.get(name, (-1,) * 6)]
    answer = libc.syscall(number, *arguments)
    if answer >= 0:  # a file, a queue or a segment: the process that asked ends with the attempt
        return "done"
    return errno.errorcode[ctypes.get_errno()]


def fill_memfds(count: int, megabytes: int) -> int:
    files = [os.memfd_create(f"probe{no}") for no in range(count)]
    try:
        return sum(os.write(file, b"x" * (1 << 20)) for file in files for _ in range(megabytes)) >> 20
    finally:
        for file in files:
            os.close(file)


def fill_segment(megabytes: int) -> int:
    """A segment of shared memory that is written and then mapped by nobody."""
    libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
    libc.shmat.argtypes, libc.shmat.restype = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int], ctypes.c_void_p
    libc.shmdt.argtypes = [ctypes.c_void_p]
    segment = libc.shmget(0, megabytes << 20, 0o600)
    system(segment)
    try:
        place = libc.shmat(segment, None, 0)
        ctypes.memset(place, 1, megabytes << 20)
        system(libc.shmdt(place))
        return megabytes
    finally:
        libc.shmctl(segment, 0, None)


def grow_pipe() -> int:
    reading, writing = os.pipe()
    try:
        return fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 19)
    finally:
        os.close(reading)
        os.close(writing)


def map_huge_pages() -> str:
    """How a machine without huge pages says that it has none is how the sandbox hears it, so only calls can be told."""
    try:
        mmap.mmap(-1, 2 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000).close()
    except OSError as problem:
        return errno.errorcode[problem.errno or 0]
    return "done"


def families() -> list[int]:
    """The families of which a socket can be made."""
    found = []
    for family in range(1, 50):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            with contextlib.suppress(OSError), socket.socket(family, kind):
                found.append(family)
    return sorted(set(found))


def pairs() -> list[int]:
    """The kinds of sockets that can be made in pairs."""
    found = []
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        with contextlib.suppress(OSError):
            for end in socket.socketpair(socket.AF_UNIX, kind):
                end.close()
            found.append(int(kind))
    return found


def grow_buffer() -> int:
    one, other = socket.socketpair()
    with one, other:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        return one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)


def fill_pairs(processes: int, each: int, seconds: float = 0) -> int:
    """Megabytes in sockets that nobody reads, with so many pairs in each of so many processes, for so long."""
    told, tell = os.pipe()
    children = [os.fork() or _hold_pairs(each, tell) for _ in range(processes)]
    total = sum(int(os.read(told, 12)) for _ in children)
    time.sleep(seconds)  # held until the sandbox notices it and ends the process
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return total >> 20


def _hold_pairs(each: int, tell: int) -> int:
    held, total = [socket.socketpair() for _ in range(each)], 0
    for end in (end for pair in held for end in pair):
        end.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                total += end.send(b"x" * 65_536)
    os.write(tell, b"%012d" % total)
    return signal.pause() or 0  # until it is killed


def spread_pages(processes: int, each: int, seconds: float = 0) -> int:
    """Pages that are read and never written, each in a table of its own: megabytes of tables, next to no pages."""
    told, tell = os.pipe()
    children = [os.fork() or _hold_tables(each, tell) for _ in range(processes)]
    for _ in children:
        os.read(told, 1)
    time.sleep(seconds)  # held until the sandbox notices it and ends the process
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return processes * each * 4096 >> 20


def _hold_tables(each: int, tell: int) -> int:
    libc.mmap.restype, libc.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, *[ctypes.c_size_t] * 5]
    anonymous, no_replace, no_file = 0x22, 0x100000, ctypes.c_size_t(-1).value
    for no in range(each):
        place = libc.mmap((1 << 44) + no * (2 << 20), 4096, mmap.PROT_READ, anonymous | no_replace, no_file, 0)
        ctypes.string_at(place, 1)
    os.write(tell, b"x")
    return signal.pause() or 0  # until it is killed
