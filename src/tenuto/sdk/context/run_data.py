"""Run data: key-value pairs that the tasks of a run share."""

from collections.abc import Awaitable, Sequence
from typing import Any

from tenuto.sdk.context.attempt_api import AttemptApi


class RunData:
    """`await ctx.data["key"]`, `ctx.data["key"] = value`; the latest value of a key counts, earlier ones are kept."""

    def __init__(self, port: AttemptApi) -> None:
        self._port = port
        self._unsaved: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Awaitable[Any]:
        return self.require(key)

    def __setitem__(self, key: str, value: Any) -> None:
        """Saved before the next question to the run data, and in any case before the task completes."""
        self._unsaved[key] = value

    async def require(self, key: str) -> Any:
        """The value of a key that must be there."""
        found = await self._find(keys=[key])
        if not found:
            raise KeyError(key)
        return found[0]["value"]

    async def get(self, key: str, default: Any = None) -> Any:
        found = await self._find(keys=[key])
        return found[0]["value"] if found else default

    async def put(self, key: str, value: Any, *, tags: Sequence[str] = ()) -> None:
        await self.flush()
        await self._port.ask("put_task_data", values={key: value}, tags=list(tags))

    async def find(
        self,
        glob: str | None = None,
        *,
        prefix: str | None = None,
        tags: Sequence[str] | None = None,
        all_tags: bool = False,
    ) -> dict[str, Any]:
        """The latest values of the keys that match, e.g. `await ctx.data.find("score.*")`."""
        found = await self._find(
            glob=glob, prefix=prefix, tags=None if tags is None else list(tags), all_tags=all_tags or None
        )
        return {row["key"]: row["value"] for row in found}

    async def history(self, key: str) -> list[Any]:
        """Every value the key ever had, oldest first."""
        rows = await self._find(keys=[key], history=True)
        return [row["value"] for row in sorted(rows, key=lambda row: row["id"])]

    async def flush(self) -> None:
        if self._unsaved:
            values, self._unsaved = self._unsaved, {}
            await self._port.ask("put_task_data", values=values)

    async def _find(self, **query: Any) -> list[dict[str, Any]]:
        await self.flush()
        return await self._port.ask("get_run_data", **query)


class SyncRunData:
    """The same for plain functions: nothing to await."""

    def __init__(self, data: RunData, wait: Any) -> None:
        self._data = data
        self._wait = wait

    def __getitem__(self, key: str) -> Any:
        return self._wait(self._data.require(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._data[key] = value

    def get(self, key: str, default: Any = None) -> Any:
        return self._wait(self._data.get(key, default))

    def put(self, key: str, value: Any, *, tags: Sequence[str] = ()) -> None:
        self._wait(self._data.put(key, value, tags=tags))

    def find(self, glob: str | None = None, **query: Any) -> dict[str, Any]:
        return self._wait(self._data.find(glob, **query))

    def history(self, key: str) -> list[Any]:
        return self._wait(self._data.history(key))

    def flush(self) -> None:
        self._wait(self._data.flush())
