"""Sends tasks to Tenuto with the client of `app.connect()`."""

import uvloop

from bench.peers import sender
from bench.peers.tenuto.tasks import app, late, limited, noop, whole
from tenuto.db.install import install
from tenuto.sdk.client.client import Client

GRAPHS = 500  # per call
CUSTOMERS = 1000


class TenutoSender:
    """Sends tasks, bulk starts and graphs."""

    def __init__(self) -> None:
        self.connection = app.connect()
        self.found: Client | None = None

    async def client(self) -> Client:
        if self.found is None:
            self.found = await self.connection.__aenter__()
        return self.found

    async def prepare(self) -> None:
        install.migrate(sender.url())

    async def send(self, n: int) -> None:
        await (await self.client()).start(noop, n)

    async def send_late(self, sent: int) -> None:
        await (await self.client()).start(late, sent)

    async def send_many(self, count: int) -> None:
        await (await self.client()).start_many(noop, range(count))

    async def send_limited(self, count: int) -> None:
        await (await self.client()).start_many(limited, [n % CUSTOMERS for n in range(count)])

    async def send_chains(self, count: int) -> None:
        tn = await self.client()
        graphs = [tn.graph() for _ in range(count)]
        for graph in graphs:
            graph.add(noop, graph.add(noop, graph.add(noop, 0)))
        for first in range(0, count, GRAPHS):
            await tn.start(graphs[first : first + GRAPHS])

    async def send_fans(self, count: int, width: int) -> None:
        tn = await self.client()
        graphs = [tn.graph() for _ in range(count)]
        for graph in graphs:
            graph.add(whole, graph.map(noop, range(width)))
        for first in range(0, count, GRAPHS):
            await tn.start(graphs[first : first + GRAPHS])


async def make() -> TenutoSender:
    return TenutoSender()


sender.run(make, loop=uvloop.new_event_loop)
