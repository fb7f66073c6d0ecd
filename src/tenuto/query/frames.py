"""Messages between the server and a query process: JSON objects and blocks of bytes, each with its length."""

import json
import socket
import struct
import threading
from typing import Literal, cast

from tenuto.model.json import JsonObject

HEAD = struct.Struct(">cI")
MAX_FRAME_BYTES = 16 << 20
MAX_CONTROL_BYTES = 64 << 10  # of a JSON object from a query process, which the server parses
MAX_ERROR_CHARS = 2000
Kind = Literal[b"J", b"B"]


def pack(kind: Kind, body: bytes) -> bytes:
    return HEAD.pack(kind, len(body)) + body


def pack_json(message: JsonObject) -> bytes:
    return pack(b"J", json.dumps(message).encode())


class Channel:
    """The query process's end of the connection to the server. Only one thread at a time sends a request and waits for
    its response."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._turn = threading.Lock()

    def send(self, message: JsonObject) -> None:
        with self._turn:
            self._connection.sendall(pack_json(message))

    def send_bytes(self, block: bytes | memoryview) -> None:
        with self._turn:
            for begin in range(0, len(block), MAX_FRAME_BYTES):
                part = bytes(block[begin : begin + MAX_FRAME_BYTES])
                self._connection.sendall(pack(b"B", part))

    def receive(self) -> JsonObject:
        return cast(JsonObject, json.loads(self._receive()))

    def request(self, message: JsonObject) -> bytes:
        """Send a request and return the bytes of its response."""
        with self._turn:
            self._connection.sendall(pack_json(message))
            return self._receive()

    def _receive(self) -> bytes:
        _, length = cast("tuple[bytes, int]", HEAD.unpack(self._read_exactly(HEAD.size)))
        return self._read_exactly(length)

    def _read_exactly(self, length: int) -> bytes:
        buffer = bytearray(length)
        view = memoryview(buffer)
        while view:
            count = self._connection.recv_into(view)
            if not count:
                raise EOFError("the server has closed the connection")
            view = view[count:]
        return bytes(buffer)
