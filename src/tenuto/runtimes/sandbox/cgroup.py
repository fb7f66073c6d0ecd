"""A memory cgroup for a sandbox: limits all memory that the sandbox uses, even memory that no process has mapped."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PREFIX = "tenuto-sandbox-"
MOUNTS, OWN = Path("/proc/self/mountinfo"), Path("/proc/self/cgroup")
ROOM = 64 << 20  # for the kernel's own use on behalf of a sandbox: page tables, pipe buffers, file names


class NoCgroup(Exception):
    """No memory cgroup can be created here; the message says what is missing."""


@dataclass(frozen=True)
class CgroupFolder:
    """A cgroup in which cgroups for sandboxes can be created."""

    folder: Path
    version: int


class Cgroup:
    """A cgroup with a memory limit. It is accessed through open folders, because it has no path inside the sandbox."""

    def __init__(self, place: CgroupFolder, name: str, most: int) -> None:
        self._name, self._events = name, "memory.events" if place.version == 2 else "memory.oom_control"
        self._above = os.open(place.folder, os.O_RDONLY | os.O_DIRECTORY)
        os.mkdir(name, dir_fd=self._above)
        self._folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._above)
        try:
            if place.version == 2:
                self._write("memory.max", most)
                self._write_if_there("memory.swap.max", 0)
                self._write_if_there("memory.oom.group", 1)
            else:
                self._write("memory.limit_in_bytes", most)
                self._write_if_there("memory.memsw.limit_in_bytes", most)  # memory and swap together
        except OSError:
            self.remove()
            raise

    def enter(self) -> None:
        """Move the calling process, and everything it will start, into the cgroup."""
        self._write("cgroup.procs", 0)

    def was_full(self) -> bool:
        """Return whether the kernel has killed a process of the cgroup for its memory use."""
        with suppress(OSError), os.fdopen(os.open(self._events, os.O_RDONLY, dir_fd=self._folder)) as file:
            for text in file:
                if text.startswith("oom_kill "):
                    return int(text.split()[1]) > 0
        return False

    def let_go(self) -> None:
        """Close the folders, in a process that no longer needs them."""
        os.close(self._folder)
        os.close(self._above)

    def remove(self) -> None:
        """Remove the cgroup; it must be empty."""
        with suppress(OSError):
            os.rmdir(self._name, dir_fd=self._above)
        self.let_go()

    def _write(self, name: str, value: int) -> None:
        with os.fdopen(os.open(name, os.O_WRONLY, dir_fd=self._folder), "w") as file:
            file.write(str(value))

    def _write_if_there(self, name: str, value: int) -> None:
        with suppress(OSError):  # a kernel without swap accounting, or an old one
            self._write(name, value)


def make(most: int) -> Cgroup:
    """Create a cgroup for the sandbox of this process, limited to `most` bytes plus ROOM for the kernel. Raises
    NoCgroup if that is impossible."""
    try:
        return Cgroup(find_folder(), f"{PREFIX}{os.getpid()}", most + ROOM)
    except OSError as problem:
        raise NoCgroup(f"{problem.strerror}: {problem.filename}") from problem


def why_not() -> str | None:
    """Return the reason why sandboxes cannot have a memory cgroup here; None if they can. Also removes cgroups of
    killed sandboxes."""
    try:
        make(ROOM).remove()
        _sweep(find_folder().folder)
    except NoCgroup as problem:
        return str(problem)
    return None


def find_folder() -> CgroupFolder:
    """Return the cgroup in which to create the cgroups of sandboxes: the cgroup of this process, or its parent cgroup
    if systemd delegated the parent to this service. Raises NoCgroup if neither can limit memory."""
    own = {line.split(":", 2)[1]: line.rstrip("\n").split(":", 2)[2] for line in OWN.read_text().splitlines()}
    for root, mounted, kind, options in _mounts():
        if kind == "cgroup" and "memory" in options:
            path = next(where for names, where in own.items() if "memory" in names.split(","))
            return CgroupFolder(_below(mounted, root, path), 1)
    for root, mounted, kind, _ in _mounts():
        if kind == "cgroup2" and "" in own:
            folder = _below(mounted, root, own[""])
            for place in (folder, *([folder.parent] if _is_ours(folder.parent) else [])):
                if _hands_down_memory(place):
                    return CgroupFolder(place, 2)
            raise NoCgroup(
                f"{folder} delegates no memory controller; in systemd set Delegate=yes and DelegateSubgroup=worker"
            )
    raise NoCgroup("no memory controller is mounted")


def _mounts() -> list[tuple[str, str, str, list[str]]]:
    """Return root, path, kind and options of everything that is mounted."""
    mounts: list[tuple[str, str, str, list[str]]] = []
    for line in MOUNTS.read_text().splitlines():
        before, _, after = line.partition(" - ")
        words, (kind, _, options) = before.split(" "), after.split(" ")
        mounts.append((words[3], words[4], kind, options.split(",")))
    return mounts


def _below(mounted: str, root: str, path: str) -> Path:
    """Return the folder of the cgroup `path`. In a container, the mount may show only part of the cgroup tree. If the
    path is outside of that part, return the folder of the mount."""
    inside = os.path.relpath(path, root)
    return Path(mounted) if inside.startswith("..") else Path(mounted, inside)


def _is_ours(folder: Path) -> bool:
    """Whether systemd delegated the cgroup to the service (`Delegate=yes`)."""
    for name in ("trusted.delegate", "user.delegate"):
        with suppress(OSError):
            return os.getxattr(folder, name) == b"1"
    return False


def _hands_down_memory(folder: Path) -> bool:
    """Enable the memory controller for cgroups below this one; return whether it is enabled. A cgroup that contains
    processes cannot enable it."""
    with suppress(OSError):
        handed_down = folder / "cgroup.subtree_control"
        if "memory" not in handed_down.read_text().split():
            handed_down.write_text("+memory")
        return True
    return False


def _sweep(folder: Path) -> None:
    """Remove the cgroups of processes that no longer exist."""
    for left in folder.glob(f"{PREFIX}*"):
        if not Path("/proc", left.name.removeprefix(PREFIX)).exists():
            with suppress(OSError):
                left.rmdir()
