"""Sends tasks to Celery over one persistent connection."""

from celery import chain, chord

from bench.peers import sender
from bench.peers.celery.tasks import app, late, noop, part, whole


class CelerySender:
    """Sends tasks `noop` and `late`, chains and chords; there is no bulk call."""

    def __init__(self) -> None:
        self.producer = app.amqp.Producer(app.connection_for_write())

    async def prepare(self) -> None:
        self.producer.connection.ensure_connection()

    async def send(self, n: int) -> None:
        noop.apply_async((n,), producer=self.producer)

    async def send_late(self, sent: int) -> None:
        late.apply_async((sent,), producer=self.producer)

    async def send_chains(self, count: int) -> None:
        for n in range(count):
            chain(noop.s(n), noop.s(), noop.s()).apply_async(producer=self.producer)

    async def send_fans(self, count: int, width: int) -> None:
        for _ in range(count):
            chord([part.s(n) for n in range(width)], whole.s()).apply_async()


async def make() -> CelerySender:
    return CelerySender()


sender.run(make)
