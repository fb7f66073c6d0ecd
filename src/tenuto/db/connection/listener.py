"""Wake-ups: hints that a queue may have work, for as long as the process lives. Polling is the truth."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from psycopg import AsyncConnection, sql

from tenuto.db.connection.availability import Backoff, availability_of
from tenuto.db.connection.pgbouncer import adapt
from tenuto.db.connection.pool import VANISHED

CHANNEL = "tenuto_ready"
MAX_PAUSE_SECONDS = 10.0
CHECK_EVERY_SECONDS = 1.0
POOLER_PAUSE_SECONDS = 300.0  # somebody may change the pooler's mode


@dataclass(frozen=True)
class Wakeup:
    """A queue may have work; without a queue: something may have been missed, look everywhere."""

    queue: str | None

    @property
    def rescan(self) -> bool:
        return self.queue is None


class ListenFailed(Exception):
    """The connection is open but hears nothing, as behind a pooler in transaction mode."""


class ListenNotSupported(ListenFailed):
    """A pooler in transaction mode: what is listened for is heard by whoever has that connection next."""


async def listen(url: str, *, check_every: float = 15.0) -> AsyncIterator[Wakeup]:
    """Wake-ups without end. After every connect comes a rescan: what was sent meanwhile is lost."""
    backoff = Backoff(MAX_PAUSE_SECONDS)
    while True:
        try:
            async with await open_listener(url) as conn:
                yield Wakeup(None)
                async for wake in hear(conn, check_every):
                    backoff.reset()
                    if wake is not None:
                        yield wake
        except ListenNotSupported:
            await asyncio.sleep(POOLER_PAUSE_SECONDS)
        except (psycopg.Error, OSError, TimeoutError, ListenFailed) as problem:
            await asyncio.sleep(
                backoff.after(problem)
            )  # polling goes on meanwhile, and whoever polls says what is wrong


async def open_listener(url: str) -> AsyncConnection:
    """A connection that already listens, so that nothing falls between it and the rescan."""
    conn = await _open(url)
    own = _own_channel(conn)
    await _say(conn, "listen", own)
    if await adapt(conn) and not await _hears_another(conn, url, own):
        await conn.close()
        raise ListenNotSupported
    await _say(conn, "listen", CHANNEL)
    return conn


async def _open(url: str) -> AsyncConnection:
    said: dict[str, Any] = {"application_name": "tenuto listener", "connect_timeout": 5, "prepare_threshold": None}
    availability = availability_of(url)
    while True:
        await availability.wait_async()
        try:
            conn = await AsyncConnection.connect(url, autocommit=True, **said, **VANISHED)
        except psycopg.OperationalError as error:
            if not availability.refused(error):
                raise
        else:
            availability.succeeded()
            return conn


async def _hears_another(conn: AsyncConnection, url: str, channel: str) -> bool:
    """Whether a pooler lets it hear: in transaction mode it hears itself, while it speaks, and nobody else."""
    async with await _open(url) as other:
        await _say(other, "notify", channel)
    return [note async for note in conn.notifies(timeout=CHECK_EVERY_SECONDS, stop_after=1)] != []


async def _say(conn: AsyncConnection, verb: LiteralString, channel: str) -> None:
    await conn.execute(sql.SQL(verb + " {}").format(sql.Identifier(channel)))


async def hear(conn: AsyncConnection, check_every: float) -> AsyncIterator[Wakeup | None]:
    """What is heard on the channel; None for the listener's own echo, which proves that it hears."""
    own = _own_channel(conn)
    while True:
        async with asyncio.timeout(check_every):
            await _say(conn, "notify", own)
        echoed = False
        async for note in conn.notifies(timeout=check_every):
            echoed = echoed or note.channel == own
            yield Wakeup(note.payload) if note.channel == CHANNEL else None
        if not echoed:
            raise ListenFailed


def _own_channel(conn: AsyncConnection) -> str:
    return f"tenuto_echo_{conn.info.backend_pid}"
