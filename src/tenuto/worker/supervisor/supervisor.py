"""Keeps one child process alive: sends heartbeats for it, forwards their results to it, and gives back its attempts
when it dies."""

import asyncio
import logging
import random
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from tenuto.db.connection.errors import RowRejected
from tenuto.model.errors import SessionEnded
from tenuto.model.metrics import PART_RESTARTS
from tenuto.model.tasks import Fences, HeartbeatResult
from tenuto.model.workers import Session
from tenuto.runtimes.background import BackgroundTaskDied, BackgroundTasks
from tenuto.worker.backends.base import Backend
from tenuto.worker.process.held_attempts import read_ledger
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.child_process import ChildProcess, start_child
from tenuto.worker.supervisor.comparison import Comparison
from tenuto.worker.supervisor.dead_process import how_it_ended, return_attempts
from tenuto.worker.supervisor.errors import WorkerFailed, WorkerRefused
from tenuto.worker.supervisor.lease_clock import is_set_within, lease_time
from tenuto.worker.supervisor.outage_log import OutageLog
from tenuto.worker.supervisor.stuck_attempts import StuckAttempts
from tenuto.worker.supervisor.telemetry import Telemetry

log = logging.getLogger("tenuto.worker")

CHILD_RESPONSE_SECONDS = 1.0  # a child with a busy interpreter does not respond; its previous response is used
MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.2, 30.0  # after a child that could not start
# Time after the grace period for the last reports. Then the child is killed: a blocked interpreter receives no
# messages.
SHUTDOWN_MARGIN_SECONDS = 7.0
SESSION_MESSAGE_SECONDS = 0.5  # a child that has opened its session has sent the message about it within this time

NOTHING_HELD: dict[str, Any] = {"ids": [], "attempts": [], "settled": 0, "given_up": 0, "metrics": {}}


