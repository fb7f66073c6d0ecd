"""The inside of a worker process: a session, posts with their lanes, and what keeps them supplied."""

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from tenuto.model.errors import TenutoError, TooLarge
from tenuto.runtimes.background import BackgroundTasks
from tenuto.runtimes.outcomes import Completed, Failed, Interrupted, describe
from tenuto.runtimes.process import ProcessRuntime
from tenuto.runtimes.sandbox.capabilities import SandboxCapabilities
from tenuto.sdk.app import App
from tenuto.worker.backends.base import Backend
from tenuto.worker.execution.attempt import Attempt
from tenuto.worker.execution.bundles import Bundles
from tenuto.worker.execution.executor import Executor
from tenuto.worker.execution.flusher import Flusher
from tenuto.worker.execution.reporter import Reporter
from tenuto.worker.execution.sandboxes import open_sandboxes
from tenuto.worker.process.executor_group import CLAIMERS_PER_PROCESS, ExecutorGroup
from tenuto.worker.process.held_attempts import HeldAttempts
from tenuto.worker.process.registration import Registration
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.process.slots import Slots
from tenuto.worker.process.wakeups import WakeupRouter
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.control_channel import ControlChannel, Message
from tenuto.worker.supervisor.crash_ledger import CrashLedger

log = logging.getLogger("tenuto.worker")

CLOCK_MARGIN_SECONDS = 0.25
STOP_REPORT_SECONDS = 2.0  # for what was asked to stop at the end of the grace


