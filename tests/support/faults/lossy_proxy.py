"""A proxy that drops responses of a server: the request is done, but the client never sees the response."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class LossyProxy:
    """Forwards; the next `loses` answers are cut off instead."""

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self.url = ""
        self.loses = self.lost = 0
        self._open: set[asyncio.StreamWriter] = set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(self._target.hostname, self._target.port)
        self._open |= {writer, far_writer}
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._pump(reader, far_writer, answers=False))
                tasks.create_task(self._pump(far_reader, writer, answers=True))
        except* OSError:
            pass
        finally:
            for one in (writer, far_writer):
                self._open.discard(one)
                one.close()

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, answers: bool) -> None:
        while data := await source.read(65_536):
            if answers and self.loses:
                self.loses -= 1
                self.lost += 1
                raise ConnectionResetError
            target.write(data)
            await target.drain()
        raise ConnectionResetError

    async def in_use(self) -> None:
        """Until somebody is connected."""
        while not self._open:
            await asyncio.sleep(0.005)

    def cut(self) -> None:
        """Every connection is gone at once; new ones work."""
        for one in list(self._open):
            with suppress(OSError):
                one.transport.abort()


@asynccontextmanager
async def a_lossy_proxy(url: str) -> AsyncIterator[LossyProxy]:
    line = LossyProxy(url)
    server = await asyncio.start_server(line._serve, "127.0.0.1", 0)
    line.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        line.cut()
        server.close()
