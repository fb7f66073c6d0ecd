"""Starting a child process and talking to it."""

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
    """A running child: its process, its end of the line, and the file that tells what had begun when it died."""

    process: asyncio.subprocess.Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    ledger: int

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """What the child says, until it is gone."""
        try:
            while line := await self.reader.readline():
                yield json.loads(line)
        except ConnectionError:
            return

    def tell(self, **message: Any) -> None:
        if not self.writer.is_closing():
            self.writer.write(json.dumps(message).encode() + b"\n")

    def begin(self, settings: WorkerSettings, no: int) -> None:
        """Its settings travel over the line, so that no password is on a command line."""
        self.tell(settings=replace(settings, name=f"{settings.name}:{no}", turn=no - 1).to_json())

    def close(self) -> None:
        self.writer.close()
        os.close(self.ledger)


@asynccontextmanager
async def early_child(concurrency: int) -> AsyncIterator[ChildProcess]:
    """The first child of a worker, started before anything else: it imports while its supervisor asks the database who
    it is. Whoever uses it lets it begin; it ends with this block."""
    child = await start_child(concurrency)
    try:
        yield child
    finally:
        if child.process.returncode is None:
            child.process.kill()
            await child.process.wait()
            child.close()


async def start_child(concurrency: int) -> ChildProcess:
    """A new process for the app, which waits to be told its settings."""
    ours, theirs = socket.socketpair()
    # Light slots, one process and one sandbox for each core: everything that can have begun at once.
    begun = crash_ledger.make_file(concurrency + 2 * (os.cpu_count() or 1))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tenuto.worker.process.main",
        str(theirs.fileno()),
        str(begun),
        pass_fds=(theirs.fileno(), begun),
        stdin=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the supervisor, which tells its children
    )
    theirs.close()
    reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_LINE_BYTES)
    return ChildProcess(process, reader, writer, begun)
