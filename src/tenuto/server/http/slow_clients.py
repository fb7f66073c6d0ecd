"""Closes connections whose request stops arriving (slowloris) or whose response is not read, and counts connections.
uvicorn has no such timeouts."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from tenuto.server.limits.client_network import network_of
from tenuto.server.limits.connection_limit import LATE, NO_REQUEST, ConnectionLimit


class SlowClientProtocol(H11Protocol):
    """Checks its connection periodically, at no cost per request. The head of a request must arrive before the second
    check. At least `least_bytes` of a body must arrive between two checks, unless the server itself has paused reading.
    If a response waits for its client, the client must read some of it between two checks."""

    seconds = 20.0  # between two checks
    least_bytes = 20_000
    host = address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._received = 0
        self._before: Any = None  # at the last check: the last request, if its response was complete
        self._is_fresh = True
        self._unsent = 0  # bytes that waited for the client at the last check
        self._counted: ConnectionLimit = self.app_state["connections"]
        self.host = self.client[0] if self.client else ""
        self.address = network_of(self.host)
        self._look_again()
        self._counted.enter(self)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        if self._is_fresh and self.cycle:
            self._is_fresh = False
            self._counted.note_request(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._next_look.cancel()
        self._counted.leave(self)
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        self._unsent = 0  # the client has read what waited for it
        super().resume_writing()

    def is_idle(self) -> bool:
        return not self.cycle or self.cycle.response_complete

    def refuse(self, response: bytes) -> None:
        self._next_look.cancel()
        if not self.transport.is_closing():
            self.transport.write(response)
            self.transport.close()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 (the name is uvicorn's)
        self.refuse(NO_REQUEST)

    def _look_again(self) -> None:
        self._next_look = self.loop.call_later(self.seconds, self._look)

    def _look(self) -> None:
        cycle, received = self.cycle, self._received
        self._received = 0
        unsent, self._unsent = self._unsent, self.transport.get_write_buffer_size()
        # A connection that is closing also waits until its client has read the response.
        if 0 < unsent == self._unsent and (self.flow.write_paused or self.transport.is_closing()):
            self.transport.abort()
            return
        idle = self.is_idle()
        late = cycle is self._before if idle else cycle.more_body and received < self.least_bytes
        if late and not self.flow.read_paused and not self.transport.is_closing():
            if idle or not cycle.response_started:
                self.transport.write(LATE)
            self.transport.close()
        self._before = cycle if idle else self
        self._look_again()
