"""Messages between two processes: one JSON object per line over a socket pair."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from tenuto.model.json import JsonObject

Message = dict[str, Any]


class JsonLinesSocket:
    """One end of the connection, for threads."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("r", encoding="utf-8")
        self._lock = threading.Lock()

    def receive(self) -> Message | None:
        """Return the next message; None when the other process is gone."""
        line = self._lines.readline()
        return json.loads(line) if line else None

    def send(self, message: JsonObject) -> None:
        with self._lock:
            self._connection.sendall(json.dumps(message).encode() + b"\n")


class JsonLinesStream:
    """One end of the connection, for an event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def messages(self) -> AsyncIterator[Message]:
        """Yield the messages of the other process until the connection is closed."""
        try:
            while line := await self._reader.readline():
                yield self.read(line)
        except ConnectionError:
            return

    def read(self, line: bytes) -> Message:
        return json.loads(line)

    def send(self, message: JsonObject) -> None:
        if not self._writer.is_closing():
            self._writer.write(json.dumps(message).encode() + b"\n")

    async def drain(self) -> None:
        """Wait until the other process has read most of the messages that were sent to it. This bounds the memory that
        unread messages take."""
        with suppress(ConnectionError):
            await self._writer.drain()
