"""Keeps one child alive: beats for it, passes on what was answered, gives back what it held when it dies."""

import asyncio
import logging
import random
import time
from contextlib import suppress
from typing import Any
from uuid import UUID

import psutil

from tenuto.db import attempts, workers
from tenuto.db.connection.errors import Unreachable
from tenuto.model.errors import SessionEnded, TenutoError
from tenuto.model.metrics import PART_RESTARTS
from tenuto.runtimes.background import BackgroundTaskDied, BackgroundTasks
from tenuto.worker.backends.base import Caller
from tenuto.worker.execution import attempt_metrics
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor import crash_ledger
from tenuto.worker.supervisor.child_process import ChildProcess, start_child
from tenuto.worker.supervisor.lease_clock import LOOK_EVERY, lease_time
from tenuto.worker.supervisor.outage_log import OutageLog

log = logging.getLogger("tenuto.worker")

CHILD_RESPONSE_SECONDS = 1.0  # a child whose interpreter is busy does not answer: its last answer still holds
ALL_CLAIMS = 2**53  # the highest that JSON carries exactly
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 30.0  # after children that could not begin
RELEASE_TIMEOUT_SECONDS = 5.0
STUCK_CHILD_SECONDS = 5.0  # longer than a child forbears with what does not stop
SHUTDOWN_MARGIN_SECONDS = (
    7.0  # after the grace, for last words and reports; a child whose interpreter is held hears nothing
)


class WorkerRefused(Exception):
    """The child cannot work at all: what it was told is wrong. The message says what to do."""


