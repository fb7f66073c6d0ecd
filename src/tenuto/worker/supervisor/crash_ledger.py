"""Records which attempts have started, in memory that outlives the process: when it dies, one of them may be the cause.
An attempt stays recorded until its report was accepted: code that it left behind may end the process after its end.

Attempts that were claimed ahead and had not started are given back and not counted as lost. Otherwise one crashing task
would cost a thousand others an attempt.
"""

import mmap
import os
import tempfile

WIDTH = 48  # a task id and its attempt, as text; the last byte is set when the attempt has ended
ENDED = ord("!")
MAX_UNREPORTED = 5000  # ended attempts whose reports wait: what claimers send at once, and what was claimed ahead


class CrashLedger:
    """A fixed number of entries in a shared, unnamed file."""

    def __init__(self, fd: int) -> None:
        size = os.fstat(fd).st_size
        self._map = mmap.mmap(fd, size)
        self._free = list(range(size // WIDTH))
        self._places: dict[tuple[str, int], int] = {}

    def enter(self, task_id: str, attempt: int) -> int:
        """Record a started attempt; return its place, -1 if all are taken."""
        place = self._free.pop() if self._free else -1
        if place >= 0:
            self._places[task_id, attempt] = place
            start = place * WIDTH
            self._map[start : start + WIDTH] = f"{task_id} {attempt}".ljust(WIDTH).encode()
        return place

    def end(self, place: int) -> None:
        """Record that the attempt has ended; its report is still to be accepted."""
        if place >= 0:
            self._map[(place + 1) * WIDTH - 1] = ENDED

    def leave(self, fence: tuple[str, int]) -> None:
        """Remove an attempt whose report was accepted. Thread-safe."""
        place = self._places.pop(fence, -1)
        if place >= 0:
            self._map[place * WIDTH] = 0
            self._free.append(place)


def make_file(running: int) -> int:
    """Return a file descriptor to share with a child that runs so many attempts at a time."""
    with tempfile.TemporaryFile() as file:
        file.truncate((running + MAX_UNREPORTED) * WIDTH)
        return os.dup(file.fileno())


def read(fd: int, *, ended: bool = False) -> list[tuple[str, int]]:
    """Return the attempts that had started and not ended; `ended`: also those whose report was not accepted."""
    size = os.fstat(fd).st_size
    content = os.pread(fd, size, 0)
    places = (content[start : start + WIDTH] for start in range(0, size, WIDTH))
    begun = [place[:-1].decode().split() for place in places if place[0] and (ended or place[-1] != ENDED)]
    return [(task_id, int(attempt)) for task_id, attempt in begun]
