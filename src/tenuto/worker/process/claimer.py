"""A lane: one thread with one connection that carries reports out and claims in, a batch a trip."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tenuto.db.connection.availability import Backoff
from tenuto.db.connection.claim_connection import Row
from tenuto.model.errors import TenutoError
from tenuto.runtimes.background import BackgroundTasks
from tenuto.worker.backends.base import Backend, ClaimChannel, WakeupSource
from tenuto.worker.process.held_attempts import HeldAttempts
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.process.slots import Exchange, Report, Slots
from tenuto.worker.process.waker import Waker
from tenuto.worker.process.wakeups import EVERY_QUEUE, WakeupRouter

log = logging.getLogger("tenuto.worker")

FOLD_EVERY_SECONDS = 0.05
FEW, ASIDE = 3, 0.0002  # after so few, seconds in which the loop has the interpreter for itself, to begin them
MAX_PAUSE_SECONDS = 5.0
RESPONSE_TIMEOUT_SECONDS = 30.0


@dataclass
class Traffic:
    """What was last seen to have come and gone over a line, and when that had changed."""

    bytes: tuple[int, int] | None = None
    changed: float = 0.0

    def still(self, now: float, left: float, bytes: tuple[int, int] | None) -> float:
        """For how many seconds of a trip that began at `left` nothing came or went; None: nobody knows."""
        if bytes != self.bytes:
            self.bytes, self.changed = bytes, now
        return now - (left if bytes is None else max(left, self.changed))


class Claimer:
    """Runs until its crew is closed. `deliver` takes claimed rows, `unfit` a report that cannot be accepted; the lane
    with `hearing` listens for the whole process."""

    def __init__(
        self,
        kernel: Backend,
        crew: Slots,
        held: HeldAttempts,
        session: WorkerSession,
        routes: list[int],
        *,
        deliver: Callable[[list[Row]], None],
        unfit: Callable[[Report, TenutoError], None],
        ended: Callable[[int], None],
        parts: BackgroundTasks,
        hearing: WakeupRouter | None = None,
    ) -> None:
        self._kernel, self._hearing = kernel, hearing
        self._crew, self._held, self._session = crew, held, session
        self._routes = routes  # shared with whoever resolves new ones
        self._deliver, self._unfit, self._ended = deliver, unfit, ended
        self._lane: ClaimChannel | None = None
        self._bell = Waker()
        self._touched: set[str] = set()
        self._nudged = 0.0
        self._left: float | None = None  # when the trip that is under way began
        self._traffic = Traffic()
        self.thread = parts.thread("lane", self._run)

    def start(self) -> None:
        self.thread.start()

    def cut_if_stuck(self, seconds: float = RESPONSE_TIMEOUT_SECONDS) -> None:
        """From another thread: end a trip over which nothing comes or goes, as when the other side vanished without a
        word. What it reported is reported again, and what it claimed nevertheless is found by the heartbeat. A large
        answer on a slow line may take longer: cut, it would be asked for again, for ever."""
        left, lane = self._left, self._lane
        if left is None or lane is None:
            return
        if seconds == 0 or self._traffic.still(time.monotonic(), left, lane.traffic()) >= seconds:
            lane.cut()

    def _run(self) -> None:
        backoff = Backoff(MAX_PAUSE_SECONDS)
        while (errand := self._crew.next_errand(self._bell, self._is_deaf)) is not None:
            try:
                claimed = self._trip(errand)
            except Exception as problem:  # whatever it is: a lane that ended would leave its worker alive and idle
                self._crew.give_up(errand)
                self._lose()
                self._session.absence.lost(self, problem)
                time.sleep(backoff.after(problem))
            else:
                self._session.absence.found(self)
                backoff.reset()
                self._nudge(errand, claimed)
        if self._lane:
            self._lane.close()
        self._bell.close()

    def _trip(self, errand: Exchange) -> int:
        """Report, claim, hand over; how many came."""
        self._session.open.wait()
        session_id, lane = self._session.id, self._connected()
        claim_no = self._held.open_claim()
        rows: list[Row] = []
        try:
            self._left = time.monotonic()
            rows = lane.exchange(
                [report[0] for report in errand.reports],
                [report[1] for report in errand.reports],
                [report[2] for report in errand.reports],
                claim_no=claim_no,
                limit=errand.want,
            )
        except TenutoError as problem:
            self._held.settle_claim(claim_no, ())
            self._one_by_one(errand, problem)
            return 0
        except Exception:
            self._held.settle_claim(claim_no, ())
            raise
        finally:
            self._left = None
        claimed = [row for row in rows if row[0] is None]
        reported = [(report[0], report[1]) for report in errand.reports]
        self._held.settle_claim(claim_no, [(row[1], row[2]) for row in claimed], reported)  # type: ignore[misc]
        self._crew.arrived(errand, len(claimed))
        if claimed:
            self._deliver(claimed)
        if 0 < len(claimed) <= FEW:
            time.sleep(ASIDE)
        if len(claimed) < len(rows):
            self._read_refusals(rows, session_id)
        return len(claimed)

    def _connected(self) -> ClaimChannel:
        if self._lane is None:
            self._lane = self._open()
        self._lane.serve(self._session.id, self._session.token, self._routes)
        return self._lane

    def _open(self) -> ClaimChannel:
        lane = self._kernel.open_line()
        if self._hearing:
            ear = lane.listen(partial(self._hearing.heard, by=self._crew))
            if ear:
                self._bell.watch(ear.fileno(), partial(self._hear, ear, self._hearing.turn))
                self._hearing.listens()
                self._hearing.heard(EVERY_QUEUE, by=self._crew)  # what was sent before that is lost
            else:
                self._hearing.deaf()
        return lane

    def _is_deaf(self) -> bool:
        return self._hearing is not None and self._lane is None and self._session.open.is_set()

    def _lose(self) -> None:
        self._lane = None
        self._bell.unwatch()

    def _hear(self, ear: WakeupSource, turn: float) -> None:
        try:
            ear.hear()
        except Exception:
            self._lose()
            self._crew.wake()  # what was sent meanwhile is lost: whoever asks anew finds it
        if self._crew.hungry and not self._crew.reports:
            time.sleep(turn)

    def _one_by_one(self, errand: Exchange, problem: TenutoError) -> None:
        """Something in the batch cannot be accepted: the others must not suffer for it."""
        if not errand.reports:
            log.error("a claim was refused: %s", problem)
            time.sleep(1.0)
        for no, report in enumerate(errand.reports):
            try:
                self._connected().complete(*report[:3])
            except TenutoError as unfit:
                self._unfit(report, unfit)
            except Exception:
                del errand.reports[:no]  # the others were answered
                raise
            else:
                self._held.release([(report[0], report[1])])
        self._crew.arrived(errand, 0)
        self._crew.wake()

    def _read_refusals(self, rows: list[Row], session_id: int) -> None:
        answers = [row[0] for row in rows]
        if "session_ended" in answers:
            self._ended(session_id)
        if late := [row[1] for row in rows if row[0] == "stale_lease"]:
            log.warning("%d results came too late: their tasks were taken back (%s …)", len(late), late[0])

    def _nudge(self, errand: Exchange, claimed: int) -> None:
        """A run of several tasks may have ended, or other workers' tasks become ready: say so, not too often."""
        self._touched.update(run_id for task_id, _, _, run_id in errand.reports if run_id != task_id)
        if not self._touched or (claimed and time.monotonic() - self._nudged < FOLD_EVERY_SECONDS):
            return
        try:
            self._connected().nudge(self._touched)
        except Exception:
            self._lose()  # a hint: the dispatcher adds up what nobody did
        self._touched.clear()
        self._nudged = time.monotonic()
