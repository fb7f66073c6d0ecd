"""Sends messages to Dramatiq."""

from dramatiq import group, pipeline

from bench.peers import sender
from bench.peers.dramatiq.actors import broker, late, noop


class DramatiqSender:
    """Sends to actors `noop` and `late`, pipelines and groups; there is no bulk call."""

    async def prepare(self) -> None:
        broker.client.ping()

    async def send(self, n: int) -> None:
        noop.send(n)

    async def send_late(self, sent: int) -> None:
        late.send(sent)

    async def send_chains(self, count: int) -> None:
        for n in range(count):
            pipeline([noop.message(n), noop.message(), noop.message()]).run()

    async def send_fans(self, count: int, width: int) -> None:
        """Send groups. The callback learns that the group is done, but not the results of its members."""
        for _ in range(count):
            parts = group([noop.message(n) for n in range(width)])
            parts.add_completion_callback(noop.message(width))
            parts.run()


async def make() -> DramatiqSender:
    return DramatiqSender()


sender.run(make)
