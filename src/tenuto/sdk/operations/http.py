"""Implements the operations of the command line as requests to a server."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote
from uuid import UUID

from tenuto.model.bundles import StoredBundle, WholeBundle
from tenuto.model.details import RunExplanation, TaskDetails
from tenuto.model.errors import NotFound
from tenuto.model.identity import ResourceGroup
from tenuto.model.json import JsonObject
from tenuto.model.monitoring import DispatcherInfo, QueueStatus, TaskStatus, WorkerStatus
from tenuto.model.outbox import EffectSummary
from tenuto.model.overview import OrgStatus
from tenuto.model.pools import PoolMachine, PoolStatus, ScalingDecision
from tenuto.model.queues import LimitStatus
from tenuto.model.run_data import LogLine, RunDataItem, RunLogLine
from tenuto.model.run_requests import RunProgress
from tenuto.model.schedules import Schedule, ScheduleUpdate
from tenuto.model.task_types import TaskType, TaskTypeSummary
from tenuto.model.tasks import Started, TreeNode
from tenuto.model.workers import WorkerLife, WorkerLogEntry
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_starts import addition_of, start_of
from tenuto.sdk.client.http_transport import HttpTransport, read
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import dump


@dataclass(frozen=True)
class _RequestedRun:
    """The field of a run that shows whether dispatchers still carry out a request on it."""

    progress: RunProgress | None


class HttpOperations(HttpTransport):
    """Connects commands to one server; the API key determines the org, and what is allowed."""

    def __init__(self, http: Http) -> None:
        super().__init__(http)
        self.url = http.url

    async def get_task(self, task_id: UUID) -> TaskStatus:
        return await self._get(TaskStatus, f"/v1/tasks/{task_id}")

    async def get_task_details(self, task_id: UUID) -> TaskDetails:
        return await self._get(TaskDetails, f"/v1/tasks/{task_id}/details")

    async def get_task_tree(self, task_id: UUID) -> list[TreeNode]:
        return await self._items(TreeNode, f"/v1/tasks/{task_id}/tree")

    async def cancel_task(self, task_id: UUID, reason: str | None) -> None:
        await self.http.request("POST", f"/v1/tasks/{task_id}/cancel", dump({"reason": reason}))

    async def explain_run(self, run_id: UUID) -> RunExplanation:
        return await self._get(RunExplanation, f"/v1/runs/{run_id}/why")

    async def read_logs(self, task_id: UUID, *, after_attempt: int, after_line: int) -> list[LogLine]:
        page = {"after_attempt": after_attempt, "after_line": after_line}
        return await self._items(LogLine, f"/v1/tasks/{task_id}/logs", page)

    async def read_run_logs(
        self,
        run_id: UUID,
        *,
        after: datetime | None = None,
        after_task: UUID | None = None,
        after_attempt: int | None = None,
        after_line: int | None = None,
    ) -> list[RunLogLine]:
        page = {"after": after and after.isoformat(), "after_task": after_task}
        page |= {"after_attempt": after_attempt, "after_line": after_line}
        return await self._items(RunLogLine, f"/v1/runs/{run_id}/logs", page)

    async def advance_request(self, run_id: UUID) -> RunProgress | None:
        try:
            progress = (await self._get(_RequestedRun, f"/v1/runs/{run_id}")).progress
        except NotFound:  # a large run that is being deleted is gone at once
            return None
        if progress is not None:
            await asyncio.sleep(0.5)
        return progress

    async def start_checked(self, request: StartRequest) -> Started:
        return (await self._start([{**start_of(request), "strict": True}]))[0]

    async def add_checked(self, run_id: UUID, request: StartRequest) -> list[UUID]:
        return await self._add(run_id, {**addition_of(request), "strict": True})

    async def get_schedule(self, name: str) -> Schedule:
        return await self._get(Schedule, f"/v1/schedules/{_part(name)}")

    async def update_schedule(self, name: str, changes: ScheduleUpdate) -> Schedule:
        body = {field: value for field, value in vars(changes).items() if value is not None}
        if "jitter_seconds" in body:
            body["jitter"] = body.pop("jitter_seconds")
        return read(Schedule, await self.http.request("PATCH", f"/v1/schedules/{_part(name)}", dump(body)))

    async def list_queues(self) -> list[QueueStatus]:
        return await self._items(QueueStatus, "/v1/queues")

    async def pause_queue(self, queue: str, *, new: bool) -> None:
        params = {"new": "true"} if new else None
        await self.http.request("POST", f"/v1/queues/{_part(queue)}/pause", params=params)

    async def resume_queue(self, queue: str) -> None:
        await self.http.request("POST", f"/v1/queues/{_part(queue)}/resume")

    async def list_workers(
        self, *, status: str | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[WorkerStatus]:
        return await self._items(WorkerStatus, "/v1/workers", {"status": status, "after": after, "limit": limit})

    async def get_worker(self, worker_id: str) -> WorkerStatus:
        return await self._get(WorkerStatus, f"/v1/workers/{_part(worker_id)}")

    async def read_worker_logs(
        self, worker_id: str, *, after: int | None = None, limit: int = PAGE
    ) -> list[WorkerLogEntry]:
        page = {"after": after, "limit": limit}
        return await self._items(WorkerLogEntry, f"/v1/workers/{_part(worker_id)}/logs", page)

    async def list_worker_history(
        self, worker_id: str, *, before: int | None = None, limit: int = PAGE
    ) -> list[WorkerLife]:
        page = {"before": before, "limit": limit}
        return await self._items(WorkerLife, f"/v1/workers/{_part(worker_id)}/history", page)

    async def drain_worker(self, worker_id: str, reason: str | None) -> None:
        await self.http.request("POST", f"/v1/workers/{_part(worker_id)}/drain", dump({"reason": reason}))

    async def terminate_worker(self, worker_id: str) -> None:
        await self.http.request("POST", f"/v1/workers/{_part(worker_id)}/terminate")

    async def list_effects(
        self, *, status: str | None = None, kind: str | None = None, before: int | None = None, limit: int = PAGE
    ) -> list[EffectSummary]:
        page = {"status": status, "kind": kind, "before": before, "limit": limit}
        return await self._items(EffectSummary, "/v1/outbox", page)

    async def replay_effects(self, ids: list[int] | None, kind: str | None) -> list[int]:
        body = {"ids": ids, "kind": kind, "all": ids is None and kind is None}
        return (await self.http.request("POST", "/v1/outbox/replay", dump(body)))["ids"]

    async def list_types(self, *, after: str | None = None, limit: int = PAGE) -> list[TaskTypeSummary]:
        return await self._items(TaskTypeSummary, "/v1/types", {"after": after, "limit": limit})

    async def get_type(self, type: str) -> TaskType:
        return await self._get(TaskType, f"/v1/types/{_part(type)}")

    async def list_limits(
        self, *, scope: str | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[LimitStatus]:
        return await self._items(LimitStatus, "/v1/limits", {"scope": scope, "after": after, "limit": limit})

    async def get_limit(self, scope: str, key: str) -> LimitStatus:
        return await self._get(LimitStatus, f"/v1/limits/{_part(scope)}/{_part(key)}")

    async def set_limit(self, scope: str, key: str, size: int) -> None:
        await self.http.request("PUT", f"/v1/limits/{_part(scope)}/{_part(key)}", dump({"size": size}))

    async def reset_limit(self, scope: str, key: str) -> None:
        await self.http.request("DELETE", f"/v1/limits/{_part(scope)}/{_part(key)}")

    async def list_pools(self, *, after: str | None = None, limit: int = PAGE) -> list[PoolStatus]:
        return await self._items(PoolStatus, "/v1/pools", {"after": after, "limit": limit})

    async def get_pool(self, name: str) -> PoolStatus:
        return await self._get(PoolStatus, f"/v1/pools/{_part(name)}")

    async def set_pool(self, name: str, policy: JsonObject) -> None:
        await self.http.request("PUT", f"/v1/pools/{_part(name)}", dump(policy))

    async def delete_pool(self, name: str, *, force: bool) -> None:
        await self.http.request("DELETE", f"/v1/pools/{_part(name)}{'?force=true' if force else ''}")

    async def request_machines(self, name: str, count: int) -> int:
        made = await self.http.request("POST", f"/v1/pools/{_part(name)}/machines", dump({"count": count}))
        return read(int, made["requested"])

    async def list_pool_machines(self, name: str) -> list[PoolMachine]:
        return await self._items(PoolMachine, f"/v1/pools/{_part(name)}/machines")

    async def list_scaling_decisions(
        self, name: str, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[ScalingDecision]:
        page = {"before": before, "limit": limit}
        return await self._items(ScalingDecision, f"/v1/pools/{_part(name)}/decisions", page)

    async def list_dispatchers(self) -> list[DispatcherInfo]:
        return await self._items(DispatcherInfo, "/v1/dispatchers")

    async def get_status(self) -> OrgStatus:
        return await self._get(OrgStatus, "/v1/status")

    async def list_groups(self, *, after: str | None = None, limit: int = PAGE) -> list[ResourceGroup]:
        return await self._items(ResourceGroup, "/v1/groups", {"after": after, "limit": limit})

    async def get_group(self, external_id: str) -> ResourceGroup:
        return await self._get(ResourceGroup, f"/v1/groups/{_part(external_id)}")

    async def set_group(self, external_id: str, *, weight: int, quota: int | None) -> UUID:
        body = dump({"weight": weight, "quota": quota})
        return UUID((await self.http.request("PUT", f"/v1/groups/{_part(external_id)}", body))["id"])

    async def list_bundles(self, *, before: UUID | None = None, limit: int = PAGE) -> list[StoredBundle]:
        return await self._items(StoredBundle, "/v1/bundles", {"before": before, "limit": limit})

    async def get_bundle(self, sha256: str) -> WholeBundle:
        return await self._get(WholeBundle, f"/v1/bundles/{_part(sha256)}")

    async def put_bundle(self, content: bytes) -> WholeBundle:
        headers = {"Content-Type": "application/octet-stream"}
        response = await self.http.send("POST", "/v1/bundles", content, headers=headers, wait=60.0)
        return read(WholeBundle, response.json())

    async def delete_bundle(self, sha256: str) -> None:
        await self.http.request("DELETE", f"/v1/bundles/{_part(sha256)}")

    async def get_run_data_value(self, data_id: UUID) -> RunDataItem:
        return await self._get(RunDataItem, f"/v1/data/{data_id}")

    async def get_run_data_by_key(self, run_id: UUID, key: str) -> RunDataItem:
        return await self._get(RunDataItem, f"/v1/runs/{run_id}/data/{_part(key)}")


def _part(name: str) -> str:
    """Return a name as one part of a path."""
    return quote(name, safe="")
