"""Ways out of a sandbox: plain functions, each of which succeeds outside of a sandbox."""

import contextlib
import ctypes
import os
import resource
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)


def in_child(work: Callable[[], object]) -> bool:
    """The work in a process of its own, which it may spoil; raises what it raised."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
            said = ""
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode() or b"\0")
        os._exit(0)
    os.close(writing)
    said = os.read(reading, 4096)
    os.waitpid(child, 0)
    if said != b"\0":
        raise PermissionError(said.decode())
    return True


def system(answer: int) -> None:
    if answer == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def environ() -> dict[str, str]:
    return dict(os.environ)


def read(path: str) -> str:
    return Path(path).read_bytes()[:20_000].decode("utf-8", "replace").replace("\0", "\n")


def read_by_link(path: str) -> str:
    link = Path(f"link-{os.getpid()}")
    link.symlink_to(path)
    try:
        return read(str(link))
    finally:
        link.unlink()


def names_in(path: str) -> list[str]:
    return sorted(os.listdir(path))  # noqa: PTH208


def peek(pid: int) -> str:
    """The first bytes of another process's memory."""
    where = Path(f"/proc/{pid}/maps").read_text().split("-")[0]
    with Path(f"/proc/{pid}/mem").open("rb") as memory:
        memory.seek(int(where, 16))
        return memory.read(4).hex()


def processes() -> list[int]:
    return [int(name) for name in names_in("/proc") if name.isdigit()]


def open_things() -> list[str]:
    found = []
    for name in names_in("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.append(str(Path(f"/proc/self/fd/{name}").readlink()))
    return found


def trace(pid: int) -> bool:
    attach, detach = 16, 17
    system(libc.ptrace(attach, pid, 0, 0))
    os.waitpid(pid, 0)
    system(libc.ptrace(detach, pid, 0, 0))
    return True


def trace_child() -> bool:
    sleeper = subprocess.Popen(["/bin/sleep", "20"])
    try:
        return trace(sleeper.pid)
    finally:
        sleeper.kill()
        sleeper.wait()


def send_signal(pid: int) -> bool:
    os.kill(pid, signal.SIGTERM)
    return True


def take_memory(megabytes: int) -> int:
    return len(bytearray(megabytes << 20)) >> 20


def burn() -> None:
    while True:
        pass


def write_files(folder: str, count: int, megabytes: int) -> int:
    block = b"x" * (1 << 20)
    for no in range(count):
        with (Path(folder) / f"file{no}").open("wb") as file:
            for _ in range(megabytes):
                file.write(block)
    return count * megabytes


def open_files(count: int) -> int:
    files = []
    try:
        while len(files) < count:
            files.append(os.open("/dev/null", os.O_RDONLY))
        return len(files)
    finally:
        for file in files:
            os.close(file)


def append_nothing(path: str) -> bool:
    """Whether the file could be written."""
    with Path(path).open("ab"):
        return True


def may_write(path: str) -> bool:
    """Whether it could, without doing it."""
    if not os.access(path, os.W_OK):
        raise PermissionError(f"{path} cannot be written")
    return True


def write(path: str, text: str) -> str:
    Path(path).write_text(text)
    return path


def leave_daemon(mark: str) -> int:
    """A process that is nobody's child and in nobody's group."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        daemon = os.fork()
        if daemon == 0:
            os.execv("/bin/sleep", [mark, "600"])  # noqa: S606 (that is the point)
        os.write(writing, str(daemon).encode())
        os._exit(0)
    os.wait()
    return int(os.read(reading, 20))


def connect(host: str, port: int) -> bool:
    socket.create_connection((host, port), timeout=5).close()
    return True


def find_way(host: str) -> bool:
    """Whether the machine knows a way there; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect((host, 80))
        return True


def connect_by_name(name: str) -> bool:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(f"\0{name}")
        return True


def raise_limit() -> bool:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard + 1 if os.geteuid() else hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1000), max(hard, 1000)))
    return True


def unshare_mounts() -> bool:
    return in_child(lambda: system(libc.unshare(0x00020000)) or system(libc.mount(b"x", b"/mnt", b"tmpfs", 0, None)))


def unshare_user() -> bool:
    return in_child(lambda: system(libc.unshare(0x10000000)))


def change_root() -> bool:
    return in_child(lambda: os.chroot("/usr"))


def make_device(folder: str) -> bool:
    os.mknod(f"{folder}/disk", stat.S_IFBLK | 0o600, os.makedev(254, 0))
    return True


def become_root() -> bool:
    return in_child(lambda: os.setresuid(0, 0, 0))


def return_text(megabytes: int) -> str:
    return "x" * (megabytes << 20)


def plant(name: str, value: str) -> None:
    """Something for whoever comes next in this process, or in its folders."""
    os.environ[name] = value
    Path(os.environ.get("HOME", "."), "sitecustomize.py").write_text("") if os.geteuid() else None


def find_planted(name: str) -> list[str]:
    return [os.environ[name]] if name in os.environ else [name for name in names_in(".") if name == "sitecustomize.py"]


def say(line: str) -> None:
    """Straight into the line to the worker."""
    with socket.socket(fileno=os.dup(3)) as way:
        way.sendall(line.encode())
    time.sleep(20)  # the worker reads it and ends us; ending first would say something else


def say_without_end(megabytes: int) -> None:
    say("x" * (megabytes << 20))


def leave_link(folder: str) -> str:
    Path("link").symlink_to(folder)
    return str(Path.cwd())


def stay() -> str:
    """Until somebody who can look in says so."""
    Path("secret").write_text("of another attempt")
    while not Path("release").exists():  # from inside there is nothing else to wait on
        time.sleep(0.01)
    return Path("secret").read_text()


def die(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(20)  # until the signal arrives


def leave(code: int) -> None:
    os._exit(code)


def who() -> dict[str, Any]:
    status = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    wanted = ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp")
    return {
        "uid": os.getuid(),
        "groups": os.getgroups(),
        "cwd": str(Path.cwd()),
        **{key: status[key] for key in wanted},
    }
