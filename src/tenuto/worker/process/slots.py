"""Slots for attempts: how many run, how many wait for a slot, how many more to claim.

The event loop runs attempts; claimer threads send reports and receive claims. They share this state under one lock that
is taken once per batch, not once per task.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tenuto.worker.process.waker import Waker

BATCH = 1000  # a call costs as much as fifty tasks in it; bench/results
WORTH_SENDING = 800  # with enough work ahead, the number of reports or claims that justifies a round trip
AHEAD_SECONDS = 0.1  # claim ahead what will start within this time, so that long tasks are left to other workers
MAX_AHEAD = 3 * BATCH
REPORT_DELAY_SECONDS = 0.004  # a report waits this long for others
POLL_SECONDS = 2.0  # if all wake-ups are lost, work still starts within this time

Report = tuple[str, int, str | None, str]  # task, attempt, output, run


@dataclass
class DurationEstimate:
    """Estimates the duration of attempts: rises at once with a long one, falls slowly."""

    seconds: float | None = None

    def note(self, longest: float, count: int) -> None:
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
    wakes: int = 0  # wake-ups received when it started; a later one may be about work that it could not see


@dataclass
class Slots:
    """The slots that one group of claimers fills."""

    capacity: int
    pace: DurationEstimate = field(default_factory=DurationEstimate)
    lock: threading.Lock = field(default_factory=threading.Lock)
    parked: list[Waker] = field(default_factory=list)  # claimers with nothing to send
    open: int = 0  # claimed and not yet ended
    claiming: int = 0  # requested by claims in progress
    reports: list[Report] = field(default_factory=list)
    oldest_report: float = 0.0
    hungry: bool = True  # there may be work to claim
    wakes: int = 0
    polled: float = 0.0
    claims: bool = True  # False: finish the held attempts, claim nothing more
    closed: bool = False
    clock: Callable[[], float] = time.monotonic

    def wake(self, *, ring: bool = True) -> None:
        """Note that there may be work. `ring=False`: the claimer that received the wake-up claims by itself."""
        with self.lock:
            self.hungry = True
            self.wakes += 1
            if ring:
                self._ring()

    def stop_claiming(self) -> None:
        with self.lock:
            self.claims = False
            self._ring_all()

    def close(self) -> None:
        """Let claimers send the remaining reports and end."""
        with self.lock:
            self.claims = False
            self.closed = True
            self._ring_all()

    def finish(self, reports: list[Report], over: int, longest: float) -> None:
        """Record ended attempts; some of them are to be reported as completed."""
        with self.lock:
            if reports and not self.reports:
                self.oldest_report = self.clock()
            self.reports += reports
            self.open -= over
            if over:
                self.pace.note(longest, over)
            self._ring()

    def next_exchange(self, waker: Waker, deaf: Callable[[], bool] = lambda: False) -> Exchange | None:
        """Wait until a round trip is worthwhile; return None when there will be no more. A claimer that receives
        wake-ups but has no connection (`deaf`) goes even without work, to reconnect."""
        while True:
            with self.lock:
                now = self.clock()
                if self.claims and now - self.polled >= POLL_SECONDS:
                    self.hungry = True
                want = self._want()
                if self._worth_it(want, now) or (deaf() and not self.closed):
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
        """Record the result of a round trip: fewer tasks than requested means that there is no more work for now."""
        with self.lock:
            self.claiming -= exchange.want
            self.open += came
            if exchange.want:
                self.hungry = came == exchange.want or self.wakes != exchange.wakes
            if self.hungry:
                self._ring()

    def give_up(self, exchange: Exchange) -> None:
        """Undo a failed round trip: its reports wait again, its claim does not count."""
        with self.lock:
            self.claiming -= exchange.want
            self.reports[:0] = exchange.reports
            self.oldest_report = self.clock()

    def _want(self) -> int:
        # A report may release tasks without a wake-up, so every report also claims.
        if not self.claims or not (self.hungry or self.reports):
            return 0
        held = self.open + self.claiming + max(0, len(self.reports) - BATCH)  # when reports pile up, claim less
        return max(0, min(BATCH, self.capacity + self.pace.ahead(self.capacity) - held))

    def _worth_it(self, want: int, now: float) -> bool:
        if want and self.hungry and (want >= WORTH_SENDING or self.open + self.claiming < self.capacity):
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
        return max(0.01, POLL_SECONDS - (now - self.polled)) if self.claims and not self.hungry else POLL_SECONDS
