"""Keeps one child process alive: sends its heartbeats, forwards the results, and gives back its attempts when it
dies."""

import asyncio
import logging
import random
import time
from contextlib import suppress
from typing import Any
from uuid import UUID

import psutil

from tenuto.db.connection.errors import RowRejected, Unreachable
from tenuto.model.errors import SessionEnded
from tenuto.model.metrics import PART_RESTARTS, TASK_SECONDS, TASKS_ENDED
from tenuto.model.tasks import Fences
from tenuto.model.text import one_line
from tenuto.model.workers import Session
from tenuto.runtimes.background import BackgroundTaskDied, BackgroundTasks
from tenuto.worker.backends.base import REJECTED, Backend, give_everything_back
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor import crash_ledger
from tenuto.worker.supervisor.child_process import ChildProcess, start_child
from tenuto.worker.supervisor.comparison import Comparison
from tenuto.worker.supervisor.lease_clock import LOOK_EVERY, lease_time
from tenuto.worker.supervisor.outage_log import OutageLog

log = logging.getLogger("tenuto.worker")

CHILD_RESPONSE_SECONDS = 1.0  # a child with a busy interpreter does not respond; its previous response is used
MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.2, 30.0  # after a child that could not start
RELEASE_TIMEOUT_SECONDS = 5.0
STUCK_CHILD_SECONDS = 5.0  # longer than a child waits for an attempt that does not stop
# After the grace period, for final reports; a child with a blocked interpreter receives no messages.
SHUTDOWN_MARGIN_SECONDS = 7.0

NOTHING_HELD: dict[str, Any] = {"ids": [], "attempts": [], "settled": 0, "given_up": 0, "metrics": {}}


class WorkerRefused(Exception):
    """The worker cannot run with these settings. The message says what to do."""


