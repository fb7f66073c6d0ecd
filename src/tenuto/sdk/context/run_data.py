"""Run data: key-value pairs that the tasks of a run share."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from tenuto.model.json import Json, JsonObject
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.context.attempt_api import AttemptApi


class RunData:
    """Reads and writes run data: `await ctx.data["key"]`, `ctx.data["key"] = value`. Reads return the latest value of a
    key; earlier values are kept as history."""

    def __init__(self, api: AttemptApi, before: Callable[[], Awaitable[None]] | None = None) -> None:
        self._api = api
        self._before = before  # awaited before each call
        self._unsaved: JsonObject = {}

    def __getitem__(self, key: str) -> Awaitable[Any]:
        return self.require(key)

    def __setitem__(self, key: str, value: Json) -> None:
        """Set a value. It is saved before the next read of run data, and at the latest before the task completes."""
        self._unsaved[key] = value

    async def require(self, key: str) -> Any:
        """Return the value of a key; raise KeyError if it is missing."""
        rows = await self._find(keys=[key])
        if not rows:
            raise KeyError(key)
        return rows[0]["value"]

    async def get(self, key: str, default: Json = None) -> Any:
        """Return the value of a key, or `default` if it is missing."""
        rows = await self._find(keys=[key])
        return rows[0]["value"] if rows else default

    async def put(
        self, key: str, value: Json, *, tags: Sequence[str] = (), metadata: Mapping[str, Json] | None = None
    ) -> None:
        """Save a value at once. It can be found by its `tags`. `metadata` is stored with it."""
        await self.flush()
        if metadata is None:
            await self._api.call("put_task_data", values={key: value}, tags=list(tags))
        else:
            await self._api.call("put_task_data", values={key: value}, tags=list(tags), metadata=dict(metadata))

    async def metadata(self, key: str) -> JsonObject | None:
        """Return the metadata of the latest value of a key; None if it has none or the key is missing."""
        rows = await self._find(keys=[key])
        return rows[0].get("metadata") if rows else None

    async def find(
        self,
        glob: str | None = None,
        *,
        prefix: str | None = None,
        tags: Sequence[str] | None = None,
        all_tags: bool = False,
    ) -> dict[str, Any]:
        """Return the latest values of the matching keys: `await ctx.data.find("score.*")`."""
        rows = await self._find(
            glob=glob, prefix=prefix, tags=None if tags is None else list(tags), all_tags=all_tags or None
        )
        return {row["key"]: row["value"] for row in rows}

    async def history(self, key: str) -> list[Json]:
        """Return all values that the key has had, oldest first."""
        rows = await self._find(keys=[key], history=True)
        return [row["value"] for row in sorted(rows, key=lambda row: row["id"])]

    async def flush(self) -> None:
        """Save the values that were set with `data[key] = value`."""
        if self._before:
            await self._before()
        if self._unsaved:
            values, self._unsaved = self._unsaved, {}
            await self._api.call("put_task_data", values=values)

    async def _find(self, **query: Json) -> list[dict[str, Any]]:
        await self.flush()
        return await self._api.call("get_run_data", **query)


class SyncRunData:
    """Reads and writes run data, for synchronous code."""

    def __init__(self, data: RunData, wait: Wait) -> None:
        self._data = data
        self._wait = wait

    def __getitem__(self, key: str) -> Any:
        return self._wait(self._data.require(key))

    def __setitem__(self, key: str, value: Json) -> None:
        self._data[key] = value

    def get(self, key: str, default: Json = None) -> Any:
        """Return the value of a key, or `default` if it is missing."""
        return self._wait(self._data.get(key, default))

    def put(
        self, key: str, value: Json, *, tags: Sequence[str] = (), metadata: Mapping[str, Json] | None = None
    ) -> None:
        """Save a value at once. It can be found by its `tags`. `metadata` is stored with it."""
        self._wait(self._data.put(key, value, tags=tags, metadata=metadata))

    def metadata(self, key: str) -> JsonObject | None:
        """Return the metadata of the latest value of a key; None if it has none or the key is missing."""
        return self._wait(self._data.metadata(key))

    def find(
        self,
        glob: str | None = None,
        *,
        prefix: str | None = None,
        tags: Sequence[str] | None = None,
        all_tags: bool = False,
    ) -> dict[str, Any]:
        """Return the latest values of the matching keys: `ctx.data.find("score.*")`."""
        return self._wait(self._data.find(glob, prefix=prefix, tags=tags, all_tags=all_tags))

    def history(self, key: str) -> list[Json]:
        """Return all values that the key has had, oldest first."""
        return self._wait(self._data.history(key))

    def flush(self) -> None:
        """Save the values that were set with `data[key] = value`."""
        self._wait(self._data.flush())
