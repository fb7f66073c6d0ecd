"""Gives clients access to run data, the key-value pairs that the tasks of a run share."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from tenuto.model.errors import InvalidInput
from tenuto.sdk.context.run_data import RunData

if TYPE_CHECKING:
    from tenuto.sdk.client.client import Client


class RemoteRunData(RunData):
    """Reads and writes run data from a client: `await run.data["key"]`, `await run.data.put("key", value)`, `await
    run.data.find("score.*")`."""

    def __init__(self, client: "Client", run_id: UUID) -> None:
        super().__init__(_RunPort(client, run_id))

    def __setitem__(self, key: str, value: object) -> None:
        raise InvalidInput("outside of a task, run data must be awaited", f"await run.data.put({key!r}, value)")


class _RunPort:
    """Provides the two run data calls for a run instead of an attempt."""

    def __init__(self, client: "Client", run_id: UUID) -> None:
        self._client, self._run_id = client, run_id

    async def ask(self, verb: str, **arguments: Any) -> Any:
        if verb == "get_run_data":
            return await self._client.transport.get_run_data(self._run_id, **arguments)
        return await self._client.transport.put_run_data(self._run_id, arguments["values"], arguments.get("tags"))

    def tell(self, verb: str, **arguments: object) -> None:
        raise AssertionError(f"only a running task can call {verb}: {arguments}")
