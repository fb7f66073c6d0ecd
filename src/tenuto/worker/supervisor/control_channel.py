"""What supervisor and child say to each other: one JSON object a line over a socket pair."""

import json
import socket
import threading
from collections.abc import Callable
from typing import Any

from tenuto.worker.supervisor.outage_log import OutageLog

Message = dict[str, Any]


class ControlChannel:
    """The child's end. Questions about what is held are answered in a thread of their own, so that a busy loop does
    not delay them; a busy interpreter does, and then the supervisor goes by the last answer."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("r", encoding="utf-8")
        self._lock = threading.Lock()

    def receive(self) -> Message | None:
        """The next message; None when the supervisor is gone."""
        line = self._lines.readline()
        return json.loads(line) if line else None

    def send(self, **message: Any) -> None:
        with self._lock:
            try:
                self._connection.sendall(json.dumps(message).encode() + b"\n")
            except OSError:
                return  # the supervisor is gone: the listening thread says so

    def absence(self) -> OutageLog:
        """The supervisor says to people what its children and itself miss."""
        return OutageLog(
            gone=lambda reason, _: self.send(say="away", reason=reason), back=lambda _: self.send(say="back")
        )

    def listen(self, handle: Callable[[Message | None], None]) -> None:
        """Until the supervisor is gone, in the thread that calls it."""
        while (message := self.receive()) is not None:
            handle(message)
        handle(None)
