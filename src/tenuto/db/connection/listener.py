"""Receives wake-ups, which are hints that a queue may have work. Polling finds the work even if a hint is lost."""

import asyncio
from collections.abc import AsyncIterator
from typing import LiteralString

import psycopg
from psycopg import AsyncConnection, sql

from tenuto.db.connection.availability import availability_of
from tenuto.db.connection.connect import adapt, with_keepalives
from tenuto.model.backoff import Backoff
from tenuto.model.workers import Wakeup

CHANNEL = "tenuto_ready"
MAX_PAUSE_SECONDS = 10.0
CHECK_EVERY_SECONDS = 1.0
POOLER_PAUSE_SECONDS = 300.0  # tried again after this, because the pooler's mode may have changed


class ListenFailed(Exception):
    """The connection is open but receives no notifications."""


class ListenNotSupported(ListenFailed):
    """The connection goes through a pooler in transaction mode, which sends notifications to whichever client uses the
    server connection next."""


async def listen(url: str, *, check_every: float = 15.0) -> AsyncIterator[Wakeup]:
    """Yields wake-ups without end. After every connect, yields a wake-up for all queues, because notifications that
    were sent before are lost."""
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
            # Polling continues, and the code that polls reports the problem.
            await asyncio.sleep(backoff.after(problem))


async def open_listener(url: str) -> AsyncConnection:
    """Return a connection that listens already. The caller then yields a wake-up for all queues, and no notification
    after this wake-up is lost. Raises ListenNotSupported behind a pooler in transaction mode."""
    conn = await _open(url)
    own = _own_channel(conn)
    try:
        await _execute(conn, "listen", own)
        if await adapt(conn) and not await _hears_another(conn, url, own):
            raise ListenNotSupported
        await _execute(conn, "listen", CHANNEL)
    except BaseException:  # also when the caller is cancelled
        await conn.close()
        raise
    return conn


async def _open(url: str) -> AsyncConnection:
    availability = availability_of(url)
    while True:
        await availability.wait_async()
        try:
            conn = await AsyncConnection.connect(
                with_keepalives(url),
                autocommit=True,
                application_name="tenuto listener",
                connect_timeout=5,
                prepare_threshold=None,
            )
        except psycopg.OperationalError as error:
            if not availability.refused(error):
                raise
        else:
            availability.succeeded()
            return conn


async def _hears_another(conn: AsyncConnection, url: str, channel: str) -> bool:
    """Returns whether a notification of another connection arrives through a pooler. In transaction mode a client
    receives only its own notifications, during its own statements."""
    async with await _open(url) as other:
        await _execute(other, "notify", channel)
    return [note async for note in conn.notifies(timeout=CHECK_EVERY_SECONDS, stop_after=1)] != []


async def _execute(conn: AsyncConnection, verb: LiteralString, channel: str) -> None:
    await conn.execute(sql.SQL(verb + " {}").format(sql.Identifier(channel)))


async def hear(conn: AsyncConnection, check_every: float) -> AsyncIterator[Wakeup | None]:
    """Yields the wake-ups of the channel. Yields None for the notification that the listener sends to itself, which
    proves that it still receives. Raises ListenFailed if this notification does not arrive."""
    own = _own_channel(conn)
    while True:
        async with asyncio.timeout(check_every):
            await _execute(conn, "notify", own)
        echoed = False
        async for note in conn.notifies(timeout=check_every):
            echoed = echoed or note.channel == own
            yield Wakeup(note.payload) if note.channel == CHANNEL else None
        if not echoed:
            raise ListenFailed


def _own_channel(conn: AsyncConnection) -> str:
    return f"tenuto_echo_{conn.info.backend_pid}"
