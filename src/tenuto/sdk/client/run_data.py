"""Gives clients access to run data, the key-value pairs that the tasks of a run share."""

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tenuto.model.errors import InvalidInput
from tenuto.model.run_data import RunDataItem
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.context.run_data import RunData, SyncRunData

if TYPE_CHECKING:
    from tenuto.sdk.client.client import Client


class RemoteRunData(RunData):
    """Reads and writes run data from a client: `await run.data["key"]`, `await run.data.put("key", value)`, `await
    run.data.find("score.*")`."""

    def __init__(self, client: "Client", run_id: UUID) -> None:
        super().__init__(_RunPort(client, run_id))
        self._client, self._run_id = client, run_id

    async def item(self, key: str) -> RunDataItem:
        """Return the latest value of a key with its id, its tags, the attempt that wrote it and the time. Raises
        NotFound if the key is missing."""
        return await self._client.operations.get_run_data_by_key(self._run_id, key)

    def __setitem__(self, key: str, value: object) -> None:
        raise InvalidInput("outside of a task, run data must be awaited", f"await run.data.put({key!r}, value)")

    async def updated_at(self, key: str) -> datetime | None:
        """Return when the latest value of a key was written or its tags were last changed; None if the key is
        missing."""
        rows = await self._find(keys=[key])
        if not rows:
            return None
        time: datetime | str = rows[0]["updated_at"]  # a text over HTTP
        return datetime.fromisoformat(time) if isinstance(time, str) else time


class SyncRemoteRunData(SyncRunData):
    """Reads and writes run data from a client, for synchronous code."""

    def __init__(self, data: RemoteRunData, wait: Wait) -> None:
        super().__init__(data, wait)
        self._remote = data

    def updated_at(self, key: str) -> datetime | None:
        """Return when the latest value of a key was written or its tags were last changed; None if the key is
        missing."""
        return self._wait(self._remote.updated_at(key))

    def item(self, key: str) -> RunDataItem:
        """Return the latest value of a key with its id, its tags, the attempt that wrote it and the time. Raises
        NotFound if the key is missing."""
        return self._wait(self._remote.item(key))


class _RunPort:
    """Makes the two calls about run data for a client, which has a run but no attempt."""

    def __init__(self, client: "Client", run_id: UUID) -> None:
        self._client, self._run_id = client, run_id

    async def call(self, verb: str, **arguments: Any) -> Any:
        if verb == "get_run_data":
            return await self._client.transport.get_run_data(
                self._run_id,
                keys=arguments.get("keys"),
                prefix=arguments.get("prefix"),
                glob=arguments.get("glob"),
                tags=arguments.get("tags"),
                all_tags=arguments.get("all_tags"),
                history=arguments.get("history"),
            )
        return await self._client.transport.put_run_data(
            self._run_id, arguments["values"], arguments.get("tags"), arguments.get("metadata")
        )

    def send(self, verb: str, **arguments: object) -> None:
        raise AssertionError(f"only a running task can call {verb}: {arguments}")
