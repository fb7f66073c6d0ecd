"""A worker's child process: its session, its executors with their claimers, and its background tasks."""

import asyncio
import logging
import os

from tenuto.model.errors import TenutoError
from tenuto.model.metric_labels import OTHER
from tenuto.model.workers import CANCEL, is_for
from tenuto.runtimes.background import BackgroundTasks
from tenuto.runtimes.json_lines import Message
from tenuto.runtimes.process_settings import ProcessLimits
from tenuto.runtimes.sandbox.capabilities import SandboxCapabilities
from tenuto.sdk.app import App
from tenuto.worker.backends.base import Backend
from tenuto.worker.execution.bundles import Bundles
from tenuto.worker.execution.executor import Executor
from tenuto.worker.execution.failure_hooks import FailureHooks
from tenuto.worker.execution.flusher import Flusher
from tenuto.worker.execution.progress import ProgressSender
from tenuto.worker.execution.reporter import Reporter
from tenuto.worker.execution.runtimes import RUNTIMES, Runtimes, groups
from tenuto.worker.execution.sandboxes import WorkerRuntimeHost
from tenuto.worker.process.claimer import ClaimerHost
from tenuto.worker.process.executor_group import CLAIMERS_PER_PROCESS, ExecutorGroup
from tenuto.worker.process.held_attempts import CrashLedger, HeldAttempts
from tenuto.worker.process.loop_watch import LoopWatch
from tenuto.worker.process.registration import NO_OPERATORS, Registration
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.process.shutdown import Shutdown
from tenuto.worker.process.slots import Report, Slots
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.control_channel import ControlChannel

log = logging.getLogger("tenuto.worker")

CLOCK_MARGIN_SECONDS = 0.25


