"""A proxy for Postgres that can be cut: bytes go nowhere, and neither side is told."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit, urlunsplit

BUFFER = 65_536
STARTUP = 3 << 16  # before it a client may ask for encryption


class QueryCounter:
    """Counts what a client asks, in the frames of Postgres' protocol: simple queries, and syncs after the others."""

    def __init__(self) -> None:
        self.count = 0
        self._rest = b""
        self._greeted = False

    def take(self, data: bytes) -> None:
        self._rest += data
        while len(self._rest) >= (head := 5 if self._greeted else 4):
            length = int.from_bytes(self._rest[head - 4 : head]) + head - 4
            if len(self._rest) < length:
                return
            frame, self._rest = self._rest[:length], self._rest[length:]
            if self._greeted:
                self.count += frame[:1] in b"QS"
            else:
                self._greeted = int.from_bytes(frame[4:8]) == STARTUP


class Pair:
    """One connection: the client's side and the server's."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client, self.server = client, server
        self.questions = QueryCounter()
        self.silent = False
        self.listens = False

    def close(self) -> None:
        for side in (self.client, self.server):
            side.close()


class Proxy:
    """Forwards until it is told to stop doing so."""

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[Pair] = []
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._cut = False
        self.questions = 0  # asked over all connections
        port = self._listening.getsockname()[1]
        login = self._target.netloc.rpartition("@")[0]
        self.url = urlunsplit(self._target._replace(netloc=f"{login}@127.0.0.1:{port}"))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """Every connection stays open, none carries anything, new ones get no answer."""
        self._cut = True

    def resume(self) -> None:
        """Go on where it stopped: what was sent meanwhile arrives now."""
        self._cut = False

    def strand(self, *, listeners_only: bool = False) -> int:
        """These connections never carry anything again; new ones work. Answers how many there were."""
        with self._lock:
            stranded = [pair for pair in self._pairs if pair.listens or not listeners_only]
            for pair in stranded:
                pair.silent = True
        return len(stranded)

    def _run(self) -> None:
        while not self._closed.is_set():
            with self._lock:
                flowing = [] if self._cut else [pair for pair in self._pairs if not pair.silent]
            sides = {side: pair for pair in flowing for side in (pair.client, pair.server)}
            waiting = [] if self._cut else [self._listening]
            readable, _, _ = select.select([*waiting, *sides], [], [], 0.02)
            for side in readable:
                if side is self._listening:
                    self._accept()
                else:
                    self._forward(sides[side], side)

    def _accept(self) -> None:
        client, _ = self._listening.accept()
        try:
            server = socket.create_connection((self._target.hostname, self._target.port))
        except OSError:
            client.close()
            return
        with self._lock:
            self._pairs.append(Pair(client, server))

    def _forward(self, pair: Pair, side: socket.socket) -> None:
        other = pair.server if side is pair.client else pair.client
        data = b""
        with suppress(OSError):
            data = side.recv(BUFFER)
            if side is pair.client:
                pair.listens = pair.listens or b"listen " in data
                before = pair.questions.count
                pair.questions.take(data)
                self.questions += pair.questions.count - before
            other.sendall(data)
        if not data:
            with self._lock, suppress(ValueError):
                self._pairs.remove(pair)
            pair.close()

    def close(self) -> None:
        self._closed.set()
        self._thread.join()
        self._listening.close()
        for pair in self._pairs:
            pair.close()


@contextmanager
def a_proxy(url: str) -> Iterator[Proxy]:
    proxy = Proxy(url)
    try:
        yield proxy
    finally:
        proxy.close()
