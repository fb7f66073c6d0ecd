"""Runs functions in separate processes, one attempt at a time each; a crash affects only that attempt."""

import asyncio
import json
import logging
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol

from tenuto.model.errors import TenutoError
from tenuto.runtimes.outcomes import Interrupted, Lost, Outcome, describe, from_json
from tenuto.runtimes.process_lifetime import keeps_to_itself
from tenuto.sdk.context.attempt_api import AttemptApi

log = logging.getLogger("tenuto.worker")

MAX_LINE_BYTES = 1 << 26
UNBEGUN_EVERY = 3.0  # less than the margin that the database adds to a timeout
LOAD_TIMEOUT_SECONDS = 600.0  # an app that takes longer is stuck


class Runnable(Protocol):
    """The properties of an attempt that a process needs."""

    task_id: str
    run_id: str
    no: int
    failures: int
    input: str | None
    slots: str | None
    metadata: str | None
    task: Any
    stop: Outcome | None


class LogSink(Protocol):
    def add(self, attempt: Any, level: str, message: str, fields: dict[str, Any] | None, created: float) -> None: ...


class ProcessRuntime:
    """Starts a process when none is idle; the number of slots limits how many there are."""

    def __init__(
        self,
        target: str,
        open_port: Callable[[Any], AttemptApi],
        logs: LogSink,
        *,
        began: Callable[[Any], None],
        done: Callable[[Any, Outcome], None],
        # Called periodically while its process is being started.
        unbegun: Callable[[Any], Awaitable[None]] | None = None,
    ) -> None:
        self._target, self._open_port, self._logs, self._began, self._done = target, open_port, logs, began, done
        self._unbegun = unbegun
        self._idle: list[Process] = []
        self._jobs: set[asyncio.Task[Outcome]] = set()

    def run(self, attempt: Any) -> "ProcessHandle":
        job = ProcessHandle(attempt)
        task = asyncio.ensure_future(self._run(job))
        self._jobs.add(task)
        task.add_done_callback(lambda _: self._ended(job, task))
        return job

    def _ended(self, job: "ProcessHandle", task: "asyncio.Task[Outcome]") -> None:
        """Handle the end of an attempt in a callback, where an error ends the process. User code may cancel every
        asyncio task."""
        self._jobs.discard(task)
        if task.cancelled():
            job.kill()
        self._done(job.attempt, Interrupted() if task.cancelled() else task.result())

    async def _run(self, job: "ProcessHandle") -> Outcome:
        try:
            return await self._run_in_process(job)
        except Exception as error:  # no process could be started, or it sent an unknown message
            log.exception("task %s could not be run in a process", job.attempt.task_id)
            job.kill()
            return Lost(describe(error))

    async def _run_in_process(self, job: "ProcessHandle") -> Outcome:
        process = self._take_idle() or await self._start(job)
        if job.attempt.stop is not None:  # asked to stop while its process was starting
            self._idle.append(process)
            return job.attempt.stop
        job.process = process
        self._began(job.attempt)
        outcome = await self._converse(process, job.attempt, self._open_port(job.attempt))
        if process.alive:
            self._idle.append(process)
        return outcome

    async def _start(self, job: "ProcessHandle") -> "Process":
        """Start a process. The attempt's timeout does not run while the app is being imported."""
        starting = asyncio.ensure_future(start(self._target))
        end = time.monotonic() + LOAD_TIMEOUT_SECONDS
        while not starting.done():
            await asyncio.wait({starting}, timeout=UNBEGUN_EVERY)
            if self._unbegun and time.monotonic() < end:
                await self._unbegun(job.attempt)
        return starting.result()

    def _take_idle(self) -> "Process | None":
        """Return an idle process that is still alive: one may have been killed for its memory use."""
        while self._idle:
            process = self._idle.pop()
            if process.process.returncode is None:
                return process
        return None

    async def _converse(self, process: "Process", attempt: Runnable, port: AttemptApi) -> Outcome:
        process.tell(
            run=attempt.task.name,
            task_id=attempt.task_id,
            run_id=attempt.run_id,
            no=attempt.no,
            failures=attempt.failures,
            input=attempt.input,
            slots=attempt.slots,
            metadata=attempt.metadata,
        )
        async for message in process.messages():
            match message:
                case {"ask": no, "verb": verb, "arguments": arguments}:
                    process.tell(**await _answer(port, no, verb, arguments))
                    await process.drain()
                case {"tell": verb, "arguments": arguments}:
                    port.tell(verb, **arguments)
                case {"log": [level, text, fields, created]}:
                    self._logs.add(attempt, level, text, fields, created)
                case {"outcome": result}:
                    outcome = from_json(result)
                    return attempt.stop if isinstance(outcome, Interrupted) and attempt.stop else outcome
                case _:
                    raise AssertionError(f"the process says {message}")
        code = await process.process.wait()
        process.alive = False
        return attempt.stop or process.how_it_died(code)

    async def close(self) -> None:
        for process in self._idle:
            process.process.kill()
            await process.process.wait()


class ProcessHandle:
    """An attempt that runs in a process; can be asked to stop or killed."""

    def __init__(self, attempt: Any) -> None:
        self.attempt = attempt
        self.process: Process | None = None

    def ask_to_stop(self) -> None:
        if self.process:
            self.process.tell(stop=True)

    def kill(self) -> None:
        if self.process and self.process.alive:
            self.process.alive = False
            self.process.kill()
            log.error("task %s did not stop when asked to: its process is killed", self.attempt.task_id)


class Process:
    """One process and the connection to it."""

    def __init__(
        self, process: asyncio.subprocess.Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.process, self._reader, self._writer = process, reader, writer
        self.alive = True

    def tell(self, **message: Any) -> None:
        if not self._writer.is_closing():
            self._writer.write(json.dumps(message).encode() + b"\n")

    async def drain(self) -> None:
        """Wait until the process has read its messages. Bounds the memory that a process costs if it never reads."""
        with suppress(ConnectionError):
            await self._writer.drain()

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        try:
            while line := await self._reader.readline():
                yield self.read(line)
        except ConnectionError:
            return

    def read(self, line: bytes) -> dict[str, Any]:
        return json.loads(line)

    def kill(self) -> None:
        self.process.kill()

    def how_it_died(self, code: int) -> Lost:
        how = f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"
        return Lost({"type": "ProcessDied", "message": f"the process that ran it {how}", "exit_code": code})


async def start(target: str) -> Process:
    ours, theirs = socket.socketpair()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tenuto.runtimes.process_child", str(theirs.fileno()), target,
        *(["--apart"] if keeps_to_itself() else []),
        pass_fds=(theirs.fileno(),), stdin=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    theirs.close()
    reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_LINE_BYTES)
    await reader.readline()  # sent when the app is loaded; empty if the process died
    return Process(process, reader, writer)


async def _answer(port: AttemptApi, no: int, verb: str, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": no, "value": await port.ask(verb, **arguments)}
    except TenutoError as error:
        return {"answer": no, "code": error.code, "message": error.message, "hint": error.hint}
    except Exception as error:
        return {"answer": no, "code": None, "message": f"{type(error).__name__}: {error}", "hint": None}
