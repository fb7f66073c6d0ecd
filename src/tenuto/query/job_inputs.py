"""Queries of attempts over the inputs of their job, in the versions that were pinned when the task was created."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import cast
from uuid import UUID

from tenuto.db import audit, children
from tenuto.db.connection.call import Conn
from tenuto.model.audit import RequestOrigin
from tenuto.model.errors import InvalidInput
from tenuto.model.ids import uuid7
from tenuto.model.jobs import JobInputs, PageOfRows
from tenuto.model.json import JsonObject
from tenuto.model.queries import PinnedDataset, VersionRead
from tenuto.query.as_of import CURRENT, AsOf
from tenuto.sdk.values.data_objects import AttemptFence

LOCATIONS_PER_PAGE = 1000
NO_JOB = JobInputs("", 0, [])  # of an attempt that belongs to no job and can read nothing


@dataclass(frozen=True)
class HeldAttempt:
    """A connection, and the attempt for which calls are made on it."""

    conn: Conn
    fence: AttemptFence


@dataclass(frozen=True)
class JobCatalog:
    """The inputs of the job of an attempt. The code of a bundle reads the inputs of the job that runs it."""

    org_id: UUID
    connect: Callable[[], AbstractAsyncContextManager[HeldAttempt]]
    origin: RequestOrigin | None = None  # of the request; None for a worker that is connected to the database
    inputs: list[int] = field(default_factory=list[int])  # for each dataset of the query, the number of the input

    async def pin(self, names: list[str], as_of: AsOf) -> Sequence[PinnedDataset]:
        if as_of != CURRENT:
            raise InvalidInput(
                "as_of cannot be set in a task: it reads its inputs as they were when the task was created",
                "leave as_of out",
            )
        pinned: list[PinnedDataset] = []
        async with self.connect() as attempt:
            found = await children.get_job_inputs(
                attempt.conn,
                session_id=attempt.fence["session_id"],
                token=attempt.fence["token"],
                task_id=attempt.fence["task_id"],
                attempt=attempt.fence["attempt"],
            )
            job = found[0] if found else NO_JOB
            for number, item in enumerate(job.inputs):
                if str(item["name"]) in names and str(item["name"]) not in {one.name for one in pinned}:
                    locations = cast("list[str] | None", item["locations"])
                    if locations is None:
                        locations = await _list_locations(attempt, number)
                    pinned.append(_pinned(item, job, locations))
                    self.inputs.append(number)
        return pinned

    async def read_rows(
        self,
        number: int,
        version_id: UUID,  # noqa: ARG002 - of the interface
        location: str,
        page: int,
    ) -> PageOfRows:
        async with self.connect() as attempt:
            return await children.read_rows(
                attempt.conn,
                session_id=attempt.fence["session_id"],
                token=attempt.fence["token"],
                task_id=attempt.fence["task_id"],
                attempt=attempt.fence["attempt"],
                input=self.inputs[number],
                location=location,
                page=page,
            )

    async def record(self, action: str, shape: str, versions: Sequence[VersionRead]) -> None:
        origin = self.origin
        async with self.connect() as attempt:
            await audit.write_audit(
                attempt.conn,
                org_id=self.org_id,
                entity="query",
                entity_id=uuid7(),
                action=action,
                actor_kind="task",
                actor_id=str(attempt.fence["task_id"]),
                changes={"shape": {"new": shape}, "versions": {"new": [version.to_json() for version in versions]}},
                ip=origin.ip if origin else None,
                user_agent=origin.user_agent if origin else None,
                request_id=origin.request_id if origin else None,
            )


async def _list_locations(attempt: HeldAttempt, input: int) -> list[str] | None:
    """Return the folders of an input; None if there are LOCATIONS_PER_PAGE or more, which is too many for a query."""
    found = await children.list_input_locations(
        attempt.conn,
        session_id=attempt.fence["session_id"],
        token=attempt.fence["token"],
        task_id=attempt.fence["task_id"],
        attempt=attempt.fence["attempt"],
        input=input,
        limit=LOCATIONS_PER_PAGE,
    )
    return [place.location for place in found] if len(found) < LOCATIONS_PER_PAGE else None


def _pinned(item: JsonObject, job: JobInputs, locations: list[str] | None) -> PinnedDataset:
    version_id = cast("str | None", item.get("version_id"))
    appended = item.get("update_strategy") == "append"
    return PinnedDataset(
        name=str(item["name"]),
        dataset_id=UUID(str(item["dataset_id"])),
        version_id=UUID(version_id) if version_id else None,
        dag=job.dag,
        dag_version=job.dag_version,
        storage=cast("JsonObject | None", item.get("storage")) or {},
        storage_location=f"{item['dataset_id']}/{version_id}/",
        columns=cast("list[JsonObject] | None", item.get("columns")),
        unique_key=cast("list[str] | None", item.get("unique_key")) if appended else None,
        locations=locations,
        purged=False,
        where=cast("JsonObject | None", item.get("where")),
    )
