"""Slots for attempts: how many run, how many wait here for a slot, how many more to claim.

The loop's thread runs attempts; the lanes' threads carry reports out and claims in. They meet here, under one lock
that is taken once per batch, not once per task.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tenuto.worker.process.waker import Waker

BATCH = 1000  # a call costs as much as fifty tasks in it; bench/results
WORTH_SENDING = 800  # with work ahead, a lane goes when it is worth the trip
AHEAD_SECONDS = 0.1  # claim ahead what will start within this time, so that long tasks are left to others
MAX_AHEAD = 3 * BATCH
REPORT_DELAY_SECONDS = 0.004  # a report waits this long for company
POLL_SECONDS = 2.0  # with every wake-up lost, work still starts within this time

Report = tuple[str, int, str | None, str]  # task, attempt, output, run


@dataclass
class DurationEstimate:
    """How long attempts take: jumps up with the first long one, comes down slowly."""

    seconds: float | None = None

    def note(self, longest: float, count: int) -> None:
        known = self.seconds
        if known is None or longest > known:
            self.seconds = longest
        else:
            self.seconds = max(longest, known * 0.995**count)

    def ahead(self, capacity: int) -> int:
        """How many more than its slots this process may hold; none before it knows."""
        if self.seconds is None:
            return 0
        return min(MAX_AHEAD, int(capacity * AHEAD_SECONDS / max(self.seconds, 1e-6)))


@dataclass
class Exchange:
    """One trip of a lane: what it reports, how many it asks for."""

    reports: list[Report]
    want: int
    wakes: int = 0  # heard of when it left: a later one is about what it could not see


@dataclass
class Slots:
    """The slots that one set of lanes fills."""

    capacity: int
    pace: DurationEstimate = field(default_factory=DurationEstimate)
    lock: threading.Lock = field(default_factory=threading.Lock)
    parked: list[Waker] = field(default_factory=list)  # of lanes with nothing to carry
    open: int = 0  # claimed and not yet over
    claiming: int = 0  # asked for by a lane that is on its way
    reports: list[Report] = field(default_factory=list)
    oldest_report: float = 0.0
    hungry: bool = True  # there may be work out there
    wakes: int = 0
    polled: float = 0.0
    claims: bool = True  # False: finish what is here, claim nothing more
    closed: bool = False
    clock: Callable[[], float] = time.monotonic

    def wake(self, *, ring: bool = True) -> None:
        """There may be work; no bell rings when the lane that heard of it goes itself."""
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
        """Lanes bring out what is reported and end."""
        with self.lock:
            self.claims = False
            self.closed = True
            self._ring_all()

    def finish(self, reports: list[Report], over: int, longest: float) -> None:
        """Attempts are over; some of them are to be reported as completed."""
        with self.lock:
            if reports and not self.reports:
                self.oldest_report = self.clock()
            self.reports += reports
            self.open -= over
            if over:
                self.pace.note(longest, over)
            self._ring()

    def next_errand(self, bell: Waker, deaf: Callable[[], bool] = lambda: False) -> Exchange | None:
        """Wait until a trip is worth it; None when there will be no more. A lane that listens for others and is `deaf`
        goes with nothing, to hear again."""
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
                self.parked.append(bell)
            bell.wait(pause)
            with self.lock:
                if bell in self.parked:  # nobody rang
                    self.parked.remove(bell)

    def _leave(self, want: int, now: float) -> Exchange:
        errand = Exchange(self.reports[:BATCH], want, self.wakes)
        del self.reports[:BATCH]
        self.claiming += want
        if want:
            self.polled = now
        return errand

    def _ring(self) -> None:
        if self.parked:
            self.parked.pop().wake()

    def _ring_all(self) -> None:
        while self.parked:
            self._ring()

    def arrived(self, errand: Exchange, came: int) -> None:
        """A lane is back: fewer than it asked for means that there is no more for now."""
        with self.lock:
            self.claiming -= errand.want
            self.open += came
            if errand.want:
                self.hungry = came == errand.want or self.wakes != errand.wakes
            if self.hungry:
                self._ring()

    def give_up(self, errand: Exchange) -> None:
        """A lane could not deliver: its reports wait again, its claim never was."""
        with self.lock:
            self.claiming -= errand.want
            self.reports[:0] = errand.reports
            self.oldest_report = self.clock()

    def _want(self) -> int:
        # A report may release what waited for it, and nobody is told: so whoever reports also asks.
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
