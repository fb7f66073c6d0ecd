"""A claimer: one thread with one connection that sends reports and receives claims, one batch per round trip."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tenuto.model.backoff import Backoff
from tenuto.model.errors import NotFound
from tenuto.model.tasks import Row
from tenuto.model.text import one_line
from tenuto.model.workers import CANCEL, EVERY_QUEUE, is_for
from tenuto.runtimes.background import BackgroundTasks
from tenuto.worker.backends.base import REJECTED, Backend, ClaimChannel, WakeupSource
from tenuto.worker.process.events import WorkerEvents
from tenuto.worker.process.held_attempts import HeldAttempts
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.process.slots import Exchange, Slots, Waker
from tenuto.worker.settings import WorkerSettings

log = logging.getLogger("tenuto.worker")

FOLD_EVERY_SECONDS = 0.05
# After a claim of at most FEW_TASKS tasks, sleep, so that the event loop gets the interpreter lock and starts these
# tasks.
FEW_TASKS, YIELD_SECONDS = 3, 0.0002
# The delay between the processes of a worker, so that one task does not make all of them claim at once.
PROCESS_STAGGER_SECONDS = 0.001
MAX_STAGGERED_PROCESSES = 5
MAX_PAUSE_SECONDS = 5.0
RESPONSE_TIMEOUT_SECONDS = 30.0


@dataclass
class Traffic:
    """The last known byte counts of a connection, and when they last changed."""

    bytes: tuple[int, int] | None = None
    changed: float = 0.0

    def still(self, now: float, left: float, bytes: tuple[int, int] | None) -> float:
        """Return for how many seconds nothing was transferred in a round trip that began at `left`. Without byte
        counts, return its whole duration so far."""
        if bytes != self.bytes:
            self.bytes, self.changed = bytes, now
        return now - (left if bytes is None else max(left, self.changed))


@dataclass(frozen=True)
class ClaimerHost:
    """State that all claimers of a process share."""

    backend: Backend
    held: HeldAttempts
    session: WorkerSession
    settings: WorkerSettings
    events: WorkerEvents
    parts: BackgroundTasks


class Claimer:
    """Runs until its slots are closed. `deliver` receives claimed rows. A claimer with `listens` receives the wake-ups
    for the whole process."""

    def __init__(
        self,
        host: ClaimerHost,
        slots: Slots,
        routes: list[int],
        *,
        deliver: Callable[[list[Row]], object],
        listens: bool = False,
    ) -> None:
        self._backend, self._held, self._session, self._events = host.backend, host.held, host.session, host.events
        self._slots, self._deliver, self._listens = slots, deliver, listens
        self._routes = routes  # shared with the code that resolves new routes
        self._queues, self._has_group = host.settings.queues, host.settings.resource_group is not None
        # How long this claimer waits after a wake-up before it claims.
        self._stagger = min(host.settings.turn, MAX_STAGGERED_PROCESSES) * PROCESS_STAGGER_SECONDS
        self._waker = Waker()
        self._drop_channel()
        self._touched: set[str] = set()
        self._folded_at = 0.0
        self._left: float | None = None  # when the round trip in progress began
        self._traffic = Traffic()
        self.thread = host.parts.thread("claimer", self._run)

    def start(self) -> None:
        self.thread.start()

    def cut_if_stuck(self, seconds: float = RESPONSE_TIMEOUT_SECONDS) -> None:
        """Abort a round trip in which nothing was transferred for `seconds`, for example because the other side
        vanished. With 0, abort it in any case. Called from other threads.

        The reports of an aborted round trip are sent again. If it claimed tasks nevertheless, a heartbeat finds them. A
        large response over a slow connection is not aborted, because it would be requested again and again.
        """
        left, channel = self._left, self._channel
        if left is None or channel is None:
            return
        if seconds == 0 or self._traffic.still(time.monotonic(), left, channel.traffic()) >= seconds:
            channel.cut()

    def _run(self) -> None:
        backoff, failing = Backoff(MAX_PAUSE_SECONDS), False
        while (exchange := self._slots.next_exchange(self._waker)) is not None:
            try:
                claimed = self._round_trip(exchange)
            except Exception as problem:  # whatever it is: without its claimer a worker would stay alive but idle
                failing = True
                self._slots.give_up(exchange)
                self._drop_channel()
                self._session.outage_log.failed(self, problem)
                time.sleep(backoff.after(problem))
            else:
                if failing:
                    failing = False
                    self._session.outage_log.recovered(self)
                    backoff.reset()
                if exchange.reports or self._touched:
                    self._report_touched_runs(exchange, claimed)
        if self._channel:
            self._channel.close()
        self._waker.close()

    def _round_trip(self, exchange: Exchange) -> int:
        """Send the reports, claim tasks and deliver them; return the number of claimed tasks."""
        self._session.open.wait()
        session_id, channel = self._session.id, self._connected()
        claim_no = self._held.open_claim()
        rows: list[Row] = []
        try:
            self._left = time.monotonic()
            rows = channel.exchange(
                [report[0] for report in exchange.reports],
                [report[1] for report in exchange.reports],
                [report[2] for report in exchange.reports],
                claim_no=claim_no,
                limit=exchange.want,
            )
        except REJECTED as problem:
            self._held.settle_claim(claim_no, ())
            self._one_by_one(exchange, problem)
            return 0
        except Exception:
            self._held.give_up_claim(claim_no)
            raise
        finally:
            self._left = None
        claimed = [row for row in rows if row[0] is None]
        reported = [(report[0], report[1]) for report in exchange.reports]
        self._held.settle_claim(claim_no, [(row[1], row[2]) for row in claimed], reported)  # type: ignore[misc]
        self._slots.arrived(exchange, len(claimed))
        if claimed:
            self._deliver(claimed)
        if 0 < len(claimed) <= FEW_TASKS:
            time.sleep(YIELD_SECONDS)
        if len(claimed) < len(rows):
            self._read_refusals(rows, session_id)
        return len(claimed)

    def _connected(self) -> ClaimChannel:
        if self._channel is None:
            self._channel = self._open()
            self._waker.session_open = None
        self._channel.serve(self._session.id, self._session.token, self._routes)
        return self._channel

    def _open(self) -> ClaimChannel:
        channel = self._backend.open_channel()
        if self._listens:
            source = channel.listen(self._handle_wakeup)
            if source:
                self._waker.watch(source.fileno(), partial(self._receive_wakeups, source))
                self._events.wakeups_arrive()
                self._handle_wakeup(EVERY_QUEUE)  # wake-ups sent before this point are lost
            else:
                self._events.wakeups_missing()
        return channel

    def _drop_channel(self) -> None:
        self._channel: ClaimChannel | None = None
        self._waker.unwatch()
        self._waker.session_open = self._session.open if self._listens else None

    def _handle_wakeup(self, queue: str) -> None:
        """Handle a wake-up: this claimer claims next, and the claimers of other slots are woken."""
        if queue == CANCEL:
            self._events.attempts_cancelled()
        elif is_for(queue, self._queues):
            self._slots.wake_others()  # first, because the work is most likely on a known route
            self._events.work_available()

    def _receive_wakeups(self, source: WakeupSource) -> None:
        try:
            source.hear()
        except Exception:
            self._drop_channel()
            self._slots.wake()  # wake-ups sent in between are lost: claim again to find the work
        if self._slots.work_expected and not self._slots.reports:
            time.sleep(self._stagger)

    def _one_by_one(self, exchange: Exchange, problem: Exception) -> None:
        """Handle a rejected batch: send each report on its own, so that only the invalid reports are rejected. If none
        is rejected, the claim caused the error: a task cannot be claimed, or the worker's resource group does not
        exist."""
        rejections = 0
        for no, report in enumerate(exchange.reports):
            try:
                self._connected().complete(*report[:3])
            except REJECTED as rejection:
                rejections += 1
                self._events.report_rejected(report, rejection)
            except Exception:
                del exchange.reports[:no]  # the reports before this one were accepted
                raise
            else:
                self._held.release([(report[0], report[1])])
        if exchange.want and not rejections:
            if self._has_group and isinstance(problem, NotFound):
                self._events.group_missing(str(problem))
                time.sleep(1.0)
            else:
                self._postpone_unclaimable(exchange.want, problem)
        self._slots.arrived(exchange, 0)
        self._slots.wake()

    def _postpone_unclaimable(self, limit: int, problem: Exception) -> None:
        try:
            tasks = self._connected().postpone_unclaimable(limit)
        except Exception as error:  # if it is an outage, the next round trip notices
            tasks, problem = [], error
        for task in tasks:
            log.error(
                "task %s cannot be claimed (%s); it is tried again in a minute: org=%s run=%s",
                task.task_id, one_line(task.error), task.org_id, task.run_id,
            )  # fmt: skip
        if not tasks:
            log.error("a claim was rejected: %s", problem)
            time.sleep(1.0)

    def _read_refusals(self, rows: list[Row], session_id: int) -> None:
        if any(row[0] == "session_ended" for row in rows):
            self._events.session_ended(session_id)
        if late := [row[1] for row in rows if row[0] == "stale_lease"]:
            log.warning("%d results came too late: the worker no longer held their tasks (%s …)", len(late), late[0])

    def _report_touched_runs(self, exchange: Exchange, claimed: int) -> None:
        """Report the runs of completed tasks: a run may have ended, or its tasks for other workers may have become
        ready. While tasks are being claimed, report at most every FOLD_EVERY_SECONDS."""
        self._touched.update(run_id for task_id, _, _, run_id in exchange.reports if run_id != task_id)
        if not self._touched or (claimed and time.monotonic() - self._folded_at < FOLD_EVERY_SECONDS):
            return
        try:
            self._connected().fold_and_wake_runs(self._touched)
        except Exception:
            self._drop_channel()  # only a hint: the dispatcher does this for runs that no worker reported
        self._touched.clear()
        self._folded_at = time.monotonic()
