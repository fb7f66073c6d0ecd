"""Clients that never finish what they send: uvicorn waits for them for ever, and has room for so many."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Patient(H11Protocol):
    """Looks at its connection now and then, which costs a request nothing. A head has until the second look; a body
    brings some bytes between any two, unless we are the ones who do not take them."""

    seconds = 20.0  # between two looks
    least_bytes = 20_000

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._received = 0
        self._before: Any = None  # the last request that had been answered
        self._look_again()

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._next_look.cancel()
        super().connection_lost(exc)

    def _look_again(self) -> None:
        self._next_look = self.loop.call_later(self.seconds, self._look)

    def _look(self) -> None:
        cycle, received = self.cycle, self._received
        self._received = 0
        idle = cycle is None or cycle.response_complete
        late = cycle is self._before if idle else cycle.more_body and received < self.least_bytes
        if late and not self.flow.read_paused and not self.transport.is_closing():
            if idle or not cycle.response_started:
                self.transport.write(LATE)
            self.transport.close()
            return
        self._before = cycle if idle else self
        self._look_again()
