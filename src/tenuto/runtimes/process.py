"""Runs functions in separate processes, one attempt at a time each; a crash affects only that attempt."""

import asyncio
import json
import logging
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from tenuto.model.errors import TenutoError
from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.outcomes import Interrupted, Lost, Outcome, describe, from_json
from tenuto.runtimes.process_lifetime import keeps_to_itself
from tenuto.sdk.context.attempt_api import AttemptApi

log = logging.getLogger("tenuto.worker")

MAX_LINE_BYTES = 1 << 26
PREPARING_EVERY_SECONDS = 3.0  # less than the margin that the database adds to a timeout
LOAD_TIMEOUT_SECONDS = 600.0  # an app that takes longer is stuck


class ProcessRuntime:
    """Starts a process when none is idle; the number of slots limits how many there are."""

    def __init__(self, host: RuntimeHost) -> None:
        self._host = host
        self._idle: list[Process] = []
        self._running: set[asyncio.Task[Outcome]] = set()

    def submit(self, attempt: Attempt) -> "ProcessHandle":
        handle = ProcessHandle(attempt)
        task = asyncio.ensure_future(self._run(handle))
        self._running.add(task)
        task.add_done_callback(lambda _: self._ended(handle, task))
        return handle

    def _ended(self, handle: "ProcessHandle", task: "asyncio.Task[Outcome]") -> None:
        """Handle the end of an attempt in a callback, where an error ends the process. User code may cancel every
        asyncio task."""
        self._running.discard(task)
        if task.cancelled():
            handle.kill()
        self._host.ended(handle.attempt, Interrupted() if task.cancelled() else task.result())

    async def _run(self, handle: "ProcessHandle") -> Outcome:
        try:
            return await self._run_in_process(handle)
        except Exception as error:  # no process could be started, or it sent an unknown message
            log.exception("task %s could not be run in a process", handle.attempt.task_id)
            handle.kill()
            return Lost(describe(error))

    async def _run_in_process(self, handle: "ProcessHandle") -> Outcome:
        process = self._take_idle() or await self._start(handle)
        if handle.attempt.stop is not None:  # asked to stop while its process was starting
            self._idle.append(process)
            return handle.attempt.stop
        handle.process = process
        self._host.began(handle.attempt)
        outcome = await self._converse(process, handle.attempt, self._host.open_api(handle.attempt))
        if process.alive:
            self._idle.append(process)
        return outcome

    async def _start(self, handle: "ProcessHandle") -> "Process":
        """Start a process. The attempt's timeout does not run while the app is being imported."""
        starting = asyncio.ensure_future(start(self._host.target))
        end = time.monotonic() + LOAD_TIMEOUT_SECONDS
        while not starting.done():
            await asyncio.wait({starting}, timeout=PREPARING_EVERY_SECONDS)
            if time.monotonic() < end:
                await self._host.preparing(handle.attempt)
        return starting.result()

    def _take_idle(self) -> "Process | None":
        """Return an idle process that is still alive: one may have been killed for its memory use."""
        while self._idle:
            process = self._idle.pop()
            if process.process.returncode is None:
                return process
        return None

    async def _converse(self, process: "Process", attempt: Attempt, api: AttemptApi) -> Outcome:
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
                    process.tell(**await _answer(api, no, verb, arguments))
                    await process.drain()
                case {"tell": verb, "arguments": arguments}:
                    api.tell(verb, **arguments)
                case {"log": [level, text, fields, created]}:
                    self._host.logs.add(attempt, level, text, fields, created)
                case {"outcome": result}:
                    outcome = from_json(result)
                    return attempt.stop if isinstance(outcome, Interrupted) and attempt.stop else outcome
                case _:
                    raise AssertionError(f"unknown message from the process: {message}")
        code = await process.process.wait()
        process.alive = False
        return attempt.stop or process.how_it_died(code)

    async def close(self) -> None:
        for process in self._idle:
            process.process.kill()
            await process.process.wait()


class ProcessHandle:
    """An attempt that runs in a process; can be asked to stop or killed."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt = attempt
        self.process: Process | None = None

    def ask_to_stop(self) -> None:
        if self.process:
            self.process.tell(stop=True)

    def kill(self) -> bool:
        if self.process and self.process.alive:
            self.process.alive = False
            self.process.kill()
            log.error("task %s did not stop in time; killing its process", self.attempt.task_id)
        return True


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


async def _answer(api: AttemptApi, no: int, verb: str, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": no, "value": await api.ask(verb, **arguments)}
    except TenutoError as error:
        return {"answer": no, "code": error.code, "message": error.message, "hint": error.hint}
    except Exception as error:
        return {"answer": no, "code": None, "message": f"{type(error).__name__}: {error}", "hint": None}
