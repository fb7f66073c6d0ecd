"""The stream of changes: each with its place, so that whoever was cut off goes on there."""

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
from tenuto.db.connection.org_transactions import call_for
from tenuto.model.errors import Forbidden, InvalidInput, RateLimited, Unauthorized
from tenuto.model.monitoring import ChangeEvent
from tenuto.server.auth.authenticate import authenticate
from tenuto.server.limits.long_poll import WaiterLimit
from tenuto.server.requests.api import ApiRequest
from tenuto.server.wakeups import Subscription, WakeupHub

T = TypeVar("T")

BATCH_SIZE = 1000
SHORTEST, LONGEST, GROWTH = 0.3, 5.0, 1.5  # seconds between two looks; what was just committed settles in the shortest
KEEPALIVE_SECONDS = 10.0  # seconds of silence after which a word is said
INDEX_EVERY_SECONDS = 5.0  # seconds after which the newest rows are made findable again
RECHECK_ACCESS_SECONDS = 2.0  # seconds after which it is asked again whether the one who listens still may
READ_TIMEOUT_SECONDS = 30.0  # seconds for one look, which may have days to go through
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PLACE = re.compile(r"(\d{1,17})\.(-1|\d{1,10})\.([^\s]{0,800})")


class ChangeCursor(NamedTuple):
    """Where a change stands among all."""

    at: datetime
    no: int = -1
    id: str = ""

    def __str__(self) -> str:
        return f"{(self.at - EPOCH) // timedelta(microseconds=1)}.{self.no}.{quote(self.id, safe='')}"


def read_place(text: str) -> ChangeCursor:
    """The place that an event's id names."""
    found = _PLACE.fullmatch(text)
    if found is None or int(found[2]) > 2**31 - 1 or "\x00" in unquote(found[3]):
        raise InvalidInput(f"Last-Event-ID is {text!r:.80}, not the id of a change", "send one that came with a change")
    return ChangeCursor(EPOCH + timedelta(microseconds=int(found[1])), int(found[2]), unquote(found[3]))


async def stream_changes(desk: ApiRequest, permission: str, place: ChangeCursor | None) -> AsyncIterator[str]:
    """Events without end: until the server stops, or the one who listens may not any more."""
    state = desk.request.app.state
    wakes: WakeupHub = state.wakes
    stopping: asyncio.Event = state.stopping
    follower = await follower_of(desk, place)
    clock = asyncio.get_running_loop().time
    spoke = checked = clock()
    pause = SHORTEST
    with seats_of(desk).take(desk.principal.org_id), wakes.watch() as watch:
        yield _event("ready", follower.place, {})
        while not stopping.is_set():
            try:
                if clock() - checked > RECHECK_ACCESS_SECONDS:
                    checked = clock()
                    await _whole(_check(desk, permission))
                found = await _whole(follower.look())
            except (Unauthorized, Forbidden) as refusal:
                yield _event("end", follower.place, {"code": refusal.name, "detail": refusal.message})
                return
            for change in found:
                yield _event("change", place_of(change), said_of(change))
            if len(found) == BATCH_SIZE:
                continue
            if found or clock() - spoke > KEEPALIVE_SECONDS:
                yield f": beat\nid: {follower.place}\n\n"
                spoke = clock()
            woken = await _rest(watch, stopping, pause)
            pause = SHORTEST if woken or found else min(LONGEST, pause * GROWTH)


def seats_of(desk: ApiRequest) -> WaiterLimit:
    return desk.request.app.state.seats


class Follower:
    """Looks for what came after a place, and moves it on."""

    def __init__(self, desk: ApiRequest, place: ChangeCursor) -> None:
        self._desk, self.place = desk, place
        self._prepared = -INDEX_EVERY_SECONDS

    async def look(self) -> list[ChangeEvent]:
        place, org_id = self.place, self._desk.principal.org_id
        now = asyncio.get_running_loop().time()
        try:
            if now - self._prepared > INDEX_EVERY_SECONDS:
                self._prepared = now
                await self._desk.pool.call(monitoring.index_recent_changes)
            # Before the look, in a call of its own: what is settled by then is seen by the look.
            until = await self._desk.pool.call(monitoring.get_change_horizon)
            asked = {"after": place.at, "after_no": place.no, "after_id": place.id, "until": until, "limit": BATCH_SIZE}
            for_whom = {"timeout": READ_TIMEOUT_SECONDS, "acts": self._desk.acts}
            found = await call_for(self._desk.pool, org_id, monitoring.list_changes, **for_whom, **asked)
        except Unreachable:
            return []  # it comes back, and so do we
        self.place = place_of(found[-1]) if len(found) == BATCH_SIZE else max(place, ChangeCursor(until))
        return found


async def follower_of(desk: ApiRequest, place: ChangeCursor | None) -> Follower:
    """From the place on, or from now."""
    return Follower(desk, place or ChangeCursor(await desk.pool.call(monitoring.get_change_horizon)))


async def _whole(call: Awaitable[T]) -> T:
    """To its end: who goes away in the middle of a call would leave a broken connection."""
    found: list[T] = []
    with CancelScope(shield=True):
        found.append(await call)
    return found[0]


async def _check(desk: ApiRequest, permission: str) -> None:
    """Whether a login is still open; keys are checked by each look."""
    with suppress(RateLimited, Unreachable):
        await authenticate(desk.request, permission, desk.pool, desk.settings)


async def _rest(watch: Subscription, stopping: asyncio.Event, seconds: float) -> bool:
    """Until something may be new, the time is over or the server stops; whether there was a wake-up."""
    news, stop = asyncio.create_task(watch.news()), asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({news, stop}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        woken = news.done()
        if woken and not stop.done():
            await asyncio.wait({stop}, timeout=SHORTEST)  # it was heard at its commit, and is not settled yet
        return woken
    finally:
        for one in (news, stop):
            one.cancel()
        await asyncio.gather(news, stop, return_exceptions=True)


def place_of(change: ChangeEvent) -> ChangeCursor:
    return ChangeCursor(change.at, change.no, change.id)


def said_of(change: ChangeEvent) -> dict[str, object]:
    run_id = str(change.run_id) if change.run_id else None
    at = change.at.isoformat()
    return {"kind": change.kind, "id": change.id, "run_id": run_id, "status": change.status, "at": at}


def _event(name: str, place: ChangeCursor, data: dict[str, object]) -> str:
    return f"id: {place}\nevent: {name}\ndata: {json.dumps(data)}\n\n"