class Supervisor:
    """Runs one child process and its replacements."""

    def __init__(
        self,
        backend: Backend,
        settings: WorkerSettings,
        no: int,
        outage_log: OutageLog,
        *,
        first: ChildProcess | None = None,
    ) -> None:
        self._backend, self._settings, self._no, self._outage_log = backend, settings, no, outage_log
        self._first = first  # a child that was already started
        self._worked = False  # the current child became ready
        self._child: ChildProcess | None = None
        self._session: Session | None = None
        self._held, self._comparison = NOTHING_HELD, Comparison()
        self._answered = asyncio.Event()
        self._beat_now = asyncio.Event()
        self._stopping = asyncio.Event()
        self._grace: float | None = None
        self._kill_timer: asyncio.TimerHandle | None = None
        self._killed = False
        # Attempts that the child still runs although they are lost, and since when.
        self._lost: dict[tuple[str, int], float] = {}
        self.ready = asyncio.Event()

    def stop(self, grace: float | None) -> None:
        """Finish within the grace period; None: no limit. When called again, the latest call wins."""
        self._grace = grace
        self._stopping.set()
        if self._kill_timer:
            self._kill_timer.cancel()
        if grace is not None:
            self._kill_timer = asyncio.get_running_loop().call_later(grace + SHUTDOWN_MARGIN_SECONDS, self.kill)
        if self._session is None:
            self.kill()  # without a session it holds nothing
        elif self._child:
            self._child.tell(do="stop", grace=grace)

    def kill(self) -> None:
        """Kill the child at once. Its attempts are given back and not counted as lost."""
        self._killed = True
        if self._child and self._child.process.returncode is None:
            self._child.process.kill()

    async def run(self) -> None:
        """Run children until asked to stop; one that dies is replaced."""
        pause = MIN_PAUSE_SECONDS
        while not self._stopping.is_set():
            self._worked = self._killed = False
            try:
                child, self._first = self._first or await start_child(self._settings.concurrency), None
                self._child = child
            except OSError as problem:  # out of memory or processes: may be temporary
                log.error("no child process can be started (%s); retrying", problem)
                await asyncio.sleep(1.0)
                continue
            if self._stopping.is_set():  # stopped while the child was being started
                self.kill()
            child.begin(self._settings, self._no)
            parts = BackgroundTasks(self._heart_died)
            parts.start("heartbeat", self._beat(child))
            try:
                await self._listen(child)
            finally:
                await parts.close()
            code = await child.process.wait()
            await self._bury(child, code)
            if not self._stopping.is_set():
                pause = MIN_PAUSE_SECONDS if self._worked else min(MAX_PAUSE_SECONDS, pause * 2)
                PART_RESTARTS.labels("task process").inc()
                await self._rest(code, 0.0 if self._worked else pause)

    async def _rest(self, code: int, seconds: float) -> None:
        """Pause before the next child: not at all after one that had worked, longer after each that could not start."""
        when = f"in {seconds:.1f} s" if seconds else "now"
        log.error("the child process ended with code %s; another starts %s", code, when)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def _heart_died(self, died: BackgroundTaskDied) -> None:
        """Kill the child, because without heartbeats its tasks would be lost unnoticed. The next child gets a new
        heartbeat task."""
        log.critical("%s; restarting the child process", died, exc_info=died.__cause__)
        self.kill()

    async def _listen(self, child: ChildProcess) -> None:
        async for message in child.messages():
            match message:
                case {"say": "session", "id": session_id, "token": token}:
                    self._outage_log.found(self)  # an earlier child may have died during an outage
                    self._session = Session(session_id, UUID(token))
                    self._held, self._comparison = NOTHING_HELD, Comparison()
                case {"say": "held"}:
                    self._held = message
                    self._answered.set()
                    _count(message["ended"])
                case {"say": "beat"}:
                    self._beat_now.set()
                case {"say": "away", "reason": reason}:
                    self._outage_log.lost(self, reason)
                case {"say": "back"}:
                    self._outage_log.found(self)
                case {"say": "ready"}:
                    self._worked = True
                    self.ready.set()
                case {"say": "refused", "reason": reason}:
                    await child.process.wait()
                    raise WorkerRefused(reason)
                case _:
                    raise AssertionError(f"unknown message from the child process: {message}")

    async def _beat(self, child: ChildProcess) -> None:
        """Send a heartbeat every third of the lease and on request; retry soon after an error."""
        period = self._settings.lease / 3
        wait = min(period, 1.0)
        while True:
            if await self._is_asked_to_beat(wait):
                await asyncio.sleep(0.2)  # combine several requests into one heartbeat
            self._beat_now.clear()
            wait = period
            if self._session and not _is_stopped(child.process.pid):
                try:
                    beaten = await self._beat_once(child, self._session)
                    self._outage_log.found((self, "beat"))
                except Exception as problem:  # whatever the problem is: without heartbeats everything held is lost
                    self._outage_log.lost((self, "beat"), problem)
                    beaten = False
                wait = period if beaten else random.uniform(0.1, 0.3)  # noqa: S311 (jitter, not a secret)

    async def _is_asked_to_beat(self, seconds: float) -> bool:
        """Wait for a request, at most this long. After a suspend of the machine, return within a second."""
        end = lease_time() + seconds
        while (left := end - lease_time()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, LOOK_EVERY)):
                    return await self._beat_now.wait()
        return False

    async def _beat_once(self, child: ChildProcess, session: Session) -> bool:
        answered = await self._ask_what_is_held(child)
        held, comparison, at = self._held, self._comparison, lease_time()
        fences: dict[str, int] = dict(zip(held["ids"], held["attempts"], strict=True))
        if not answered:
            # Claimed since the last response, and possibly what blocks the child.
            fences |= dict(crash_ledger.read(child.ledger))
        try:
            async with asyncio.timeout(self._settings.lease / 3):
                listed = Fences(session, [UUID(task_id) for task_id in fences], list(fences.values()))
                try:
                    settled = comparison.settled(held["settled"], held["given_up"], at)
                    beat = await self._backend.heartbeat(listed, settled=settled, metrics=held["metrics"])
                    comparison.accepted(settled, at)
                except RowRejected as problem:  # an attempt that is not listed cannot be given back: leave all of them
                    log.error("heartbeats give back no attempts, because the database rejects one: %s", problem)
                    beat = await self._backend.heartbeat(listed, settled=None, metrics=held["metrics"])
        except SessionEnded:
            child.tell(do="ended", session=session.session_id)
            return True
        child.tell(
            do="beaten",
            session=session.session_id,
            at=at,
            lost=[[str(task_id), fences[str(task_id)]] for task_id in beat.lost],
            cancelled=[[str(task_id), fences[str(task_id)]] for task_id in beat.cancelled],
            new=beat.newest_route,
        )
        lost = {(str(task_id), fences[str(task_id)]) for task_id in beat.lost}
        # An outdated list may include attempts that have ended since.
        self._kill_if_stuck(lost & set(crash_ledger.read(child.ledger)))
        if beat.draining and not self._stopping.is_set():
            log.info("this worker is being drained: running tasks finish, then it exits")
            self.stop(None)
        return True

    def _kill_if_stuck(self, lost: set[tuple[str, int]]) -> None:
        """Kill the child if it still runs a lost attempt after several seconds: a task blocks its event loop or
        interpreter and exceeded its timeout, and all other tasks of the process would have to wait."""
        now = time.monotonic()
        self._lost = {fence: self._lost.get(fence, now) for fence in lost}
        if any(now - since > STUCK_CHILD_SECONDS for since in self._lost.values()):
            names = ", ".join(task_id for task_id, _ in self._lost)
            log.error("task %s exceeded its timeout and blocks its process; killing the process", names)
            self.kill()

    async def _ask_what_is_held(self, child: ChildProcess) -> bool:
        self._answered.clear()
        child.tell(do="tell")
        try:
            async with asyncio.timeout(min(CHILD_RESPONSE_SECONDS, self._settings.lease / 6)):
                await self._answered.wait()
        except TimeoutError:
            return False
        return True

    async def _bury(self, child: ChildProcess, code: int) -> None:
        """Report started attempts of a dead process as lost. Attempts that were only claimed, or that we killed
        ourselves, are given back."""
        begun = crash_ledger.read(child.ledger, ended=True)
        child.close()
        session, self._session = self._session, None
        if session is None or (code == 0 and not begun):
            return
        fences = Fences(session, [UUID(task_id) for task_id, _ in begun], [no for _, no in begun])
        error = {"type": "ProcessDied", "message": f"the process that ran it {_how(code)}"}
        try:
            async with asyncio.timeout(RELEASE_TIMEOUT_SECONDS):
                if begun and not self._killed:
                    await self._lose(fences, error)
                await give_everything_back(self._backend, session)
        except (Unreachable, *REJECTED, TimeoutError) as problem:
            log.warning(
                "the tasks of the dead process could not be returned (%s); they are retried when the lease expires",
                problem,
            )

    async def _lose(self, fences: Fences, error: dict[str, Any]) -> None:
        try:
            await self._backend.lose_tasks(fences, [error] * len(fences.task_ids))
        except RowRejected:  # one of them cannot be stored; report the others
            for task_id, attempt in zip(fences.task_ids, fences.attempts, strict=True):
                try:
                    await self._backend.lose_tasks(Fences(fences.session, [task_id], [attempt]), [error])
                except RowRejected as problem:
                    log.error("the database rejects the outcome of task %s: %s", task_id, one_line(str(problem)))


def _how(code: int) -> str:
    return f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"


def _is_stopped(pid: int) -> bool:
    """Whether the process is stopped (SIGSTOP): it is not doing any work, so no heartbeats are sent for it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except psutil.Error:
        return True


def _count(ended: list[tuple[str, str, int, float]]) -> None:
    """Add the ended attempts of a child process to the metrics of this process."""
    for task, outcome, count, seconds in ended:
        TASKS_ENDED.labels(task, outcome.lower()).inc(count)
        TASK_SECONDS.labels(task, outcome.lower()).inc(seconds)
