"""Streams changes as server-sent events. The id of an event is its position, so a client that reconnects continues
after the last event it received."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeVar
from urllib.parse import quote, unquote

from anyio import CancelScope

from tenuto.db import monitoring
from tenuto.db.connection.errors import Unreachable
from tenuto.db.connection.pool import call_for
from tenuto.model.errors import Forbidden, InvalidInput, RateLimited, Unauthorized
from tenuto.model.monitoring import ChangeEvent
from tenuto.server.auth.authenticate import authenticate
from tenuto.server.limits.long_poll import WaiterLimit
from tenuto.server.requests.api import ApiRequest
from tenuto.server.wakeups import Subscription

T = TypeVar("T")

BATCH_SIZE = 1000
MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS, PAUSE_GROWTH = (
    0.3,
    5.0,
    1.5,
)  # seconds between two queries; a change can be read MIN_PAUSE_SECONDS after its commit
KEEPALIVE_SECONDS = 10.0  # a comment is sent if nothing else was sent for this long
INDEX_EVERY_SECONDS = 5.0  # how often the newest rows are added to the index of changes
RECHECK_ACCESS_SECONDS = 2.0  # how often the client's permission is checked again
READ_TIMEOUT_SECONDS = 30.0  # for one query, which may have to read the changes of several days
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PLACE = re.compile(r"(\d{1,17})\.(-1|\d{1,10})\.([^\s]{0,800})")


class ChangeCursor(NamedTuple):
    """The position of a change among all changes."""

    at: datetime
    no: int = -1
    id: str = ""

    def __str__(self) -> str:
        return f"{(self.at - EPOCH) // timedelta(microseconds=1)}.{self.no}.{quote(self.id, safe='')}"


def read_cursor(text: str) -> ChangeCursor:
    """Parses the position from an event's id. Raises InvalidInput if the text is no such id."""
    match = _PLACE.fullmatch(text)
    if match is None or int(match[2]) > 2**31 - 1 or "\x00" in unquote(match[3]):
        raise InvalidInput(
            f"Last-Event-ID is {text!r:.80}, not the id of a change", "send an id that came with a change"
        )
    return ChangeCursor(EPOCH + timedelta(microseconds=int(match[1])), int(match[2]), unquote(match[3]))


async def stream_changes(api_request: ApiRequest, permission: str, cursor: ChangeCursor | None) -> AsyncIterator[str]:
    """Yields events until the server stops or the client loses its permission."""
    wakes, stopping = api_request.http.server.wakeups, api_request.http.server.stopping
    follower = await follower_of(api_request, cursor)
    clock = asyncio.get_running_loop().time
    last_sent = checked = clock()
    pause = MIN_PAUSE_SECONDS
    with seats_of(api_request).take(api_request.principal.org_id), wakes.watch() as watch:
        yield _event("ready", follower.cursor, {})
        while not stopping.is_set():
            try:
                if clock() - checked > RECHECK_ACCESS_SECONDS:
                    checked = clock()
                    await _whole(_check(api_request, permission))
                changes = await _whole(follower.poll())
            except (Unauthorized, Forbidden) as refusal:
                yield _event("end", follower.cursor, {"code": refusal.name, "detail": refusal.message})
                return
            for change in changes:
                yield _event("change", cursor_of(change), change_fields(change))
            if len(changes) == BATCH_SIZE:
                continue
            if changes or clock() - last_sent > KEEPALIVE_SECONDS:
                yield f": beat\nid: {follower.cursor}\n\n"
                last_sent = clock()
            woken = await _rest(watch, stopping, pause)
            pause = MIN_PAUSE_SECONDS if woken or changes else min(MAX_PAUSE_SECONDS, pause * PAUSE_GROWTH)


def seats_of(api_request: ApiRequest) -> WaiterLimit:
    return api_request.http.server.waiters


class Follower:
    """Reads the changes after a position, and advances the position."""

    def __init__(self, api_request: ApiRequest, cursor: ChangeCursor) -> None:
        self._request, self.cursor = api_request, cursor
        self._prepared = -INDEX_EVERY_SECONDS

    async def poll(self) -> list[ChangeEvent]:
        cursor, org_id = self.cursor, self._request.principal.org_id
        now = asyncio.get_running_loop().time()
        try:
            if now - self._prepared > INDEX_EVERY_SECONDS:
                self._prepared = now
                await self._request.pool.call(monitoring.index_recent_changes)
            # Read the horizon first, in a separate call: the query below then sees all changes before the horizon.
            until = await self._request.pool.call(monitoring.get_change_horizon)
            changes = await call_for(
                self._request.pool,
                org_id,
                monitoring.list_changes,
                timeout=READ_TIMEOUT_SECONDS,
                actor=self._request.actor,
                after=cursor.at,
                after_no=cursor.no,
                after_id=cursor.id,
                until=until,
                limit=BATCH_SIZE,
            )
        except Unreachable:
            return []  # the client stays connected; the next call tries again
        self.cursor = cursor_of(changes[-1]) if len(changes) == BATCH_SIZE else max(cursor, ChangeCursor(until))
        return changes


async def follower_of(api_request: ApiRequest, cursor: ChangeCursor | None) -> Follower:
    """Returns a follower that starts at `cursor`, or now."""
    return Follower(api_request, cursor or ChangeCursor(await api_request.pool.call(monitoring.get_change_horizon)))


async def _whole(call: Awaitable[T]) -> T:
    """Runs the call to its end: cancelling it (when the client disconnects) would break its database connection."""
    results: list[T] = []
    with CancelScope(shield=True):
        results.append(await call)
    return results[0]


async def _check(api_request: ApiRequest, permission: str) -> None:
    """Authenticates the request again, so that the stream ends when a login has ended. API keys are checked by each
    query too."""
    with suppress(RateLimited, Unreachable):
        await authenticate(api_request.http, permission)


async def _rest(watch: Subscription, stopping: asyncio.Event, seconds: float) -> bool:
    """Waits for a wake-up, the timeout or the shutdown; returns whether there was a wake-up."""
    news, stop = asyncio.create_task(watch.news()), asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({news, stop}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        woken = news.done()
        if woken and not stop.done():
            await asyncio.wait(
                {stop}, timeout=MIN_PAUSE_SECONDS
            )  # a wake-up arrives at the commit, a little before the change can be read
        return woken
    finally:
        for task in (news, stop):
            task.cancel()
        await asyncio.gather(news, stop, return_exceptions=True)


def cursor_of(change: ChangeEvent) -> ChangeCursor:
    return ChangeCursor(change.at, change.no, change.id)


def change_fields(change: ChangeEvent) -> dict[str, object]:
    run_id = str(change.run_id) if change.run_id else None
    at = change.at.isoformat()
    return {"kind": change.kind, "id": change.id, "run_id": run_id, "status": change.status, "at": at}


def _event(name: str, cursor: ChangeCursor, data: dict[str, object]) -> str:
    return f"id: {cursor}\nevent: {name}\ndata: {json.dumps(data)}\n\n"
