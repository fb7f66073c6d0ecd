"""A worker's child process: its session, its executors with their claimers, and the background tasks that supply
them."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from tenuto.model.errors import TenutoError, TooLarge
from tenuto.model.workers import CANCEL, is_for
from tenuto.runtimes.background import BackgroundTasks
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.outcomes import NEVER, Completed, Failed, Interrupted, describe
from tenuto.runtimes.sandbox.capabilities import SandboxCapabilities
from tenuto.sdk.app import App
from tenuto.worker.backends.base import Backend
from tenuto.worker.execution.bundles import Bundles
from tenuto.worker.execution.executor import Executor
from tenuto.worker.execution.flusher import Flusher
from tenuto.worker.execution.reporter import Reporter
from tenuto.worker.execution.runtimes import RUNTIMES, Runtimes, groups
from tenuto.worker.execution.sandboxes import WorkerRuntimeHost
from tenuto.worker.process.claimer import ClaimerHost
from tenuto.worker.process.executor_group import CLAIMERS_PER_PROCESS, ExecutorGroup
from tenuto.worker.process.registration import Registration
from tenuto.worker.process.session import HeldAttempts, WorkerSession
from tenuto.worker.process.slots import Report, Slots
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.control_channel import ControlChannel, Message
from tenuto.worker.supervisor.crash_ledger import CrashLedger

log = logging.getLogger("tenuto.worker")

CLOCK_MARGIN_SECONDS = 0.25
STOP_REPORT_SECONDS = 2.0  # for attempts that were asked to stop at the end of the grace period


class WorkerProcess:
    """Runs until it is asked to stop or its supervisor is gone."""

    def __init__(
        self,
        settings: WorkerSettings,
        app: App,
        control: ControlChannel,
        ledger: int,
        backend: Backend,
        strength: SandboxCapabilities | None = None,  # None: it has no sandboxes
        runtimes: Runtimes = RUNTIMES,
    ) -> None:
        self._runtimes = runtimes
        self._settings, self._app, self._control, self._strength = settings, app, control, strength
        self._loop = asyncio.get_running_loop()
        self._parts = BackgroundTasks()
        self._parts.watch_loop(self._loop)
        self._backend = backend
        places = CrashLedger(ledger)
        self._held = HeldAttempts(places)
        self._session = WorkerSession(outage_log=control.outage_log())
        self._apis = backend.open_apis(self._session)
        self._reporter = Reporter(backend, self._session, self._held, store=self._apis.store, reported=self._wake)
        self._flusher = Flusher(backend, self._session, self._apis, cancelled=self._cancel)
        self._bundles = Bundles(backend, settings, self._session.outage_log)
        self._registration = Registration(
            backend, settings, app, self._session, lost=self._drop_everything, resolve=self._resolve_now
        )
        self._groups = self._make_groups(places)
        for group in self._groups:
            group.slots.others += [other.slots for other in self._groups if other is not group]
        self._ready = False
        self._listening: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._stop_by: float | None = None  # None: no limit

    def _make_groups(self, ledger: CrashLedger) -> list[ExecutorGroup]:
        names = {str(task.executor) for task in self._app.tasks.values()} | ({"sandbox"} if self._strength else set())
        return [self._make_group(group, ledger) for group in groups(names, self._runtimes)]

    def _make_group(self, names: tuple[str, ...], ledger: CrashLedger) -> ExecutorGroup:
        entries = {name: self._runtimes[name] for name in names}
        limit = entries[names[0]].slots
        concurrency = self._settings.concurrency
        slots = Slots(concurrency if limit is None else limit(concurrency))
        executor = Executor(self._loop, slots, self._apis, ledger, tell=self._reporter.tell)
        host = WorkerRuntimeHost(
            loop=self._loop,
            target=self._settings.target or "",
            open_api=self._apis.open,
            logs=self._flusher.logs,
            began=executor.began,
            ended=executor.end,
            preparing=self._reporter.restart_timeout,
            next_attempt=executor.next_attempt,
            settings=self._settings,
            app=self._app,
            bundles=self._bundles,
            sandbox=self._strength,
        )
        executor.runtimes.update({name: entry.open(host) for name, entry in entries.items()})
        claimers = CLAIMERS_PER_PROCESS if limit is None and self._settings.processes == 1 else 1
        return ExecutorGroup(slots, executor, names, claimers)

    async def run(self) -> bool:
        """Run the process. Return True if code was left behind that would keep the process from ending."""
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
            await self._backend.put_schedules(self._app)
            await self._registration.introduce()
        except TenutoError as problem:  # the settings of this worker are invalid: another process would fail too
            self._control.send(say="refused", reason=str(problem))
            return True
        self._open_claimers()
        await self._stopping.wait()
        return await self._wind_down()

    def _open_claimers(self) -> None:
        if not self._groups:
            self.wakeups_missing()
        host = ClaimerHost(self._backend, self._held, self._session, self._settings, events=self, parts=self._parts)
        for no, group in enumerate(self._groups):
            group.open_claimers(host, listens=no == 0)

    async def _open_session(self) -> None:
        await self._registration.open()
        await self._resolve()
        self._control.send(say="session", id=self._session.id, token=self._session.token)

    async def _resolve(self) -> None:
        try:
            await self._bundles.refresh(self._app)
            routes = await self._registration.resolve()
        except TenutoError as problem:  # the session ended in the meantime: the next one resolves again
            log.warning("could not resolve routes: %s", problem)
            return
        new = [group.serve(routes) for group in self._groups]
        if any(new):
            self._wake()

    async def _look_ahead(self) -> None:
        while True:
            await asyncio.sleep(CLOCK_MARGIN_SECONDS)
            for group in self._groups:
                group.look_ahead()

    def _wake(self) -> None:
        for group in self._groups:
            group.slots.wake()

    def _resolve_now(self) -> None:
        self._parts.start("routes", self._resolve())

    # The methods of WorkerEvents, which claimers call in their threads.

    def wakeups_arrive(self) -> None:
        self._loop.call_soon_threadsafe(self._announce)

    def wakeups_missing(self) -> None:
        self._loop.call_soon_threadsafe(self._listen)

    def work_available(self) -> None:
        self._loop.call_soon_threadsafe(self._registration.resolve_soon)

    def attempts_cancelled(self) -> None:
        self._control.send(say="beat")

    def session_ended(self, session_id: int) -> None:
        self._loop.call_soon_threadsafe(self._ended, session_id)

    def report_rejected(self, report: Report, problem: Exception) -> None:
        self._loop.call_soon_threadsafe(self._replace_report, report, problem)

    def _announce(self) -> None:
        """Report once that wake-ups are being received."""
        if not self._ready:
            self._ready = True
            self._control.send(say="ready", tasks=sorted(self._app.tasks))

    def _listen(self) -> None:
        self._announce()
        if self._listening is None:
            self._listening = self._parts.start("listener", self._receive_wakeups())

    async def _receive_wakeups(self) -> None:
        async for wakeup in self._backend.listen():
            if wakeup.queue == CANCEL:
                self.attempts_cancelled()
            elif wakeup.queue is None or is_for(wakeup.queue, self._settings.queues):
                self._wake()
                self._registration.resolve_soon()

    def _heard(self, message: Message | None) -> None:
        """Handle a message in the control thread: requests that must not wait for the event loop are handled here."""
        if message is not None and message["do"] == "tell":
            holding = self._held.snapshot()
            running = sum(len(group.executor.running) for group in self._groups)
            ended = [count for group in self._groups for count in group.executor.take_counts()]
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
                for group in self._groups:
                    group.executor.drop(lost)
                self._cancel(cancelled)
                if self._registration.saw(newest):
                    self._resolve_now()
            case {"do": "ended", "session": session}:
                self._ended(session)
            case {"do": "stop", "grace": grace}:
                self._stop(grace)
            case _:
                raise AssertionError(f"unknown message from the supervisor: {message}")

    def _ended(self, session_id: int) -> None:
        """Drop the attempts of an ended session and open another one."""
        if session_id and session_id == self._session.id and not self._stopping.is_set():
            log.warning("session %s has ended; dropping its attempts and registering again", session_id)
            self._session.open.clear()
            self._session.id = 0
            self._drop_everything()
            self._parts.start("session", self._open_session())

    def _drop_everything(self) -> None:
        for group in self._groups:
            group.drop_all()

    def _cancel(self, fences: list[list[Any]]) -> None:
        for group in self._groups:
            group.executor.cancel(fences)

    def _replace_report(self, report: Report, problem: Exception) -> None:
        """Handle a completion that the database rejected: if too large, store it as a data object, otherwise fail the
        attempt."""
        task_id, no, output, run_id = report
        attempt = Attempt((None, task_id, no, run_id, None, None, None, None, None), None, 0.0)
        self._reporter.tell(
            attempt, Completed(output) if isinstance(problem, TooLarge) else Failed(describe(problem), NEVER)
        )

    def _stop(self, grace: float | None) -> None:
        """Stop within the grace period. The latest request wins: a drain may become a stop with a limit."""
        self._stop_by = None if grace is None else self._loop.time() + grace
        self._stopping.set()

    async def _wind_down(self) -> bool:
        """Claim nothing more, finish within the grace period, give the rest back and close the session."""
        for group in self._groups:
            group.slots.stop_claiming()
            group.executor.give_back_waiting()
        await self._wait_for_runners(lambda: self._stop_by)
        for group in self._groups:
            for attempt in list(group.executor.running):
                group.executor.stop(attempt, Interrupted())
        end = self._loop.time() + STOP_REPORT_SECONDS
        await self._wait_for_runners(lambda: end)
        left_behind = [attempt for group in self._groups for attempt in group.executor.running]
        for group in self._groups:
            for attempt in list(group.executor.running):
                group.executor.abandon(attempt)
            group.executor.tally()
            group.slots.close()
        for group in self._groups:
            for claimer in group.claimers:
                await asyncio.to_thread(claimer.thread.join, 5.0)
        await self._last_reports()
        return bool(left_behind)

    async def _wait_for_runners(self, by: Callable[[], float | None]) -> None:
        """Wait until nothing runs or the time is over."""
        while any(group.executor.running for group in self._groups):
            if (end := by()) is not None and self._loop.time() >= end:
                return
            await asyncio.sleep(0.01)

    async def _last_reports(self) -> None:
        try:
            async with asyncio.timeout(5):
                await self._reporter.flush()
                await self._flusher.flush()
        except TimeoutError:
            log.error("the last reports could not be delivered; their tasks are retried when the lease expires")
        await self._registration.close()
