"""Runs functions in separate processes. Each process runs one attempt at a time, so a crash affects only that
attempt."""

import asyncio
import json
import logging
import socket
import sys
import time
from dataclasses import asdict
from typing import Any, Protocol

from tenuto.model.errors import TenutoError
from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.invoke import JOB_TYPES
from tenuto.runtimes.json_lines import JsonLinesStream
from tenuto.runtimes.outcomes import Interrupted, Lost, Outcome, describe, from_json
from tenuto.runtimes.process_lifetime import is_undumpable
from tenuto.runtimes.process_settings import ProcessSettings
from tenuto.sdk.context.attempt_api import ContextApi

log = logging.getLogger("tenuto.worker")

MAX_LINE_BYTES = 1 << 26
PREPARING_EVERY_SECONDS = 3.0  # less than the margin that the database adds to a timeout
LOAD_TIMEOUT_SECONDS = 600.0  # an app that takes longer to import counts as stuck
SHUTDOWN_SECONDS = 5.0  # for the shutdown hooks of a process


class ProcessRuntime:
    """Starts a process when none is idle. The number of slots limits the number of processes. `most`: the maximum
    number of processes of a runtime that shares its slots with other runtimes. Further attempts wait for a process."""

    def __init__(self, host: RuntimeHost, most: int | None = None) -> None:
        self._host = host
        self._room = None if most is None else asyncio.Semaphore(most)
        self._idle: list[Process] = []
        self._ending: set[asyncio.Task[None]] = set()
        self._running: set[asyncio.Task[Outcome]] = set()

    def submit(self, attempt: Attempt) -> "ProcessHandle":
        handle = ProcessHandle(attempt)
        task = asyncio.ensure_future(self._run(handle))
        self._running.add(task)
        task.add_done_callback(lambda _: self._ended(handle, task))
        return handle

    def _ended(self, handle: "ProcessHandle", task: "asyncio.Task[Outcome]") -> None:
        """Report the end of an attempt. This is a callback, because an error in a callback ends the worker process, and
        because a callback runs even if user code cancels every asyncio task."""
        self._running.discard(task)
        if task.cancelled():
            handle.kill()
        self._host.ended(handle.attempt, Interrupted() if task.cancelled() else task.result())

    async def _run(self, handle: "ProcessHandle") -> Outcome:
        try:
            if self._room is None:
                return await self._run_in_process(handle)
            return await self._run_in_turn(handle, self._room)
        except Exception as error:  # no process could be started, or it sent an unknown message
            log.exception("task %s could not be run in a process", handle.attempt.task_id)
            handle.kill()
            return Lost(describe(error))

    async def _run_in_turn(self, handle: "ProcessHandle", room: asyncio.Semaphore) -> Outcome:
        """Run the attempt as soon as fewer than `most` attempts run in processes. Its timeout does not run while it
        waits."""
        waiting = asyncio.ensure_future(self._keep_waiting(handle)) if room.locked() else None
        try:
            async with room:
                if waiting is not None:
                    waiting.cancel()
                    await self._host.preparing(handle.attempt)
                return await self._run_in_process(handle)
        finally:
            if waiting is not None:
                waiting.cancel()

    async def _keep_waiting(self, handle: "ProcessHandle") -> None:
        while True:
            await self._host.preparing(handle.attempt)
            await asyncio.sleep(PREPARING_EVERY_SECONDS)

    async def _run_in_process(self, handle: "ProcessHandle") -> Outcome:
        if handle.attempt.stop is not None:  # asked to stop while it waited
            return handle.attempt.stop
        process = self._take_idle() or await self._start(handle)
        if handle.attempt.stop is not None:  # asked to stop while its process was starting
            self._idle.append(process)
            return handle.attempt.stop
        handle.process = process
        self._host.began(handle.attempt)
        outcome = await self._exchange_messages(process, handle.attempt, self._host.open_api(handle.attempt))
        if process.alive:
            self._keep(process)
        return outcome

    def _keep(self, process: "Process") -> None:
        """Keep the process for the next attempt, or end it if it has reached a limit."""
        process.tasks += 1
        if reason := self._host.process.limits.reached(process.process.pid, process.tasks):
            log.info("task process %s %s; another takes its place", process.process.pid, reason)
            ending = asyncio.ensure_future(process.shut_down(SHUTDOWN_SECONDS))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
        else:
            self._idle.append(process)

    async def _start(self, handle: "ProcessHandle") -> "Process":
        """Start a process. The attempt's timeout does not run while the app is being imported, for at most
        LOAD_TIMEOUT_SECONDS."""
        starting = asyncio.ensure_future(start(self._host.process))
        end = time.monotonic() + LOAD_TIMEOUT_SECONDS
        while not starting.done():
            await asyncio.wait({starting}, timeout=PREPARING_EVERY_SECONDS)
            if time.monotonic() < end:
                await self._host.preparing(handle.attempt)
        return starting.result()

    def _take_idle(self) -> "Process | None":
        """Return an idle process that is still alive, or None. Idle processes may have been killed for their memory
        use."""
        while self._idle:
            process = self._idle.pop()
            if process.process.returncode is None:
                return process
            process.disconnect()
        return None

    async def _exchange_messages(self, process: "Process", attempt: Attempt, api: ContextApi) -> Outcome:
        jobs = self._host.process.jobs
        process.send(
            {
                "run": attempt.task.name,
                "task_id": attempt.task_id,
                "run_id": attempt.run_id,
                "no": attempt.no,
                "failures": attempt.failures,
                "number": attempt.number,
                "input": attempt.input,
                "slots": attempt.slots,
                "metadata": attempt.metadata,
                "root_id": attempt.root_id,
                "org": api.org,
                "jobs": asdict(jobs) if jobs and attempt.task.name.startswith(JOB_TYPES) else None,
            }
        )
        async for message in process.messages():
            match message:
                case {"call": no, "verb": verb, "arguments": arguments}:
                    process.send(await _reply_to(api, no, verb, arguments))
                    await process.drain()
                case {"send": verb, "arguments": arguments}:
                    api.send(verb, **arguments)
                case {"log": [level, text, fields, created]}:
                    self._host.logs.add(attempt, level, text, fields, created)
                case {"outcome": result}:
                    outcome = from_json(result)
                    return attempt.stop if isinstance(outcome, Interrupted) and attempt.stop else outcome
                case _:
                    raise AssertionError(f"unknown message from the process: {message}")
        code = await process.process.wait()
        process.alive = False
        process.disconnect()
        return attempt.stop or process.how_it_died(code)

    async def close(self) -> None:
        """End the idle processes; if there are shutdown hooks, let each process run them."""
        idle, self._idle = self._idle, []
        seconds = SHUTDOWN_SECONDS if self._host.hooks.shutdown else 0.0
        await asyncio.gather(*(process.shut_down(seconds) for process in idle), *self._ending)


