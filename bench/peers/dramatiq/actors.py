"""Actors for Dramatiq."""

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import GroupCallbacks
from dramatiq.rate_limits.backends import RedisBackend

from bench.peers import sender
from bench.peers.tally import hit
from bench.peers.tally import late as note

broker = RedisBroker(url=sender.url())
broker.add_middleware(GroupCallbacks(RedisBackend(url=sender.url())))
dramatiq.set_broker(broker)


@dramatiq.actor
def noop(n: int) -> int:
    hit()
    return n


@dramatiq.actor
def late(sent: int) -> None:
    note(sent)
