"""Implements the client's operations as requests to a server."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import UUID

from pydantic import TypeAdapter

from tenuto.model.audit import AuditEntry
from tenuto.model.bulk_runs import BulkPiece, PurgePiece, RunSelection
from tenuto.model.counts import Count
from tenuto.model.digest import content_digest
from tenuto.model.errors import InvalidInput
from tenuto.model.filters import AuditListFilter, RunListFilter, TaskListFilter
from tenuto.model.ids import uuid7
from tenuto.model.json import Json, JsonObject
from tenuto.model.monitoring import RunInput, RunResult, RunStatus, RunSummary, TaskSummary
from tenuto.model.run_data import AwaitedSignal, ObjectSummary
from tenuto.model.schedules import Schedule
from tenuto.model.tasks import Started
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_starts import addition_of, run_fields, schedule_of, start_of, starts_of
from tenuto.sdk.client.start_many import BulkStart
from tenuto.sdk.client.start_request import RunOptions, StartRequest
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import dump

T = TypeVar("T")
LARGE = 1_900_000  # bytes; larger starts use the bulk endpoint
_adapters: dict[object, TypeAdapter[Any]] = {}


def read(kind: type[T], value: object) -> T:
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

    @property
    def problem(self) -> str | None:
        return self.http.problem

    async def start(self, requests: Sequence[StartRequest]) -> list[Started]:
        return await self._start([start_of(request) for request in requests])

    async def _start(self, bodies: list[JsonObject]) -> list[Started]:
        texts = [dump(body) for body in bodies]
        if len(texts) == 1 and len(texts[0]) < LARGE:
            return [_started(await self.http.request("POST", "/v1/runs", texts[0]))]
        return await self._start_all(texts)

    async def start_many(self, many: BulkStart) -> list[Started]:
        """Start the runs in requests of up to 10,000 runs or 60 MB. Each request starts all of its runs or none."""
        return [start for batch in starts_of(many) for start in await self._start_all(batch)]

    async def _start_all(self, texts: list[str]) -> list[Started]:
        response = await self.http.request("POST", "/v1/runs/bulk", f"[{','.join(texts)}]", wait=60.0)
        return [_started(run) for run in response["items"]]

    async def open_run(self, run: RunOptions) -> Started:
        return _started(await self.http.request("POST", "/v1/runs", dump({"open": True, **run_fields(run)})))

    async def add_tasks(self, run_id: UUID, request: StartRequest) -> list[UUID]:
        return await self._add(run_id, addition_of(request))

    async def _add(self, run_id: UUID, body: JsonObject) -> list[UUID]:
        response = await self.http.request("POST", f"/v1/runs/{run_id}/tasks", dump(body), wait=60.0)
        return [UUID(id) for id in response["ids"]]

    async def close_run(self, run_id: UUID) -> None:
        await self.http.request("POST", f"/v1/runs/{run_id}/close")

    async def release_run(self, run_id: UUID) -> bool:
        return bool((await self.http.request("POST", f"/v1/runs/{run_id}/release"))["released"])

    async def poll_runs(self, run_ids: list[UUID], wait: float) -> list[RunResult]:
        body = dump({"run_ids": [str(id) for id in run_ids], "wait": wait})
        return read(list[RunResult], (await self.http.request("POST", "/v1/runs/wait", body, wait=wait))["items"])

    async def get_run(self, run_id: UUID) -> RunStatus:
        return read(RunStatus, await self.http.request("GET", f"/v1/runs/{run_id}"))

    async def list_runs(
        self, filter: RunListFilter, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[RunSummary]:
        return await self._items(RunSummary, "/v1/runs", {**_conditions(filter), "before": before, "limit": limit})

    async def count_runs(self, filter: RunListFilter) -> Count:
        return await self._count("/v1/runs", filter)

    async def list_tasks(
        self, filter: TaskListFilter, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[TaskSummary]:
        return await self._items(TaskSummary, "/v1/tasks", {**_conditions(filter), "before": before, "limit": limit})

    async def count_tasks(self, filter: TaskListFilter) -> Count:
        return await self._count("/v1/tasks", filter)

    async def _count(self, path: str, filter: RunListFilter | TaskListFilter) -> Count:
        params = {**_conditions(filter), "count": "true", "limit": 1}
        return read(Count, (await self.http.request("GET", path, params=params))["total"])

    async def _get(self, kind: type[T], path: str) -> T:
        return read(kind, await self.http.request("GET", path))

    async def _items(self, kind: type[T], path: str, page: Mapping[str, object] | None = None) -> list[T]:
        return read(list[kind], await self._list(path, page or {}))

    async def _list(self, path: str, page: Mapping[str, object]) -> list[JsonObject]:
        params = {key: value for key, value in page.items() if value is not None}
        return (await self.http.request("GET", path, params=params))["items"]

    async def list_run_inputs(self, run_id: UUID, *, after: int = -1, limit: int = PAGE) -> list[RunInput]:
        return await self._items(RunInput, f"/v1/runs/{run_id}/inputs", {"after": after, "limit": limit})

    async def explain_task(self, task_id: UUID) -> str:
        return (await self.http.request("GET", f"/v1/tasks/{task_id}/why"))["why"]

    async def cancel_run(self, run_id: UUID, reason: str | None) -> bool:
        return await self.http.request("POST", f"/v1/runs/{run_id}/cancel", dump({"reason": reason})) is None

    async def retry_run(self, run_id: UUID, *, reuse: bool, force: bool, from_name: str | None) -> UUID:
        response = await self.http.request(
            "POST", f"/v1/runs/{run_id}/retry", dump({"reuse": reuse, "force": force, "from": from_name})
        )
        return UUID(response["id"])

    async def delete_run(self, run_id: UUID) -> bool:
        return await self.http.request("DELETE", f"/v1/runs/{run_id}") is None

    async def set_run_metadata(self, run_id: UUID, changes: JsonObject) -> None:
        await self.http.request("PATCH", f"/v1/runs/{run_id}", dump({"metadata": changes}))

    async def set_task_metadata(self, task_id: UUID, changes: JsonObject) -> None:
        await self.http.request("PATCH", f"/v1/tasks/{task_id}", dump({"metadata": changes}))

    async def delete_task(self, task_id: UUID) -> None:
        await self.http.request("DELETE", f"/v1/tasks/{task_id}")

    async def retry_runs(self, filter: RunSelection, *, reuse: bool, before: UUID | None, dry_run: bool) -> BulkPiece:
        return await self._bulk("retry", filter, {"reuse": reuse, "before": before, "dry_run": dry_run})

    async def cancel_runs(
        self, filter: RunSelection, *, reason: str | None, before: UUID | None, dry_run: bool
    ) -> BulkPiece:
        return await self._bulk("cancel", filter, {"reason": reason, "before": before, "dry_run": dry_run})

    async def delete_runs(self, filter: RunSelection, *, before: UUID | None, dry_run: bool) -> BulkPiece:
        return await self._bulk("delete", filter, {"before": before, "dry_run": dry_run})

    async def _bulk(self, verb: str, filter: RunSelection, more: Mapping[str, object]) -> BulkPiece:
        chosen = {**asdict(filter), "since": filter.since and filter.since.isoformat(), **more}
        return read(BulkPiece, await self.http.request("POST", f"/v1/runs/{verb}", _body(chosen), wait=60.0))

    async def purge_queue(self, queue: str, *, reason: str | None, before: UUID | None, dry_run: bool) -> PurgePiece:
        body = _body({"reason": reason, "before": before, "dry_run": dry_run})
        return read(PurgePiece, await self.http.request("POST", f"/v1/queues/{quote(queue, safe='')}/purge", body))

    async def delete_group(self, name: str) -> None:
        await self.http.request("DELETE", f"/v1/groups/{quote(name, safe='')}")

    async def send_signal(self, run_id: UUID, name: str, value: Json) -> UUID:
        sent = await self.http.request("POST", f"/v1/runs/{run_id}/signals", dump({"name": name, "value": value}))
        return UUID(sent["id"])

    async def list_awaited_signals(self, run_id: UUID) -> list[AwaitedSignal]:
        return await self._items(AwaitedSignal, f"/v1/runs/{run_id}/awaited-signals")

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

    async def put_run_data(
        self, run_id: UUID, values: JsonObject, tags: list[str] | None, metadata: JsonObject | None
    ) -> None:
        body = {"values": values, "tags": tags} | ({} if metadata is None else {"metadata": metadata})
        await self.http.request("PUT", f"/v1/runs/{run_id}/data", dump(body))

    async def put_object(
        self, data: bytes, type: str, metadata: Mapping[str, Json] | None, at: list[str], hard: bool, persisted: bool
    ) -> UUID:
        params: dict[str, str | list[str]] = {"type": type, **({"metadata": dump(metadata)} if metadata else {})}
        if persisted:
            params["persisted"] = "true"
        if at:
            params |= {"at": at, "hard": str(hard).lower()}
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

    async def list_audit(
        self, filter: AuditListFilter, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[AuditEntry]:
        return await self._items(AuditEntry, "/v1/audit", {**_conditions(filter), "before": before, "limit": limit})

    async def list_objects(
        self,
        *,
        held_by: UUID | None = None,
        group: str | None = None,
        before: UUID | None = None,
        limit: int = PAGE,
    ) -> list[ObjectSummary]:
        page = {"held_by": held_by, "group": group, "before": before, "limit": limit}
        return await self._items(ObjectSummary, "/v1/objects", page)

    async def reference_object(self, object_id: UUID, *, run_id: UUID | None, group: str | None) -> None:
        body = _body({"run_id": run_id, "group": group})
        await self.http.request("POST", f"/v1/objects/{object_id}/reference", body)

    async def release_object(self, object_id: UUID, *, run_id: UUID | None, group: str | None) -> bool:
        body = _body({"run_id": run_id, "group": group})
        return bool((await self.http.request("POST", f"/v1/objects/{object_id}/release", body))["released"])

    async def list_schedules(self, after: str | None, limit: int = PAGE) -> list[Schedule]:
        return await self._items(Schedule, "/v1/schedules", {"after": after, "limit": limit})

    async def put_schedule(
        self, name: str, request: StartRequest, *, cron: str, timezone: str, catch_up: str, jitter_seconds: float
    ) -> Schedule:
        times = {"cron": cron, "timezone": timezone, "catch_up": catch_up, "jitter": jitter_seconds}
        return read(Schedule, await self.http.request("PUT", _schedule(name), dump({**schedule_of(request), **times})))

    async def pause_schedule(self, name: str) -> None:
        await self.http.request("POST", f"{_schedule(name)}/pause")

    async def resume_schedule(self, name: str) -> datetime:
        return datetime.fromisoformat((await self.http.request("POST", f"{_schedule(name)}/resume"))["next_at"])

    async def fire_schedule(self, name: str) -> UUID:
        return UUID((await self.http.request("POST", f"{_schedule(name)}/run"))["run_id"])

    async def delete_schedule(self, name: str) -> None:
        await self.http.request("DELETE", _schedule(name))


def _conditions(filter: RunListFilter | TaskListFilter | AuditListFilter) -> dict[str, object]:
    """Return the fields that are not None, as query parameters."""
    values = {("status" if name == "statuses" else name): value for name, value in vars(filter).items()}
    if values.get("metadata") is not None:
        values["metadata"] = dump(values["metadata"])
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in values.items()
        if value is not None
    }


def _body(values: Mapping[str, object]) -> str:
    """Return the values that are not None, as a JSON object."""
    return dump(
        {key: str(value) if isinstance(value, UUID) else value for key, value in values.items() if value is not None}
    )


def _schedule(name: str) -> str:
    return f"/v1/schedules/{quote(name, safe='')}"
