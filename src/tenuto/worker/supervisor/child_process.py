"""Starts a child process and exchanges messages with it."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil

from tenuto.runtimes.json_lines import JsonLinesStream
from tenuto.worker.process.held_attempts import resize_ledger
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.spawn import SpawnedChild, spawn_child, take_first_child

MAX_LINE_BYTES = 1 << 24  # per message: a child may list thousands of held attempts
CHECK_EVERY_SECONDS = 0.01  # how often to check whether a process has ended
GIVE_BACK_SECONDS = 3.0  # for a child without a supervisor to give back its attempts


class ChildProcess(JsonLinesStream):
    """A running child: its process, its message connection, and the crash ledger, which shows which attempts had
    started when it died."""

    def __init__(self, spawned: SpawnedChild, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__(reader, writer)
        self._process, self.ledger = spawned.process, spawned.ledger
        self._has_begun = False

    def begin(self, settings: WorkerSettings, no: int) -> None:
        """Send the settings, over the connection, so that no password is on a command line."""
        self._has_begun = True
        # Slots for light tasks, plus one process and one sandbox per core: everything that can run at the same time.
        resize_ledger(self.ledger, settings.concurrency + 2 * (os.cpu_count() or 1))
        own = replace(settings, name=settings.child_name(no), turn=(no - 1) % settings.processes)
        self.send({"settings": own.to_json(), "folder": str(Path.cwd())})

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    async def wait(self) -> int:
        """Wait until the process has ended; return its exit code. Call it only when the process is about to end,
        because it checks every 10 ms."""
        while (code := self._process.poll()) is None:
            await asyncio.sleep(CHECK_EVERY_SECONDS)
        return code

    def kill(self) -> None:
        self._process.kill()

    @property
    def is_stopped(self) -> bool:
        """Whether the process is stopped (SIGSTOP) or dead: it is not doing any work, so no heartbeats are sent for
        it."""
        try:
            return self.has_ended or psutil.Process(self._process.pid).status() == psutil.STATUS_STOPPED
        except psutil.Error:
            return True

    def unless_ended_within(self, seconds: float, do: Callable[[], None]) -> None:
        """Call a function after this time, unless the process has ended."""
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, lambda: None if self.has_ended else do())

    async def end(self) -> None:
        """End a process that no supervisor has taken over."""
        if self._has_begun:
            self.send({"command": "stop", "grace": 0.0})
            with suppress(TimeoutError):
                async with asyncio.timeout(GIVE_BACK_SECONDS):
                    await self.wait()
        self.kill()
        await self.wait()
        self.close()

    def close(self) -> None:
        self._writer.close()
        os.close(self.ledger)


@asynccontextmanager
async def first_child(*, remote: bool) -> AsyncGenerator[ChildProcess]:
    """Yield the child that `spawn_first_child` has started; if there is none, start one. The caller sends it the
    settings. At the end of the block, a child that still runs is ended; if it has received its settings, it gives back
    its tasks first."""
    child = await _connect(take_first_child() or spawn_child(remote=remote))
    try:
        yield child
    finally:
        if not child.has_ended:
            await child.end()


async def start_child(settings: WorkerSettings, no: int) -> ChildProcess:
    """Start a child process and send it these settings."""
    child = await _connect(spawn_child(remote=settings.key is not None))
    child.begin(settings, no)
    return child


async def _connect(spawned: SpawnedChild) -> ChildProcess:
    reader, writer = await asyncio.open_connection(sock=spawned.connection, limit=MAX_LINE_BYTES)
    return ChildProcess(spawned, reader, writer)