class Supervisor:
    """One child and its successors."""

    def __init__(
        self,
        kernel: Caller,
        settings: WorkerSettings,
        no: int,
        absence: OutageLog,
        *,
        first: ChildProcess | None = None,
    ) -> None:
        self._kernel, self._settings, self._no, self._absence = kernel, settings, no, absence
        self._first = first  # was started before
        self._worked = False  # the child that runs now
        self._child: ChildProcess | None = None
        self._session: tuple[int, UUID] | None = None
        self._held: dict[str, Any] = {"ids": [], "attempts": [], "settled": 0, "metrics": {}}
        self._answered = asyncio.Event()
        self._beat_now = asyncio.Event()
        self._stopping = asyncio.Event()
        self._grace: float | None = None
        self._patience: asyncio.TimerHandle | None = None
        self._killed = False
        self._lost: dict[tuple[str, int], float] = {}  # listed by the child though lost, and since when
        self.ready = asyncio.Event()

    def stop(self, grace: float | None) -> None:
        """Finish within the grace, None: as long as it takes. Called again, the newer word counts."""
        self._grace = grace
        self._stopping.set()
        if self._patience:
            self._patience.cancel()
        if grace is not None:
            self._patience = asyncio.get_running_loop().call_later(grace + SHUTDOWN_MARGIN_SECONDS, self.kill)
        if self._session is None:
            self.kill()  # without a session it holds nothing
        elif self._child:
            self._child.tell(do="stop", grace=grace)

    def kill(self) -> None:
        """At once. What it held is given back at no charge: it was no fault of theirs."""
        self._killed = True
        if self._child and self._child.process.returncode is None:
            self._child.process.kill()

    async def run(self) -> None:
        """Until it is told to stop: a child that dies is followed by another."""
        pause = SHORTEST_PAUSE
        while not self._stopping.is_set():
            self._worked = self._killed = False
            try:
                child, self._first = self._first or await start_child(self._settings.concurrency), None
                self._child = child
            except OSError as problem:  # no memory, no more processes: that may pass
                log.error("no process for the tasks can be started (%s): trying again", problem)
                await asyncio.sleep(1.0)
                continue
            if self._stopping.is_set():  # while it was being started
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
                pause = SHORTEST_PAUSE if self._worked else min(LONGEST_PAUSE, pause * 2)
                PART_RESTARTS.labels("task process").inc()
                await self._rest(code, 0.0 if self._worked else pause)

    async def _rest(self, code: int, seconds: float) -> None:
        """Before another child starts: at once after one that had worked, whatever ended it; longer after each that
        could not even begin."""
        when = f"in {seconds:.1f} s" if seconds else "now"
        log.error("the process with the tasks ended with code %s; another starts %s", code, when)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def _heart_died(self, died: BackgroundTaskDied) -> None:
        """Without it the tasks would be lost without a word; the next process has a heartbeat of its own."""
        log.critical("%s: the process with the tasks is started anew", died, exc_info=died.__cause__)
        self.kill()

    async def _listen(self, child: ChildProcess) -> None:
        async for message in child.messages():
            match message:
                case {"say": "session", "id": session_id, "token": token}:
                    self._absence.found(self)  # a child before this one may have died while it missed it
                    self._session = (session_id, UUID(token))
                    self._held = {"ids": [], "attempts": [], "settled": 0, "metrics": {}}
                case {"say": "held"}:
                    self._held = message
                    self._answered.set()
                    attempt_metrics.show(message["ended"])
                case {"say": "beat"}:
                    self._beat_now.set()
                case {"say": "away", "reason": reason}:
                    self._absence.lost(self, reason)
                case {"say": "back"}:
                    self._absence.found(self)
                case {"say": "ready"}:
                    self._worked = True
                    self.ready.set()
                case {"say": "refused", "reason": reason}:
                    await child.process.wait()
                    raise WorkerRefused(reason)
                case _:
                    raise AssertionError(f"the child says {message}")

    async def _beat(self, child: ChildProcess) -> None:
        """Every third of a lease, and when the child asks for it; sooner again when the database does not answer."""
        period = self._settings.lease / 3
        wait = min(period, 1.0)
        while True:
            if await self._is_asked_to_beat(wait):
                await asyncio.sleep(0.2)  # several wishes at once are one beat
            self._beat_now.clear()
            wait = period
            if self._session and not _is_stopped(child.process.pid):
                try:
                    beaten = await self._beat_once(child, self._session)
                    self._absence.found((self, "beat"))
                except Exception as problem:  # whatever it is: without a beat everything held is lost
                    self._absence.lost((self, "beat"), problem)
                    beaten = False
                wait = period if beaten else random.uniform(0.1, 0.3)  # noqa: S311 (jitter, not a secret)

    async def _is_asked_to_beat(self, seconds: float) -> bool:
        """Wait for that at most so long. A machine that was suspended beats within a second after it goes on."""
        end = lease_time() + seconds
        while (left := end - lease_time()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, LOOK_EVERY)):
                    return await self._beat_now.wait()
        return False

    async def _beat_once(self, child: ChildProcess, session: tuple[int, UUID]) -> bool:
        answered = await self._ask_what_is_held(child)
        held, at = self._held, lease_time()
        fences: dict[str, int] = dict(zip(held["ids"], held["attempts"], strict=True))
        if not answered:
            fences |= dict(crash_ledger.read(child.ledger))  # claimed since, and perhaps what keeps it from answering
        try:
            async with asyncio.timeout(self._settings.lease / 3):
                beat = await self._kernel.call(
                    attempts.heartbeat,
                    session_id=session[0],
                    token=session[1],
                    task_ids=[UUID(task_id) for task_id in fences],
                    attempts=list(fences.values()),
                    settled=held["settled"],
                    metrics=held["metrics"],
                )
        except SessionEnded:
            child.tell(do="ended", session=session[0])
            return True
        child.tell(
            do="beaten",
            session=session[0],
            at=at,
            lost=[[str(task_id), fences[str(task_id)]] for task_id in beat.lost],
            cancelled=[[str(task_id), fences[str(task_id)]] for task_id in beat.cancelled],
            new=beat.newest_route,
        )
        lost = {(str(task_id), fences[str(task_id)]) for task_id in beat.lost}
        self._kill_if_stuck(lost & set(crash_ledger.read(child.ledger)))  # an old list names what has ended since
        if beat.draining and not self._stopping.is_set():
            log.info("this worker is being drained: it finishes what it holds and ends")
            self.stop(None)
        return True

    def _kill_if_stuck(self, lost: set[tuple[str, int]]) -> None:
        """A child lets go of what is lost within seconds, unless a task holds its loop or its interpreter: that one is
        over its time, and everything beside it must not wait for it."""
        now = time.monotonic()
        self._lost = {fence: self._lost.get(fence, now) for fence in lost}
        if any(now - since > STUCK_CHILD_SECONDS for since in self._lost.values()):
            names = ", ".join(task_id for task_id, _ in self._lost)
            log.error("task %s is over its time and holds its process, which is killed: others go on", names)
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
        """What had begun in a process that died is lost; what had only been claimed, or was killed on our own word, is
        given back."""
        begun = crash_ledger.read(child.ledger)
        child.close()
        session, self._session = self._session, None
        if session is None or (code == 0 and not begun):
            return
        fence: dict[str, Any] = {"session_id": session[0], "token": session[1]}
        ids, numbers = [UUID(task_id) for task_id, _ in begun], [no for _, no in begun]
        error = {"type": "ProcessDied", "message": f"the process that ran it {_how(code)}"}
        try:
            async with asyncio.timeout(RELEASE_TIMEOUT_SECONDS):
                if begun and not self._killed:
                    await self._kernel.call(
                        attempts.lose_tasks, **fence, task_ids=ids, attempts=numbers, errors=[error] * len(begun)
                    )
                await self._kernel.call(attempts.heartbeat, **fence, task_ids=[], attempts=[], settled=ALL_CLAIMS)
                await self._kernel.call(workers.close_session, **fence)
        except (Unreachable, TenutoError, TimeoutError) as problem:
            log.warning("what the dead process held could not be given back (%s): its lease does that", problem)


def _how(code: int) -> str:
    return f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"


def _is_stopped(pid: int) -> bool:
    """A process that was stopped (SIGSTOP) is not alive in any useful sense: nobody beats for it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except psutil.Error:
        return True
