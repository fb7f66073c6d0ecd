"""The attempts that this process holds: a list for its heartbeats, and a ledger of started attempts that the supervisor
reads when the process dies."""

import mmap
import os
import tempfile
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass

WIDTH = 48  # a task id and its attempt, as text; the last byte is set when the attempt has ended
ENDED = ord("!")
MAX_UNREPORTED = 5000  # entries for ended attempts whose reports were not accepted yet

AttemptId = tuple[str, int]  # task, attempt


class CrashLedger:
    """Records which attempts have started, in a shared, unnamed file that outlives the process. The number of entries
    is fixed.

    When the process dies, one of the started attempts may be the cause, so they count as lost. An attempt stays
    recorded until its report was accepted, because code that it left behind may end the process later. Attempts that
    were claimed ahead and had not started are given back and do not count as lost. Otherwise one crashing task would
    cost a thousand other tasks an attempt.
    """

    def __init__(self, fd: int) -> None:
        size = os.fstat(fd).st_size
        self._map = mmap.mmap(fd, size)
        self._free = list(range(size // WIDTH))
        self._places: dict[AttemptId, int] = {}

    def enter(self, task_id: str, attempt: int) -> int:
        """Record a started attempt; return the index of its entry, or -1 if all entries are taken."""
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

    def leave(self, fences: Collection[AttemptId]) -> None:
        """Remove attempts whose reports were accepted. Thread-safe."""
        places, content, free = self._places, self._map, self._free
        for fence in fences:
            place = places.pop(fence, -1)
            if place >= 0:
                content[place * WIDTH] = 0
                free.append(place)


def make_ledger_file(running: int) -> int:
    """Create a ledger for a child process that runs `running` attempts at a time; return its file descriptor."""
    with tempfile.TemporaryFile() as file:
        fd = os.dup(file.fileno())
    resize_ledger(fd, running)
    return fd


def resize_ledger(fd: int, running: int) -> None:
    """Make room for `running` attempts at a time. Must be called before the child opens the file."""
    os.truncate(fd, (running + MAX_UNREPORTED) * WIDTH)


def read_ledger(fd: int, *, ended: bool = False) -> list[tuple[str, int]]:
    """Return the attempts that have started and not ended. `ended`: also ended attempts whose report was not
    accepted."""
    size = os.fstat(fd).st_size
    content = os.pread(fd, size, 0)
    places = (content[start : start + WIDTH] for start in range(0, size, WIDTH))
    begun = [place[:-1].decode().split() for place in places if place[0] and (ended or place[-1] != ENDED)]
    return [(task_id, int(attempt)) for task_id, attempt in begun]


@dataclass(frozen=True)
class HeldSnapshot:
    """The content of a heartbeat: the attempts that the process holds, and which claims the list covers. Every claim up
    to number `settled` has got a response or was given up. Claims up to number `given_up` may have attempts in the
    database that are not in the list."""

    ids: list[str]
    attempts: list[int]
    settled: int
    given_up: int


class HeldAttempts:
    """Tracks attempts from the response to their claim to the response to their report. Shared by claimer threads and
    the heartbeat. The attempts of a claim are added in the same step that settles the claim."""

    def __init__(self, ledger: CrashLedger | None = None) -> None:
        self._ledger = ledger  # None: no supervisor reads a ledger
        self._lock = threading.Lock()
        self._attempts: dict[str, int] = {}
        self._open_claims: set[int] = set()
        self._last_claim = self._given_up = 0

    def open_claim(self) -> int:
        with self._lock:
            self._last_claim += 1
            self._open_claims.add(self._last_claim)
            return self._last_claim

    def settle_claim(self, claim_no: int, taken: Iterable[AttemptId], reported: Collection[AttemptId] = ()) -> None:
        """Settle a claim that returned the attempts `taken`, and release the attempts that the same call reported."""
        with self._lock:
            self._open_claims.discard(claim_no)
            self._release(reported)
            self._attempts.update(taken)

    def give_up_claim(self, claim_no: int) -> None:
        """Settle a claim that got no response. The database may have executed it nevertheless."""
        with self._lock:
            self._open_claims.discard(claim_no)
            self._given_up = max(self._given_up, claim_no)

    def drop(self, fence: AttemptId) -> None:
        """Release an attempt whose outcome is not reported."""
        with self._lock:
            self._release([fence])
            self._given_up = self._last_claim

    def release(self, reported: Collection[AttemptId]) -> None:
        """Release reported attempts. If a later attempt of the same task has been claimed since, that attempt stays
        held."""
        with self._lock:
            self._release(reported)

    def _release(self, reported: Collection[AttemptId]) -> None:
        attempts = self._attempts
        for task_id, attempt in reported:
            if attempts.get(task_id) == attempt:
                del attempts[task_id]
        if self._ledger is not None:
            self._ledger.leave(reported)

    def snapshot(self) -> HeldSnapshot:
        with self._lock:
            settled = min(self._open_claims, default=self._last_claim + 1) - 1
            return HeldSnapshot(list(self._attempts), list(self._attempts.values()), settled, self._given_up)