class WorkerProcess:
    """Runs until it is asked to stop or its supervisor is gone."""

    def __init__(
        self,
        settings: WorkerSettings,
        app: App,
        control: ControlChannel,
        ledger: int,
        backend: Backend,
        capabilities: SandboxCapabilities | None = None,  # None: it has no sandboxes
        runtimes: Runtimes = RUNTIMES,
        operators: App = NO_OPERATORS,
    ) -> None:
        self._runtimes, self._operators = runtimes, operators
        self._settings, self._app, self._control, self._capabilities = settings, app, control, capabilities
        self._loop, self._backend, self._parts = asyncio.get_running_loop(), backend, BackgroundTasks()
        self._parts.watch_loop(self._loop)
        started = CrashLedger(ledger)
        self._held = HeldAttempts(started)
        self._session = WorkerSession(outage_log=control.outage_log())
        self._apis = backend.open_apis(self._session)
        self._failure_hooks = FailureHooks()
        progress = ProgressSender(backend, self._session, self._apis, cancelled=self._cancel)
        self._reporter = Reporter(
            backend, self._session, self._held, progress=progress,
            store=self._apis.store, reported=self._wake, failed=self._failure_hooks.failed,
        )  # fmt: skip
        self._flusher = Flusher(backend, self._session, progress)
        self._bundles = Bundles(backend, settings, self._session.outage_log)
        self._registration = Registration(
            backend, settings, app, self._session, operators, lost=self._drop_everything, resolve=self._resolve_now
        )
        self._groups = self._make_groups(started)
        for group in self._groups:
            group.slots.others += [other.slots for other in self._groups if other is not group]
        self._ready = False
        self._replaced = self._settings.limits == ProcessLimits()  # has asked for another process, or has no limits
        self._listening: asyncio.Task[None] | None = None
        self._shutdown = Shutdown(self._groups, self._reporter, self._flusher, self._failure_hooks, self._registration)

    def _make_groups(self, ledger: CrashLedger) -> list[ExecutorGroup]:
        tasks = [*self._app.tasks.values(), *self._operators.tasks.values()]
        names = {str(task.runs_in) for task in tasks} | {*(["sandbox"] if self._capabilities else [])}
        return [self._make_group(group, ledger) for group in groups(names, self._runtimes)]

    def _make_group(self, names: tuple[str, ...], ledger: CrashLedger) -> ExecutorGroup:
        entries = {name: self._runtimes[name] for name in names}
        limit = entries[names[0]].slots
        concurrency = self._settings.concurrency
        slots = Slots(concurrency if limit is None else limit(concurrency))
        executor = Executor(self._loop, slots, self._apis, ledger, report=self._reporter.report)
        host = WorkerRuntimeHost(
            loop=self._loop,
            process=self._settings.process,
            hooks=self._app.hooks,
            open_api=self._apis.open,
            logs=self._flusher.logs,
            began=executor.began,
            ended=executor.end,
            preparing=self._reporter.restart_timeout,
            next_attempt=executor.next_attempt,
            settings=self._settings,
            app=self._app,
            bundles=self._bundles,
            sandbox=self._capabilities,
        )
        executor.runtimes.update({name: entry.open(host) for name, entry in entries.items()})
        claimers = CLAIMERS_PER_PROCESS if limit is None and self._settings.processes == 1 else 1
        return ExecutorGroup(slots, executor, names, claimers, runs_here=limit is None)

    async def run(self) -> bool:
        """Run the process. Return True if code was left behind that would keep the process from ending."""
        self._parts.start("reporter", self._reporter.run())
        self._parts.start("flusher", self._flusher.run())
        self._parts.start("failure hooks", self._failure_hooks.run())
        self._parts.start("look ahead", self._look_ahead())
        self._parts.thread("control", lambda: self._control.listen(self._handle_message)).start()
        try:
            return await self._run()
        finally:
            await self._parts.close()

    async def _run(self) -> bool:
        try:
            if not await self._shutdown.allows(self._register()):
                return True
        except TenutoError as problem:  # the settings of this worker are invalid: another process would fail too
            self._control.send({"event": "refused", "reason": str(problem)})
            return True
        self._open_claimers()
        await self._shutdown.requested.wait()
        left_behind = await self._shutdown.run()
        self._control.send({"event": "closed"})
        return left_behind

    def _open_claimers(self) -> None:
        if not self._groups:
            self.wakeups_missing()
        host = ClaimerHost(self._backend, self._held, self._session, self._settings, events=self, parts=self._parts)
        for no, group in enumerate(self._groups):
            group.open_claimers(host, listens=no == 0)

    async def _register(self) -> None:
        await self._open_session()
        await self._registration.declare_app()

    async def _open_session(self) -> None:
        await self._registration.open()
        await self._resolve()
        self._control.send({"event": "session", "id": self._session.id, "token": self._session.token})

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
        watch = LoopWatch(self._parts)
        try:
            while True:
                await asyncio.sleep(CLOCK_MARGIN_SECONDS)
                watch.ran()
                for group in self._groups:
                    group.look_ahead()
                if not self._replaced:
                    self._check_limits()
        finally:
            watch.stop()

    def _check_limits(self) -> None:
        """Ask the supervisor once for another process when this one has reached a limit. If this process has not had a
        task yet, report that it is too large instead."""
        ended = sum(group.executor.ended for group in self._groups if group.runs_here)
        if reason := self._settings.limits.reached(os.getpid(), ended):
            self._replaced = True
            unused = not any(group.slots.open or group.executor.ended for group in self._groups)
            self._control.send({"event": "too large" if unused else "replace", "reason": reason})

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
        self._control.send({"event": "beat"})

    def session_ended(self, session_id: int) -> None:
        self._loop.call_soon_threadsafe(self._ended, session_id)

    def report_rejected(self, report: Report, problem: Exception) -> None:
        self._loop.call_soon_threadsafe(self._reporter.replace_completion, report, problem)

    def group_missing(self, reason: str) -> None:
        reason = f"{reason}: this worker claims from no other group, and ends"
        self._control.send({"event": "refused", "reason": reason})
        self._loop.call_soon_threadsafe(self._shutdown.finish)

    def _announce(self) -> None:
        """Report once that the process is ready."""
        if not self._ready:
            self._ready = True
            self._control.send({"event": "ready", "tasks": sorted(self._app.tasks)})

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

    def _handle_message(self, message: Message | None) -> None:
        """Handle a message in the control thread. Only the request for the held attempts is handled here, because it
        must not wait for the event loop; the loop handles the others."""
        if message is not None and message["command"] == "list held":
            holding = {**vars(self._held.snapshot()), "logs": [*map(vars, self._flusher.worker_log.take())]}
            running = sum(len(group.executor.running) for group in self._groups)
            ended = [
                (self._registration.queues.get(route, OTHER), *counts)
                for group in self._groups
                for route, *counts in group.executor.take_counts()
            ]
            self._control.send({"event": "held", **holding, "metrics": {"running": running}, "ended": ended})
        else:
            self._loop.call_soon_threadsafe(self._handle_command, message)

    def _handle_command(self, message: Message | None) -> None:
        match message:
            case None:
                self._shutdown.request(0.0)
            case {"command": "renewed"}:
                self._handle_heartbeat(message)
            case {"command": "ended", "session": session}:
                self._ended(session)
            case {"command": "finish"}:
                self._shutdown.finish()
            case {"command": "stop", "grace": grace}:
                self._shutdown.request(grace)
            case _:
                raise AssertionError(f"unknown message from the supervisor: {message}")

    def _handle_heartbeat(self, message: Message) -> None:
        """Apply the result of a heartbeat: the renewed lease, lost and cancelled attempts, and new routes."""
        if message["session"] == self._session.id:
            self._session.open.set()
            self._registration.renewed(message["at"])
        for group in self._groups:
            group.executor.drop(message["lost"])
        self._cancel(message["cancelled"])
        if self._registration.saw(message["new"]):
            self._resolve_now()

    def _ended(self, session_id: int) -> None:
        """Drop the attempts of an ended session and open a new session. Does nothing if the session is not the current
        one, or during a shutdown."""
        if session_id and session_id == self._session.id and not self._shutdown.requested.is_set():
            log.warning("session %s has ended; dropping its attempts and registering again", session_id)
            self._session.open.clear()
            self._session.id = 0
            self._drop_everything()
            self._parts.start("session", self._open_session())

    def _drop_everything(self) -> None:
        for group in self._groups:
            group.drop_all()

    def _cancel(self, fences: list[tuple[str, int]]) -> None:
        for group in self._groups:
            group.executor.cancel(fences)
