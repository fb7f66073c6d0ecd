"""Queries of attempts of jobs, over the inputs of the job as they were pinned when the task was created."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast
from uuid import UUID

from starlette.responses import Response

from tenuto.db import audit, children
from tenuto.model.errors import InvalidInput
from tenuto.model.ids import uuid7
from tenuto.model.jobs import OPERATOR_TYPES, InputLocation, PageOfRows
from tenuto.model.json import JsonObject
from tenuto.model.queries import PinnedDataset, QueryResult, VersionRead
from tenuto.query.as_of import CURRENT, AsOf
from tenuto.server.http.route_table import TASK, RouteTable
from tenuto.server.queries import respond
from tenuto.server.requests.task import AttemptTransaction, TaskRequest
from tenuto.server.schemas.queries import TaskQueryRequest

ROUTES = RouteTable("task API")
LOCATIONS_PER_PAGE = 1000


@dataclass(frozen=True)
class TaskCatalog:
    """The inputs of the job of an attempt."""

    request: TaskRequest
    inputs: list[int] = field(default_factory=list[int])  # of the query, by its position there

    async def pin(self, names: list[str], as_of: AsOf) -> Sequence[PinnedDataset]:
        if as_of != CURRENT:
            raise InvalidInput("a task queries its inputs as they were pinned", "leave as_of out")
        pinned: list[PinnedDataset] = []
        async with self.request.fenced() as attempt:
            task = await attempt.task()
            content = cast(JsonObject, task.input) if task.type.startswith(OPERATOR_TYPES) else {}
            job = cast(JsonObject, content.get("job") or {})
            for number, item in enumerate(cast("list[JsonObject]", job.get("inputs") or [])):
                if str(item["name"]) in names and str(item["name"]) not in {one.name for one in pinned}:
                    locations = cast("list[str] | None", item["locations"])
                    if locations is None:
                        found = await _list_locations(attempt, number)
                        locations = [place.location for place in found] if len(found) < LOCATIONS_PER_PAGE else None
                    pinned.append(_pinned(item, job, locations))
                    self.inputs.append(number)
        return pinned

    async def read_rows(self, number: int, version_id: UUID, location: str, page: int) -> PageOfRows:  # noqa: ARG002
        who = self.request.principal
        async with self.request.fenced() as attempt:
            return await children.read_rows(
                attempt.conn,
                session_id=who.session_id,
                token=attempt.token,
                task_id=who.task_id,
                attempt=who.attempt,
                input=self.inputs[number],
                location=location,
                page=page,
            )

    async def record(self, action: str, shape: str, versions: Sequence[VersionRead]) -> None:
        origin = self.request.http.origin()
        async with self.request.fenced() as attempt:
            await audit.write_audit(
                attempt.conn,
                org_id=self.request.principal.org_id,
                entity="query",
                entity_id=uuid7(),
                action=action,
                actor_kind="task",
                actor_id=str(self.request.principal.task_id),
                changes={"shape": {"new": shape}, "versions": {"new": [version.to_json() for version in versions]}},
                ip=origin.ip,
                user_agent=origin.user_agent,
                request_id=origin.request_id,
            )


def _pinned(item: JsonObject, job: JsonObject, locations: list[str] | None) -> PinnedDataset:
    version_id = cast("str | None", item.get("version_id"))
    appended = item.get("update_strategy") == "append"
    return PinnedDataset(
        name=str(item["name"]),
        dataset_id=UUID(str(item["dataset_id"])),
        version_id=UUID(version_id) if version_id else None,
        dag=str(job["dag"]),
        dag_version=int(str(job["version"])),
        storage=cast("JsonObject | None", item.get("storage")) or {},
        storage_location=f"{item['dataset_id']}/{version_id}/",
        columns=cast("list[JsonObject] | None", item.get("columns")),
        unique_key=cast("list[str] | None", item.get("unique_key")) if appended else None,
        locations=locations,
        purged=False,
        where=cast("JsonObject | None", item.get("where")),
    )


async def _list_locations(attempt: AttemptTransaction, input: int) -> list[InputLocation]:
    who = attempt.principal
    return await children.list_input_locations(
        attempt.conn,
        session_id=who.session_id,
        token=attempt.token,
        task_id=who.task_id,
        attempt=who.attempt,
        input=input,
        limit=LOCATIONS_PER_PAGE,
    )


@ROUTES.add("POST", "/v1/task/query", permission=TASK, response=QueryResult)
async def query_own_inputs(request: TaskRequest, body: TaskQueryRequest) -> Response:
    """Run one SELECT over the inputs of the job by their names, as they were when the task was created."""
    request.check_named(body.task_id, body.attempt)
    return await respond(
        request.http,
        body.query(),
        TaskCatalog(request),
        org_id=request.principal.org_id,
        caller=f"task:{request.principal.task_id}",
    )
