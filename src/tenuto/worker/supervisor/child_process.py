"""Starts a child process and exchanges messages with it."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor import crash_ledger

MAX_LINE_BYTES = 1 << 24  # a child may hold thousands of attempts


@dataclass
class ChildProcess:
    """A running child: its process, its message connection, and the crash ledger that tells which attempts had started
    when it died."""

    process: asyncio.subprocess.Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    ledger: int

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """Yield the messages of the child until it exits."""
        try:
            while line := await self.reader.readline():
                yield json.loads(line)
        except ConnectionError:
            return

    def tell(self, **message: Any) -> None:
        if not self.writer.is_closing():
            self.writer.write(json.dumps(message).encode() + b"\n")

    def begin(self, settings: WorkerSettings, no: int) -> None:
        """Send the settings over the connection, so that no password is on a command line."""
        self.tell(settings=replace(settings, name=f"{settings.name}:{no}", turn=no - 1).to_json())

    def close(self) -> None:
        self.writer.close()
        os.close(self.ledger)


@asynccontextmanager
async def early_child(concurrency: int) -> AsyncIterator[ChildProcess]:
    """Start the first child before anything else, so that it imports modules while the supervisor connects to the
    database. The caller lets it begin; it is killed at the end of the block unless it has exited."""
    child = await start_child(concurrency)
    try:
        yield child
    finally:
        if child.process.returncode is None:
            child.process.kill()
            await child.process.wait()
            child.close()


async def start_child(concurrency: int) -> ChildProcess:
    """Start a process that waits for its settings."""
    ours, theirs = socket.socketpair()
    # Slots for light tasks, plus one process and one sandbox per core: everything that can run at the same time.
    begun = crash_ledger.make_file(concurrency + 2 * (os.cpu_count() or 1))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tenuto.worker.process.main",
        str(theirs.fileno()),
        str(begun),
        pass_fds=(theirs.fileno(), begun),
        stdin=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C goes to the supervisor, which stops its children
    )
    theirs.close()
    reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_LINE_BYTES)
    return ChildProcess(process, reader, writer, begun)
