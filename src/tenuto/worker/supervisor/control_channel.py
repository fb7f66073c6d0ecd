"""Messages between supervisor and child: one JSON object per line over a socket pair."""

import json
import socket
import threading
from collections.abc import Callable
from typing import Any

from tenuto.worker.supervisor.outage_log import OutageLog

Message = dict[str, Any]


class ControlChannel:
    """The child's end. Requests for the held attempts are handled in a separate thread, so that a busy event loop does
    not delay them. If the interpreter itself is busy, the supervisor uses the previous answer."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("r", encoding="utf-8")
        self._lock = threading.Lock()

    def receive(self) -> Message | None:
        """Return the next message; None when the supervisor is gone."""
        line = self._lines.readline()
        return json.loads(line) if line else None

    def send(self, **message: Any) -> None:
        with self._lock:
            try:
                self._connection.sendall(json.dumps(message).encode() + b"\n")
            except OSError:
                return  # the supervisor is gone: the listening thread notices

    def outage_log(self) -> OutageLog:
        """Return an outage log that forwards to the supervisor, which logs for its children too."""
        return OutageLog(
            gone=lambda reason, _: self.send(say="away", reason=reason), back=lambda _: self.send(say="back")
        )

    def listen(self, handle: Callable[[Message | None], None]) -> None:
        """Handle messages until the supervisor is gone, in the calling thread."""
        while (message := self.receive()) is not None:
            handle(message)
        handle(None)
