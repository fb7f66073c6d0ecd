"""Records which attempts have started, in memory that outlives the process: when it dies, one of them may be the cause.

Attempts that were claimed ahead and had not started are given back and not counted as lost. Otherwise one crashing task
would cost a thousand others an attempt.
"""

import mmap
import os
import tempfile

WIDTH = 48  # a task id and its attempt, as text


class CrashLedger:
    """A fixed number of entries in a shared, unnamed file."""

    def __init__(self, fd: int) -> None:
        size = os.fstat(fd).st_size
        self._map = mmap.mmap(fd, size)
        self._free = list(range(size // WIDTH))

    def enter(self, task_id: str, attempt: int) -> int:
        place = self._free.pop() if self._free else -1
        if place >= 0:
            start = place * WIDTH
            self._map[start : start + WIDTH] = f"{task_id} {attempt}".ljust(WIDTH).encode()
        return place

    def leave(self, place: int) -> None:
        if place >= 0:
            self._map[place * WIDTH] = 0
            self._free.append(place)


def make_file(places: int) -> int:
    """Return a file descriptor to share with a child."""
    with tempfile.TemporaryFile() as file:
        file.truncate(places * WIDTH)
        return os.dup(file.fileno())


def read(fd: int) -> list[tuple[str, int]]:
    """Return the attempts that had started and not ended."""
    size = os.fstat(fd).st_size
    content = os.pread(fd, size, 0)
    places = (content[start : start + WIDTH] for start in range(0, size, WIDTH))
    begun = [place.decode().split() for place in places if place[0]]
    return [(task_id, int(attempt)) for task_id, attempt in begun]


def clear(fd: int) -> None:
    os.pwrite(fd, b"\0" * os.fstat(fd).st_size, 0)
