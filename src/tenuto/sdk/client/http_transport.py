"""Implements the client's operations as requests to a server."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import UUID

from pydantic import TypeAdapter

from tenuto.model.digest import content_digest
from tenuto.model.errors import InvalidInput
from tenuto.model.ids import uuid7
from tenuto.model.json import Json, JsonObject
from tenuto.model.monitoring import RunResult, RunStatus, RunSummary, TaskSummary
from tenuto.model.schedules import Schedule
from tenuto.model.tasks import Started
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_starts import schedule_of, start_of, starts_of
from tenuto.sdk.client.start_many import BulkStart
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import dump

T = TypeVar("T")
LARGE = 1_900_000  # bytes; larger starts use the bulk endpoint
_adapters: dict[object, TypeAdapter[Any]] = {}


def _read(kind: type[T], value: object) -> T:
    """Convert a JSON response to the dataclass that the SQL functions return."""
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind].validate_python(value)


def _started(run: dict[str, Any]) -> Started:
    return Started(UUID(run["id"]), run["created"])


class HttpTransport:
    """Connects a client to one server; the API key determines the org."""

    poll_seconds = 20.0

    def __init__(self, http: Http) -> None:
        self.http = http

    async def start(self, plans: Sequence[StartRequest]) -> list[Started]:
        texts = [dump(start_of(plan)) for plan in plans]
        if len(texts) == 1 and len(texts[0]) < LARGE:
            return [_started(await self.http.ask("POST", "/v1/runs", texts[0]))]
        return await self._start_all(texts)

    async def start_many(self, many: BulkStart) -> Sequence[UUID | str]:
        """Start the runs in requests of up to 10,000 runs or 60 MB; each request is all or none."""
        return [start.run_id for batch in starts_of(many) for start in await self._start_all(batch)]

    async def _start_all(self, texts: list[str]) -> list[Started]:
        response = await self.http.ask("POST", "/v1/runs/bulk", f"[{','.join(texts)}]", wait=60.0)
        return [_started(run) for run in response["items"]]

    async def poll_runs(self, run_ids: list[UUID], wait: float) -> list[RunResult]:
        body = dump({"run_ids": [str(id) for id in run_ids], "wait": wait})
        return _read(list[RunResult], (await self.http.ask("POST", "/v1/runs/wait", body, wait=wait))["items"])

    async def get_run(self, run_id: UUID) -> RunStatus:
        return _read(RunStatus, await self.http.ask("GET", f"/v1/runs/{run_id}"))

    async def list_runs(
        self, *, status: str | None, name: str | None, type: str | None, before: UUID | None, limit: int
    ) -> list[RunSummary]:
        page = {"status": status, "name": name, "type": type, "before": before, "limit": limit}
        return _read(list[RunSummary], await self._list("/v1/runs", page))

    async def list_tasks(self, run_id: UUID, *, before: UUID | None, limit: int) -> list[TaskSummary]:
        page = {"run_id": run_id, "before": before, "limit": limit}
        return _read(list[TaskSummary], await self._list("/v1/tasks", page))

    async def _list(self, path: str, page: Mapping[str, object]) -> list[JsonObject]:
        params = {key: value for key, value in page.items() if value is not None}
        return (await self.http.ask("GET", path, params=params))["items"]

    async def cancel_run(self, run_id: UUID, reason: str | None) -> None:
        await self.http.ask("POST", f"/v1/runs/{run_id}/cancel", dump({"reason": reason}))

    async def retry_run(self, run_id: UUID, *, reuse: bool) -> UUID:
        response = await self.http.ask("POST", f"/v1/runs/{run_id}/retry", dump({"reuse": reuse}))
        return UUID(response["id"])

    async def delete_run(self, run_id: UUID) -> None:
        await self.http.ask("DELETE", f"/v1/runs/{run_id}")

    async def send_signal(self, run_id: UUID, name: str, value: Json) -> None:
        await self.http.ask("POST", f"/v1/runs/{run_id}/signals", dump({"name": name, "value": value}))

    async def get_run_data(
        self,
        run_id: UUID,
        *,
        keys: list[str] | None = None,
        prefix: str | None = None,
        glob: str | None = None,
        tags: list[str] | None = None,
        all_tags: bool | None = None,
        history: bool | None = None,
    ) -> list[JsonObject]:
        query = {
            "keys": keys,
            "prefix": prefix,
            "glob": glob,
            "tags": tags,
            "all_tags": all_tags,
            "history": history,
        }
        return await self._list(f"/v1/runs/{run_id}/data", query)

    async def put_run_data(self, run_id: UUID, values: JsonObject, tags: list[str] | None) -> None:
        await self.http.ask("PUT", f"/v1/runs/{run_id}/data", dump({"values": values, "tags": tags}))

    async def put_object(self, data: bytes, type: str, metadata: Mapping[str, Json] | None) -> UUID:
        params = {"type": type, **({"metadata": dump(metadata)} if metadata else {})}
        headers = {"Content-Digest": content_digest(sha256(data).digest())}
        path = f"/v1/objects/{uuid7()}"
        response = await self.http.send("PUT", path, data, params=params, headers=headers, wait=60.0)
        return UUID(response.json()["id"])

    async def get_object(self, object_id: UUID) -> bytes:
        response = await self.http.send("GET", f"/v1/objects/{object_id}", wait=60.0)
        digest = response.headers.get("content-digest")
        if digest and digest != content_digest(sha256(response.content).digest()):
            raise InvalidInput(f"data object {object_id} was changed after it was stored: its checksum differs")
        return response.content

    async def list_schedules(self, after: str | None) -> list[Schedule]:
        return _read(list[Schedule], await self._list("/v1/schedules", {"after": after, "limit": PAGE}))

    async def put_schedule(
        self, name: str, plan: StartRequest, *, cron: str, timezone: str, catch_up: str, jitter_seconds: float
    ) -> Schedule:
        times = {"cron": cron, "timezone": timezone, "catch_up": catch_up, "jitter": jitter_seconds}
        return _read(Schedule, await self.http.ask("PUT", _schedule(name), dump({**schedule_of(plan), **times})))

    async def pause_schedule(self, name: str) -> None:
        await self.http.ask("POST", f"{_schedule(name)}/pause")

    async def resume_schedule(self, name: str) -> None:
        await self.http.ask("POST", f"{_schedule(name)}/resume")

    async def delete_schedule(self, name: str) -> None:
        await self.http.ask("DELETE", _schedule(name))


def _schedule(name: str) -> str:
    return f"/v1/schedules/{quote(name, safe='')}"