class Supervisor:
    """Runs one child process; when it dies, starts another one."""

    def __init__(
        self,
        backend: Backend,
        settings: WorkerSettings,
        no: int,
        outage_log: OutageLog,
        *,
        telemetry: Telemetry,
        replace: Callable[["Supervisor"], None],
        first: ChildProcess | None = None,
        replaces: "Supervisor | None" = None,
    ) -> None:
        self._backend, self._settings, self._no, self._outage_log = backend, settings, no, outage_log
        self._telemetry = telemetry
        self._first = first  # a child that has already received its settings
        self._replace = replace  # called when the child has reached a limit: another should take its place
        self._replaces = replaces  # the supervisor that finishes when this one is ready
        self._worked = False  # the current child became ready
        self._is_new = replaces is None  # no child has run in this place before
        self._child: ChildProcess | None = None
        self._session: Session | None = None
        self._held, self._comparison = NOTHING_HELD, Comparison()
        self._held_received = asyncio.Event()
        self._beat_now = asyncio.Event()
        self._stopping = asyncio.Event()
        self._grace: float | None = None
        self._kill_timer: asyncio.TimerHandle | None = None
        self._killed = False
        self._stuck = StuckAttempts()
        self.ready, self.ended = asyncio.Event(), asyncio.Event()
        self.name = settings.child_name(no)

    def stop(self, grace: float | None) -> None:
        """Finish within the grace period; None means without a limit. When called again, the latest call wins."""
        self._grace = grace
        self._stopping.set()
        if self._kill_timer:
            self._kill_timer.cancel()
        if grace is not None:
            self._kill_timer = asyncio.get_running_loop().call_later(grace + SHUTDOWN_MARGIN_SECONDS, self.kill)
        if self._child:
            self._stop_child(self._child)

    def _stop_child(self, child: ChildProcess) -> None:
        """Ask the child to stop. Kill it soon if it has no session: then it holds no tasks. It may have a session whose
        message has not arrived yet."""
        child.send({"command": "stop", "grace": self._grace})
        if self._session is None:
            child.unless_ended_within(SESSION_MESSAGE_SECONDS, lambda: None if self._session else self.kill())

    def finish(self) -> None:
        """Let the child run all tasks that it has claimed, and then end. Called when another supervisor has taken
        over."""
        self._stopping.set()
        if self._session is None:
            self.kill()  # without a session it holds nothing
        elif self._child:
            self._child.send({"command": "finish"})

    def kill(self) -> None:
        """Kill the child at once. Its attempts are given back and not counted as lost."""
        self._killed = True
        if self._child:
            self._child.kill()

    async def run(self) -> None:
        """Run a child process until asked to stop; when it dies, start another."""
        pause = MIN_PAUSE_SECONDS
        while self._first or not self._stopping.is_set():
            self._worked = False
            try:
                child, self._first = self._first or await start_child(self._settings, self._no), None
                self._child = child
            except OSError as problem:  # out of memory or processes: may be temporary
                log.error("no child process can be started (%s); retrying", problem)
                await asyncio.sleep(1.0)
                continue
            if self._killed:
                child.kill()
            elif self._stopping.is_set():  # stopped while the child was being started
                self._stop_child(child)
            parts = BackgroundTasks(self._heartbeat_died)
            parts.start("heartbeat", self._beat(child))
            try:
                await self._listen(child, parts)
            finally:
                await parts.close()
            code = await child.wait()
            await self._handle_child_end(child, code)
            self._is_new = False
            if not self._stopping.is_set():
                self._killed = False
                pause = MIN_PAUSE_SECONDS if self._worked else min(MAX_PAUSE_SECONDS, pause * 2)
                PART_RESTARTS.labels("task process").inc()
                await self._pause(code, 0.0 if self._worked else pause)
        self._replaces = None  # otherwise all earlier supervisors would stay in memory
        self.ended.set()

    async def _pause(self, code: int, seconds: float) -> None:
        """Log how the last child ended. Then wait `seconds`, or until a stop is requested."""
        when = f"in {seconds:.1f} s" if seconds else "now"
        log.error("process %s %s; another starts %s", self.name, how_it_ended(code), when)
        await is_set_within(seconds, self._stopping)

    def _heartbeat_died(self, died: BackgroundTaskDied) -> None:
        """Kill the child, because without heartbeats its tasks would be lost unnoticed. The next child gets a new
        heartbeat task."""
        log.critical("%s; restarting the child process", died, exc_info=died.__cause__)
        self.kill()

    async def _listen(self, child: ChildProcess, parts: BackgroundTasks) -> None:
        async for message in child.messages():
            match message:
                case {"event": "session", "id": session_id, "token": token}:
                    self._outage_log.recovered(self)  # an earlier child may have died during an outage
                    self._session = Session(session_id, UUID(token))
                    self._held, self._comparison = NOTHING_HELD, Comparison()
                case {"event": "held"}:
                    self._held = message
                    self._held_received.set()
                    self._telemetry.heard(message)
                case {"event": "beat"}:
                    self._beat_now.set()
                case {"event": "away", "reason": reason}:
                    self._outage_log.failed(self, reason)
                case {"event": "back"}:
                    self._outage_log.recovered(self)
                case {"event": "ready"}:
                    self._worked = True
                    if self._replaces and not self.ready.is_set():
                        self._replaces.finish()
                    self.ready.set()
                case {"event": "replace", "reason": reason}:
                    parts.start("replacement", self._ask_for_replacement(reason))
                case {"event": "too large", "reason": reason}:
                    await self._end_too_large(child, f"process {self.name} {reason} before its first task")
                    return
                case {"event": "closed"}:
                    self._limit_shutdown(child)
                case {"event": "refused", "reason": reason}:
                    self._limit_shutdown(child)
                    await child.wait()
                    raise WorkerRefused(reason)
                case {"event": "failed", "reason": reason}:
                    await child.wait()
                    if not self.ready.is_set() and self._replaces is None:  # later ones are started again
                        raise WorkerFailed(reason)
                case _:
                    raise AssertionError(f"unknown message from the child process: {message}")

    async def _ask_for_replacement(self, reason: str) -> None:
        """Ask for another process. If the process that this one has replaced is still finishing its tasks, first wait
        until that process has ended, so that at most two processes exist at a time."""
        if self._replaces and not self._replaces.ended.is_set():
            other = self._replaces.name
            log.info("process %s %s; another takes its place when process %s has ended", self.name, reason, other)
            await self._replaces.ended.wait()
        if not self._stopping.is_set():
            log.info("process %s %s; another takes its place", self.name, reason)
            self._replace(self)

    async def _end_too_large(self, child: ChildProcess, problem: str) -> None:
        """End a child that has reached its memory limit before its first task. Raises WorkerRefused if no child has run
        in its place before, because a new child would be as large; otherwise another child starts."""
        self._worked = False
        self.kill()
        code = await child.wait()
        if self._is_new:
            await self._handle_child_end(child, code)
            raise WorkerRefused(f"{problem}; set a higher limit")
        log.error("%s", problem)

    def _limit_shutdown(self, child: ChildProcess) -> None:
        """Kill the child if it does not end within the grace period plus SHUTDOWN_MARGIN_SECONDS. A child that is
        closed has reported its attempts; only its shutdown hooks still run."""
        child.unless_ended_within(self._settings.grace + SHUTDOWN_MARGIN_SECONDS, self._kill_stuck_hooks)

    def _kill_stuck_hooks(self) -> None:
        seconds = self._settings.grace + SHUTDOWN_MARGIN_SECONDS
        text = "process %s has not ended %g s after its last task, because of a shutdown hook; killing it"
        log.error(text, self.name, seconds)
        self.kill()

    async def _beat(self, child: ChildProcess) -> None:
        """Send a heartbeat every third of the lease and on request; retry soon after an error."""
        period = self._settings.lease / 3
        wait = min(period, 1.0)
        while True:
            if await is_set_within(wait, self._beat_now):
                await asyncio.sleep(0.2)  # combine several requests into one heartbeat
            self._beat_now.clear()
            wait = period if self._session else min(period, 1.0)
            if self._session and not child.is_stopped:
                try:
                    beaten = await self._beat_once(child, self._session)
                    self._outage_log.recovered((self, "beat"))
                except Exception as problem:  # whatever the problem is: without heartbeats everything held is lost
                    self._outage_log.failed((self, "beat"), problem)
                    beaten = False
                wait = period if beaten else random.uniform(0.1, 0.3)  # noqa: S311 (jitter, not a secret)

    async def _beat_once(self, child: ChildProcess, session: Session) -> bool:
        responded = await self._ask_what_is_held(child)
        fences: dict[str, int] = dict(zip(self._held["ids"], self._held["attempts"], strict=True))
        if not responded:
            # Add the attempts that the child has started since its last response: one of them may block it.
            fences |= dict(read_ledger(child.ledger))
        at = lease_time()
        try:
            async with asyncio.timeout(self._settings.lease / 3):
                beat = await self._send_heartbeat(session, fences, at)
        except SessionEnded:
            child.send({"command": "ended", "session": session.session_id})
            return True
        lost = [(str(task_id), fences[str(task_id)]) for task_id in beat.lost]
        cancelled = [(str(task_id), fences[str(task_id)]) for task_id in beat.cancelled]
        result = {"at": at, "lost": lost, "cancelled": cancelled, "new": beat.newest_route}
        child.send({"command": "renewed", "session": session.session_id, **result})
        # The list of held attempts may be old: ignore attempts that have ended since.
        if stuck := self._stuck.find(set(lost) & set(read_ledger(child.ledger)), time.monotonic()):
            log.error("task %s exceeded its timeout and blocks its process; killing the process", ", ".join(stuck))
            self.kill()
        if beat.draining and not self._stopping.is_set():
            log.info("this worker is being drained: running tasks finish, then it exits")
            self.stop(None)
        return True

    async def _send_heartbeat(self, session: Session, fences: dict[str, int], at: float) -> HeartbeatResult:
        """Renew the lease, and compare the held attempts with the database if this is due."""
        held, comparison = self._held, self._comparison
        metrics, lines = self._telemetry.take(held["metrics"])
        listed = Fences(session, [UUID(task_id) for task_id in fences], list(fences.values()))
        try:
            settled = comparison.settled(held["settled"], held["given_up"], at)
            beat = await self._backend.heartbeat(listed, settled=settled, metrics=metrics, logs=lines)
            comparison.accepted(settled, at)
        except RowRejected as problem:  # an unlisted attempt cannot be given back: do not compare
            text = "heartbeats do not give back forgotten attempts, because the database rejects one of them: %s"
            log.error(text, problem)
            beat = await self._backend.heartbeat(listed, settled=None, metrics=metrics, logs=lines)
        self._telemetry.accepted()
        return beat

    async def _ask_what_is_held(self, child: ChildProcess) -> bool:
        self._held_received.clear()
        child.send({"command": "list held"})
        return await is_set_within(min(CHILD_RESPONSE_SECONDS, self._settings.lease / 6), self._held_received)

    async def _handle_child_end(self, child: ChildProcess, code: int) -> None:
        """Give back the attempts that an ended child process had only claimed, and report those that it had begun as
        lost. If the supervisor killed the process, give back all of them."""
        begun = read_ledger(child.ledger, ended=True)
        child.close()
        session, self._session = self._session, None
        if session is not None and (code != 0 or begun):
            await return_attempts(self._backend, session, begun, code, killed=self._killed)