class ProcessHandle:
    """An attempt that runs in a process; can be asked to stop or killed."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.process: Process | None = None

    def ask_to_stop(self) -> None:
        if self.process:
            self.process.send({"stop": True})

    def kill(self) -> bool:
        if self.process and self.process.alive:
            self.process.alive = False
            self.process.kill()
            log.error("task %s did not stop in time; killing its process", self.attempt.task_id)
        return True


class OsProcess(Protocol):
    """The part of `asyncio.subprocess.Process` that is used here."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def terminate(self) -> None: ...

    def kill(self) -> None: ...

    async def wait(self) -> int: ...


class Process(JsonLinesStream):
    """One process and the connection to it."""

    def __init__(self, process: OsProcess, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__(reader, writer)
        self.process = process
        self.alive = True
        self.tasks = 0  # the number of tasks that it has run

    def kill(self) -> None:
        self.process.kill()
        self.disconnect()

    def disconnect(self) -> None:
        """Close the connection. If it is left to the garbage collector, it is closed twice, by uvloop and by its
        socket. The second time, its file descriptor may already belong to another file."""
        self._writer.close()

    async def shut_down(self, seconds: float) -> None:
        """Close the connection, so that the process ends. Kill the process if it has not ended after `seconds`."""
        self.disconnect()
        try:
            async with asyncio.timeout(seconds):
                await self.process.wait()
        except TimeoutError:
            if seconds:
                log.error("a task process did not end within %g s; killing it", seconds)
            self.process.kill()
            await self.process.wait()

    def how_it_died(self, code: int) -> Lost:
        how = f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"
        return Lost({"type": "ProcessDied", "message": f"the process that ran it {how}", "exit_code": code})


class ProcessNotStarted(Exception):
    """A task process could not load the app, or a start-up hook failed in it."""


async def start(settings: ProcessSettings) -> Process:
    ours, theirs = socket.socketpair()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tenuto.runtimes.process_child", str(theirs.fileno()),
        json.dumps(
            {
                "targets": settings.targets,
                "log": asdict(settings.log),
                "undumpable": is_undumpable(),
                "hashes_code": settings.hashes_code,
            }
        ),
        pass_fds=(theirs.fileno(),), stdin=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    theirs.close()
    reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_LINE_BYTES)
    line = await reader.readline()  # sent when the app is loaded; empty if the process died
    if problem := line and json.loads(line).get("failed"):
        writer.close()
        await process.wait()
        raise ProcessNotStarted(problem)
    return Process(process, reader, writer)


async def _reply_to(api: ContextApi, no: int, verb: str, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"response": no, "value": await api.call(verb, **arguments)}
    except TenutoError as error:
        return {"response": no, "code": error.code, "message": error.message, "hint": error.hint}
    except Exception as error:
        return {"response": no, "code": None, "message": f"{type(error).__name__}: {error}", "hint": None}
