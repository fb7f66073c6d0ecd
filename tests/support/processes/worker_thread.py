"""A worker's child process as a thread of the test."""

import asyncio
import json
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tenuto import App
from tenuto.worker.backends.base import open_backend
from tenuto.worker.execution.runtimes import RUNTIMES, Runtimes
from tenuto.worker.process.held_attempts import make_ledger_file
from tenuto.worker.process.worker_process import WorkerProcess
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.control_channel import ControlChannel

SUPERVISION = "tenuto control"  # the thread that answers the supervisor


class Supervised:
    """A worker's child process as a thread of the test, which is its supervisor."""

    def __init__(self, settings: WorkerSettings, app: App, runtimes: Runtimes) -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(60)
        self._connection, self._theirs, self._lines = ours, theirs, ours.makefile("r", encoding="utf-8")
        self._settings, self._app, self._runtimes = settings, app, runtimes
        self._control = ControlChannel(theirs)
        self._ledger = make_ledger_file(100)
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    async def _run(self) -> None:
        async with open_backend(self._settings) as backend:
            parts = (self._settings, self._app, self._control, self._ledger, backend)
            await WorkerProcess(*parts, runtimes=self._runtimes).run()

    def tell(self, **message: object) -> None:
        self._connection.sendall(json.dumps(message).encode() + b"\n")

    def wait_for(self, what: str) -> dict[str, object]:
        others: list[object] = []
        try:
            for line in self._lines:
                message = json.loads(line)
                if message["event"] == what:
                    return message
                others.append(message)
        except TimeoutError:
            others.append("nothing for a while")
        raise AssertionError(f"the worker did not say {what}, but {others}")

    def close_connection(self) -> None:
        """What happens when the supervisor dies."""
        self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._lines.close()
        self._connection.close()
        self._control._lines.close()  # a process would end here
        self._theirs.close()
        os.close(self._ledger)

    def holds_nothing(self) -> bool:
        self.tell(command="list held")
        return not self.wait_for("held")["ids"]


@contextmanager
def a_supervised_worker(settings: WorkerSettings, app: App, *, runtimes: Runtimes = RUNTIMES) -> Iterator[Supervised]:
    handlers = list(logging.getLogger().handlers)
    worker = Supervised(settings, app, runtimes)
    worker.thread.start()
    worker.wait_for("ready")
    try:
        yield worker
    finally:
        worker.tell(command="stop", grace=0.0)
        worker.thread.join(60)
        worker.close()
        logging.getLogger().handlers[:] = handlers