class WorkerProcess:
    """Runs until it is told to stop, or its supervisor is gone."""

    def __init__(
        self,
        settings: WorkerSettings,
        app: App,
        control: ControlChannel,
        ledger: int,
        kernel: Backend,
        strength: SandboxCapabilities | None = None,  # of its sandboxes, if it has any
    ) -> None:
        self._settings, self._app, self._control, self._strength = settings, app, control, strength
        self._loop = asyncio.get_running_loop()
        self._parts = BackgroundTasks()
        self._parts.watch_loop(self._loop)
        self._kernel = kernel
        self._held = HeldAttempts()
        self._session = WorkerSession(absence=control.absence())
        self._ports = kernel.open_ports(self._session)
        self._reporter = Reporter(kernel, self._session, self._held, store=self._ports.store, reported=self._wake)
        self._flusher = Flusher(kernel, self._session, self._ports, cancelled=self._cancel)
        self._bundles = Bundles(kernel, settings, self._session.absence)
        self._registration = Registration(kernel, settings, app, self._session, lost=self._drop_everything)
        self._posts = self._make_posts(CrashLedger(ledger))
        heard = {"work": self._wake, "news": self._look_for_routes, "cancelled": partial(control.send, say="beat")}
        heard["open"] = lambda: control.send(say="ready", tasks=sorted(app.tasks))
        self._hearing = WakeupRouter(kernel, settings.queues, settings.turn, self._parts, **heard)
        self._stopping = asyncio.Event()
        self._stop_by: float | None = None  # None: as long as it takes

    def _make_posts(self, ledger: CrashLedger) -> list[ExecutorGroup]:
        kinds = {str(task.executor) for task in self._app.tasks.values()} | ({"sandbox"} if self._strength else set())
        posts = []
        if kinds & {"async", "thread"}:
            posts.append(self._make_post(self._settings.concurrency, ("async", "thread"), ledger))
        count = min(self._settings.concurrency, os.cpu_count() or 1)
        posts += [self._make_post(count, (kind,), ledger) for kind in ("process", "sandbox") if kind in kinds]
        return posts

    def _make_post(self, capacity: int, kinds: tuple[str, ...], ledger: CrashLedger) -> ExecutorGroup:
        crew = Slots(capacity)
        executor = Executor(self._loop, crew, self._ports, ledger, tell=self._reporter.tell)
        ways = (self._ports.open, self._flusher.logs)
        told: dict[str, Any] = {"began": executor.deadlines.begin, "done": executor.end}
        if "process" in kinds:
            told["unbegun"] = self._reporter.say_unbegun
            executor.processes = ProcessRuntime(self._settings.target or "", *ways, **told)
        elif self._strength and "sandbox" in kinds:
            places = (self._settings, self._strength, self._app, self._bundles)
            executor.processes = open_sandboxes(*places, *ways, **told)
        lanes = CLAIMERS_PER_PROCESS if "async" in kinds and self._settings.processes == 1 else 1
        return ExecutorGroup(crew, executor, kinds, lanes)

    async def run(self) -> bool:
        """True when something was left behind that would keep the process from ending."""
        self._parts.start("reporter", self._reporter.run())
        self._parts.start("flusher", self._flusher.run())
        self._parts.start("look ahead", self._look_ahead())
        self._parts.thread("control", lambda: self._control.listen(self._heard)).start()
        try:
            return await self._run()
        finally:
            await self._parts.close()

    async def _run(self) -> bool:
        try:
            await self._open_session()
            await self._kernel.put_schedules(self._app)
            await self._registration.introduce()
        except TenutoError as problem:  # what this worker was told is wrong: no other process would do better
            self._control.send(say="refused", reason=str(problem))
            return True
        self._open_lanes()
        await self._stopping.wait()
        return await self._wind_down()

    def _open_lanes(self) -> None:
        if not self._posts:
            self._hearing.deaf()
        for no, post in enumerate(self._posts):
            told: dict[str, Any] = {"unfit": self._unfit, "ended": self._ended, "parts": self._parts}
            post.open_lanes(self._kernel, self._held, self._session, self._hearing if no == 0 else None, **told)

    async def _open_session(self) -> None:
        await self._registration.open()
        await self._resolve()
        self._control.send(say="session", id=self._session.id, token=self._session.token)

    async def _resolve(self) -> None:
        try:
            await self._bundles.refresh(self._app)
            found = await self._registration.resolve()
        except TenutoError as problem:  # its session ended meanwhile: the next one asks again
            log.warning("what there is to serve could not be asked: %s", problem)
            return
        new = [post.serve(found) for post in self._posts]
        if any(new):
            self._wake()

    async def _look_ahead(self) -> None:
        while True:
            await asyncio.sleep(CLOCK_MARGIN_SECONDS)
            for post in self._posts:
                post.look_ahead()

    def _wake(self, by: Slots | None = None) -> None:
        for post in self._posts:
            post.crew.wake(ring=post.crew is not by)

    def _look_for_routes(self) -> None:
        self._registration.look_soon(lambda: self._parts.start("routes", self._resolve()))

    def _heard(self, message: Message | None) -> None:
        """In the control's thread: what cannot wait for the loop is answered here."""
        if message is not None and message["do"] == "tell":
            holding = self._held.snapshot()
            running = sum(len(post.executor.running) for post in self._posts)
            ended = [count for post in self._posts for count in post.executor.counts.take()]
            self._control.send(say="held", **asdict(holding), metrics={"running": running}, ended=ended)
        else:
            self._loop.call_soon_threadsafe(self._obey, message)

    def _obey(self, message: Message | None) -> None:
        match message:
            case None:
                self._stop(0.0)
            case {"do": "beaten", "session": session, "at": at, "lost": lost, "cancelled": cancelled, "new": newest}:
                if session == self._session.id:
                    self._session.open.set()
                    self._registration.renewed(at)
                for post in self._posts:
                    post.executor.drop(lost)
                self._cancel(cancelled)
                if self._registration.saw(newest):
                    self._parts.start("routes", self._resolve())
            case {"do": "ended", "session": session}:
                self._ended(session)
            case {"do": "stop", "grace": grace}:
                self._stop(grace)
            case _:
                raise AssertionError(f"the supervisor says {message}")

    def _ended(self, session_id: int) -> None:
        """The session is over and never revives: drop what it held, open another."""
        if session_id and session_id == self._session.id and not self._stopping.is_set():
            log.warning("session %s has ended: its attempts are dropped, a new one begins", session_id)
            self._session.open.clear()
            self._session.id = 0
            self._drop_everything()
            self._parts.start("session", self._open_session())

    def _drop_everything(self) -> None:
        for post in self._posts:
            post.drop_all()

    def _cancel(self, fences: list[list[Any]]) -> None:
        for post in self._posts:
            post.executor.cancel(fences)

    def _unfit(self, attempt: Attempt, problem: TenutoError) -> None:
        """A completion that the kernel refuses: too large goes into a data object, anything else is a failure."""
        fitting = Completed(attempt.input) if isinstance(problem, TooLarge) else Failed(describe(problem), -1.0)
        self._reporter.tell(attempt, fitting)

    def _stop(self, grace: float | None) -> None:
        """The newest word counts: a drain may become a stop within the grace."""
        self._stop_by = None if grace is None else self._loop.time() + grace
        self._stopping.set()

    async def _wind_down(self) -> bool:
        """Claim nothing more, finish within the grace, give the rest back, say goodbye."""
        for post in self._posts:
            post.crew.stop_claiming()
            post.executor.give_back_waiting()
        await self._wait_for_runners(lambda: self._stop_by)
        for post in self._posts:
            for attempt in list(post.executor.running):
                post.executor.stop(attempt, Interrupted())
        end = self._loop.time() + STOP_REPORT_SECONDS
        await self._wait_for_runners(lambda: end)
        left_behind = [attempt for post in self._posts for attempt in post.executor.running]
        for post in self._posts:
            for attempt in list(post.executor.running):
                post.executor.abandon(attempt)
            post.executor.tally()
            post.crew.close()
        for post in self._posts:
            for lane in post.lanes:
                await asyncio.to_thread(lane.thread.join, 5.0)
        await self._last_reports()
        return bool(left_behind)

    async def _wait_for_runners(self, by: Callable[[], float | None]) -> None:
        """Until nothing runs, or the time is over."""
        while any(post.executor.running for post in self._posts):
            if (end := by()) is not None and self._loop.time() >= end:
                return
            await asyncio.sleep(0.01)

    async def _last_reports(self) -> None:
        try:
            async with asyncio.timeout(5):
                await self._reporter.flush()
                await self._flusher.flush()
        except TimeoutError:
            log.error("the last reports could not be delivered: the lease gives their tasks back")
        await self._registration.close()
