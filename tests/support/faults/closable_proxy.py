"""A proxy for a server that can be closed; it counts the connections refused while closed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class ClosableProxy:
    """Passes on every connection while it is open, and ends those that come or are there when it is not."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._inside: set[asyncio.StreamWriter] = set()
        self.url = ""
        self.open = True
        self.refused = 0

    def close(self) -> None:
        self.open = False
        for writer in self._inside:
            writer.transport.abort()

    async def admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.open:
            self.refused += 1
            writer.transport.abort()
            return
        parts = urlsplit(self._server) if _is_http(self._server) else None
        host, port = (parts.hostname, parts.port) if parts else _address(self._server)
        back, forth = await asyncio.open_connection(host, port)
        ends = {writer, forth}
        self._inside |= ends
        await asyncio.gather(_pass_on(reader, forth), _pass_on(back, writer))
        self._inside -= ends


def _is_http(server: str) -> bool:
    return server.startswith("http://")


def _address(database: str) -> tuple[str, int]:
    parts = conninfo_to_dict(database)
    return str(parts["host"]), int(str(parts["port"]))


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
async def a_closable_proxy(server: str) -> AsyncIterator[ClosableProxy]:
    """A gate on a port of its own; its `url` leads through it to the server."""
    gate = ClosableProxy(server)
    async with await asyncio.start_server(gate.admit, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        here = f"http://127.0.0.1:{port}"
        gate.url = here if _is_http(server) else make_conninfo(server, host="127.0.0.1", port=port)
        yield gate
        gate.close()


async def wait_for_refused(gate: ClosableProxy, count: int) -> None:
    while gate.refused < count:
        await asyncio.sleep(0.005)
