"""Operator state: key-value pairs that the tasks of one type keep from run to run."""

from collections.abc import Awaitable, Callable
from typing import Any

from tenuto.model.errors import Conflict
from tenuto.model.json import Json, JsonObject
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.context.attempt_api import AttemptApi

MAX_UPDATES = 100  # the maximum number of tries of `update`; a try fails if another task has changed the value


class OperatorState:
    """Reads and writes operator state: `await ctx.state["cursor"]`, `ctx.state["cursor"] = 7`. A value is written only
    if no other task has changed it since this attempt read it. Otherwise Conflict is raised."""

    def __init__(self, api: AttemptApi, before: Callable[[], Awaitable[None]]) -> None:
        self._api = api
        self._before = before  # awaited before each call
        self._versions: dict[str, int] = {}  # by key, for keys that this attempt has read; 0: the key is missing
        self._unsaved: dict[str, Json] = {}

    def __getitem__(self, key: str) -> Awaitable[Any]:
        return self.require(key)

    def __setitem__(self, key: str, value: Json) -> None:
        """Set a value. It is saved before the next read of state, and at the latest before the task completes."""
        self._unsaved[key] = value

    async def require(self, key: str) -> Any:
        """Return the value of a key; raise KeyError if it is missing."""
        found = await self._read(key)
        if key not in found:
            raise KeyError(key)
        return found[key]

    async def get(self, key: str, default: Json = None) -> Any:
        """Return the value of a key, or `default` if it is missing."""
        return (await self._read(key)).get(key, default)

    async def all(self) -> JsonObject:
        """Return all values by key."""
        return await self._read(None)

    async def put(self, key: str, value: Json) -> None:
        """Save a value at once; raise Conflict if another task has changed it since this attempt read it."""
        if key not in self._versions:
            await self._read(key)
        version = self._versions[key]
        await self._before()
        self._versions[key] = await self._api.call("put_task_state", key=key, value=value, version=version)

    async def update(self, key: str, change: Callable[[Any], Json], default: Json = None) -> Any:
        """Save `change(value)` and return it: `await ctx.state.update("count", lambda count: count + 1, default=0)`. If
        another task changed the value meanwhile, `change` is called again with the newer value. Raises Conflict after
        100 tries."""
        for _ in range(MAX_UPDATES - 1):
            value = change(await self.get(key, default))
            try:
                await self.put(key, value)
            except Conflict:
                continue
            return value
        value = change(await self.get(key, default))
        await self.put(key, value)
        return value

    async def flush(self) -> None:
        """Save the values that were set with `state[key] = value`."""
        while self._unsaved:
            key = next(iter(self._unsaved))
            await self.put(key, self._unsaved.pop(key))

    async def _read(self, key: str | None) -> JsonObject:
        await self.flush()
        await self._before()
        rows = await self._api.call("get_task_state", key=key)
        if key is not None:
            self._versions[key] = 0
        self._versions.update({row["key"]: row["version"] for row in rows})
        return {row["key"]: row["value"] for row in rows}


class SyncOperatorState:
    """Reads and writes operator state, for synchronous code."""

    def __init__(self, state: OperatorState, wait: Wait) -> None:
        self._state = state
        self._wait = wait

    def __getitem__(self, key: str) -> Any:
        return self._wait(self._state.require(key))

    def __setitem__(self, key: str, value: Json) -> None:
        self._state[key] = value

    def get(self, key: str, default: Json = None) -> Any:
        """Return the value of a key, or `default` if it is missing."""
        return self._wait(self._state.get(key, default))

    def all(self) -> JsonObject:
        """Return all values by key."""
        return self._wait(self._state.all())

    def put(self, key: str, value: Json) -> None:
        """Save a value at once; raise Conflict if another task has changed it since this attempt read it."""
        self._wait(self._state.put(key, value))

    def update(self, key: str, change: Callable[[Any], Json], default: Json = None) -> Any:
        """Save `change(value)` and return it. If another task changed the value meanwhile, `change` is called again
        with the newer value. Raises Conflict after 100 tries."""
        return self._wait(self._state.update(key, change, default))

    def flush(self) -> None:
        """Save the values that were set with `state[key] = value`."""
        self._wait(self._state.flush())
