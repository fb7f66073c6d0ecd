"""The slots of a worker process: decides how many attempts to claim and when to send reports.

The event loop runs attempts; claimer threads send reports and receive claims. They share this state under one lock that
is taken once per batch, not once per task.
"""

import os
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

BATCH = 1000  # tasks per call; a call without tasks costs as much as fifty tasks (bench/results)
WORTH_SENDING = 800  # with enough work ahead, the number of reports or claims that justifies a round trip
AHEAD_SECONDS = 0.1  # claim ahead what will start within this time, so that long tasks are left to other workers
MAX_AHEAD = 3 * BATCH
REPORT_DELAY_SECONDS = 0.004  # a report waits this long for others
POLL_SECONDS = 2.0  # if all wake-ups are lost, work still starts within this time

Report = tuple[str, int, str | None, str]  # task, attempt, output, run


class Waker:
    """Wakes a claimer's thread that has nothing to send. Can also watch a connection on which wake-ups arrive, so that
    no extra thread is needed."""

    def __init__(self) -> None:
        self._out, self._in = os.pipe()
        os.set_blocking(self._out, False)
        os.set_blocking(self._in, False)
        self._watched: tuple[int, Callable[[], None]] | None = None
        self.session_open: threading.Event | None = None  # not None: the claimer listens, but has no connection

    def must_connect(self) -> bool:
        return self.session_open is not None and self.session_open.is_set()

    def watch(self, fileno: int, came: Callable[[], None]) -> None:
        """Call `came` in the waiting thread when data arrives on the connection."""
        self._watched = fileno, came

    def unwatch(self) -> None:
        self._watched = None

    def wake(self) -> None:
        with suppress(BlockingIOError):  # full: already woken
            os.write(self._in, b"!")

    def wait(self, seconds: float) -> None:
        """Wait until `wake` is called, data arrives on the watched connection, or the time is over."""
        watched, poll = self._watched, select.poll()
        poll.register(self._out, select.POLLIN)
        if watched:
            poll.register(watched[0], select.POLLIN)
        for fileno, _ in poll.poll(seconds * 1000):
            if fileno == self._out:
                os.read(self._out, 4096)
            elif watched:
                watched[1]()

    def close(self) -> None:
        os.close(self._out)
        os.close(self._in)


@dataclass
class DurationEstimate:
    """Estimates the duration of attempts: the estimate rises at once after a long attempt and falls slowly."""

    seconds: float | None = None

    def record(self, longest: float, count: int) -> None:
        known = self.seconds
        if known is None or longest > known:
            self.seconds = longest
        else:
            self.seconds = max(longest, known * 0.995**count)

    def ahead(self, capacity: int) -> int:
        """Return how many attempts beyond its slots this process may hold; 0 while the duration is unknown."""
        if self.seconds is None:
            return 0
        return min(MAX_AHEAD, int(capacity * AHEAD_SECONDS / max(self.seconds, 1e-6)))


@dataclass
class Exchange:
    """One round trip of a claimer: what it reports and how many tasks it claims."""

    reports: list[Report]
    want: int
    wakes: int = 0  # how many wake-ups came before it; a later wake-up may announce work that its claim did not see


