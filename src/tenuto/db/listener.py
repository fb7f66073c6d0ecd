"""Wake-ups: hints that a queue may have work, for as long as the process lives. Polling is the truth."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass

import psycopg
from psycopg import AsyncConnection, sql

from tenuto.db.pool import VANISHED

CHANNEL = "tenuto_ready"
SHORTEST_PAUSE = 0.1
LONGEST_PAUSE = 10.0


@dataclass(frozen=True)
class Wake:
    """A queue may have work; without a queue: something may have been missed, look everywhere."""

    queue: str | None

    @property
    def rescan(self) -> bool:
        return self.queue is None


class Deaf(Exception):
    """The connection is open but hears nothing, as behind a pooler in transaction mode."""


async def listen(url: str, *, check_every: float = 15.0) -> AsyncIterator[Wake]:
    """Wake-ups without end. After every connect comes a rescan: what was sent meanwhile is lost."""
    pause = SHORTEST_PAUSE
    while True:
        try:
            async with await _connect(url) as conn:
                yield Wake(None)
                async for wake in hear(conn, check_every):
                    pause = SHORTEST_PAUSE
                    if wake is not None:
                        yield wake
        except (psycopg.Error, OSError, TimeoutError, Deaf):
            pass  # polling goes on meanwhile, and whoever polls says what is wrong
        await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 (jitter, not a secret)
        pause = min(LONGEST_PAUSE, pause * 2)


async def _connect(url: str) -> AsyncConnection:
    """A connection that already listens, so that nothing falls between it and the rescan."""
    conn = await AsyncConnection.connect(
        url, autocommit=True, connect_timeout=5, application_name="tenuto listener", prepare_threshold=None, **VANISHED
    )
    for channel in (CHANNEL, _own_channel(conn)):
        await conn.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
    return conn


async def hear(conn: AsyncConnection, check_every: float) -> AsyncIterator[Wake | None]:
    """What is heard on the channel; None for the listener's own echo, which proves that it hears."""
    own = _own_channel(conn)
    while True:
        async with asyncio.timeout(check_every):
            await conn.execute(sql.SQL("notify {}").format(sql.Identifier(own)))
        echoed = False
        async for note in conn.notifies(timeout=check_every):
            echoed = echoed or note.channel == own
            yield Wake(note.payload) if note.channel == CHANNEL else None
        if not echoed:
            raise Deaf


def _own_channel(conn: AsyncConnection) -> str:
    return f"tenuto_echo_{conn.info.backend_pid}"
