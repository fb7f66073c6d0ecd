"""The calls of a running attempt. A call is a verb with JSON arguments, so that it can be sent over SQL, a pipe or
HTTP."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Protocol

from tenuto.model.errors import RateLimited
from tenuto.sdk.context.control import Fail

EMIT_AGAIN_SECONDS = 0.5  # until the next try: consumers handle some of the events in this time

Json = Any


class AttemptApi(Protocol):
    """Sends the calls of one attempt. Every call is checked against the attempt's lease."""

    async def call(self, verb: str, **arguments: Json) -> Json:
        """Make one call and return its result. Raises the error of the SQL function (StaleLease, Cancelled, TooLarge
        …)."""
        ...

    def send(self, verb: str, **arguments: Json) -> None:
        """Send `log` or `progress` without waiting. These are sent in batches and may arrive late."""
        ...


class AttemptCaller:
    """Makes calls of an attempt from threads other than the thread of its event loop."""

    def __init__(self, api: AttemptApi, loop: asyncio.AbstractEventLoop) -> None:
        self.api, self._loop = api, loop

    def wait(self, call: Coroutine[Json, Json, Json]) -> Json:
        """Make one call of `api` and return its result. Raises Fail if the caller is the thread of the event loop,
        because this thread would wait for itself."""
        with suppress(RuntimeError):
            if asyncio.get_running_loop() is self._loop:
                call.close()
                raise Fail(
                    "rows of a dataset in Postgres cannot be read on the event loop; "
                    "write `await asyncio.to_thread(ctx.job.inputs[NAME].read)`"
                )
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()


class ContextApi(AttemptApi, Protocol):
    """The calls of an attempt whose org is known."""

    org: str  # the slug of the attempt's org


async def emit_when_allowed(api: AttemptApi, output: str, data: Json, partition: str | None, key: str) -> str:
    """Emit an event and return its id. Wait while the source has its maximum number of events that are not handled
    yet."""
    while True:
        try:
            return str(await api.call("emit_event", output=output, data=data, partition=partition, key=key))
        except RateLimited:
            await asyncio.sleep(EMIT_AGAIN_SECONDS)