@dataclass
class Slots:
    """The slots that one group of claimers fills."""

    capacity: int
    pace: DurationEstimate = field(default_factory=DurationEstimate)
    lock: threading.Lock = field(default_factory=threading.Lock)
    parked: list[Waker] = field(default_factory=list[Waker])  # of claimers with nothing to send
    open: int = 0  # claimed and not yet ended
    claiming: int = 0  # requested by claims in progress
    reports: list[Report] = field(default_factory=list[Report])
    oldest_report: float = 0.0
    work_expected: bool = True
    wakes: int = 0
    polled: float = 0.0
    claims: bool = True  # False: finish the held attempts, claim nothing more
    closed: bool = False
    clock: Callable[[], float] = time.monotonic
    others: list["Slots"] = field(default_factory=list["Slots"])  # the other slots of the same process

    def wake(self) -> None:
        """Record that there may be work, and wake a claimer."""
        with self.lock:
            self.work_expected = True
            self.wakes += 1
            self._ring()

    def wake_others(self) -> None:
        """Record that one of the claimers received a wake-up, and wake the claimers of other slots. The claimer that
        received it claims by itself."""
        with self.lock:
            self.work_expected = True
            self.wakes += 1
        for slots in self.others:
            slots.wake()

    def stop_claiming(self) -> None:
        with self.lock:
            self.claims = False
            self._ring_all()

    def close(self) -> None:
        """Let the claimers send the remaining reports, and then end."""
        with self.lock:
            self.claims = False
            self.closed = True
            self._ring_all()

    def finish(self, reports: list[Report], over: int, longest: float) -> None:
        """Record `over` ended attempts. `reports`: the reports of those that completed. `longest`: the longest duration
        in seconds."""
        with self.lock:
            if reports and not self.reports:
                self.oldest_report = self.clock()
            self.reports += reports
            self.open -= over
            if over:
                self.pace.record(longest, over)
            if self.reports or self.work_expected:
                self._ring()

    def next_exchange(self, waker: Waker) -> Exchange | None:
        """Wait until a round trip is worthwhile, and return it; return None if the slots are closed and all reports
        were sent. A claimer that receives wake-ups but has no connection gets a round trip even without work, to
        reconnect."""
        while True:
            with self.lock:
                now = self.clock()
                if self.claims and now - self.polled >= POLL_SECONDS:
                    self.work_expected = True
                want = self._claim_limit()
                if self._worth_it(want, now) or (waker.must_connect() and not self.closed):
                    return self._leave(want, now)
                if self.closed and not self.reports:
                    return None
                pause = self._pause(now)
                self.parked.append(waker)
            waker.wait(pause)
            with self.lock:
                if waker in self.parked:  # nobody woke it
                    self.parked.remove(waker)

    def _leave(self, want: int, now: float) -> Exchange:
        exchange = Exchange(self.reports[:BATCH], want, self.wakes)
        del self.reports[:BATCH]
        self.claiming += want
        if want:
            self.polled = now
        return exchange

    def _ring(self) -> None:
        if self.parked:
            self.parked.pop().wake()

    def _ring_all(self) -> None:
        while self.parked:
            self._ring()

    def arrived(self, exchange: Exchange, came: int) -> None:
        """Record the result of a round trip: if it claimed fewer tasks than requested and no wake-up came in the
        meantime, there is no more work for now."""
        with self.lock:
            self.claiming -= exchange.want
            self.open += came
            if exchange.want:
                self.work_expected = came == exchange.want or self.wakes != exchange.wakes
            if self.work_expected:
                self._ring()

    def give_up(self, exchange: Exchange) -> None:
        """Undo a failed round trip: its reports wait again, its claim does not count."""
        with self.lock:
            self.claiming -= exchange.want
            self.reports[:0] = exchange.reports
            self.oldest_report = self.clock()

    def _claim_limit(self) -> int:
        # A report may release tasks without a wake-up, so every report also claims.
        if not self.claims or not (self.work_expected or self.reports):
            return 0
        held = self.open + self.claiming + max(0, len(self.reports) - BATCH)  # when reports pile up, claim less
        return max(0, min(BATCH, self.capacity + self.pace.ahead(self.capacity) - held))

    def _worth_it(self, want: int, now: float) -> bool:
        if want and self.work_expected and (want >= WORTH_SENDING or self.open + self.claiming < self.capacity):
            return True
        if not self.reports:
            return False
        return (
            len(self.reports) >= WORTH_SENDING
            or self.open == 0
            or self.closed
            or now - self.oldest_report >= REPORT_DELAY_SECONDS
        )

    def _pause(self, now: float) -> float:
        if self.reports:
            return REPORT_DELAY_SECONDS
        return max(0.01, POLL_SECONDS - (now - self.polled)) if self.claims and not self.work_expected else POLL_SECONDS
