"""A gate in front of a server: it can be closed, and counts those who knock meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class Gate:
    """Passes on every connection while it is open, and ends those that come or are there when it is not."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._inside: set[asyncio.StreamWriter] = set()
        self.url = ""
        self.open = True
        self.turned_away = 0

    def close(self) -> None:
        self.open = False
        for writer in self._inside:
            writer.transport.abort()

    async def admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.open:
            self.turned_away += 1
            writer.transport.abort()
            return
        parts = conninfo_to_dict(self._server)
        back, forth = await asyncio.open_connection(str(parts["host"]), int(str(parts["port"])))
        ends = {writer, forth}
        self._inside |= ends
        await asyncio.gather(_pass_on(reader, forth), _pass_on(back, writer))
        self._inside -= ends


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while sent := await reader.read(65536):
            writer.write(sent)
            await writer.drain()
    except ConnectionError:
        pass  # the other end sees it below
    finally:
        writer.close()


@asynccontextmanager
async def a_gate(server: str) -> AsyncIterator[Gate]:
    """A gate on a port of its own; its `url` leads through it to the server."""
    gate = Gate(server)
    async with await asyncio.start_server(gate.admit, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        gate.url = make_conninfo(server, host="127.0.0.1", port=port)
        yield gate
        gate.close()


async def wait_for_turned_away(gate: Gate, count: int) -> None:
    while gate.turned_away < count:
        await asyncio.sleep(0.005)
