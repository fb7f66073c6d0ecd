"""Data objects: list them, and change which runs and resource groups hold them."""

from typing import Self
from uuid import UUID

from pydantic import ConfigDict, model_validator
from starlette.responses import Response

from tenuto.db import data_objects
from tenuto.model.run_data import ObjectSummary
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Name, Page, RequestModel, ResponseModel
from tenuto.server.schemas.starts import RunUuid

ROUTES = RouteTable("objects")


class ObjectFilter(Filter):
    """Selects data objects, newest first. `before`: the last id of the previous page. `held_by`: only objects that the
    run, task or group with this id holds. `group`: only objects that the group with this name holds."""

    held_by: UUID | None = None
    group: Name | None = None
    before: UUID | None = None


class HolderRequest(RequestModel):
    """The holder of the object: a run by its id, or a resource group by its name."""

    # `not` and `if` for the reason given at UpdateRequest
    model_config = ConfigDict(
        json_schema_extra={
            "not": {"properties": {"run_id": {"type": "null"}, "group": {"type": "null"}}},
            "if": {"required": ["run_id"], "properties": {"run_id": {"type": "string"}}},
            "then": {"properties": {"group": {"type": "null"}}},
        }
    )

    run_id: RunUuid | None = None
    group: Name | None = None

    @model_validator(mode="after")
    def check(self) -> Self:
        if (self.run_id is None) == (self.group is None):
            raise ValueError("pass either run_id or group")
        return self

    @property
    def holder(self) -> str:
        return "group" if self.run_id is None else "run"


class ReleasedObject(ResponseModel):
    """The object, and whether the holder had a reference to it."""

    id: UUID
    released: bool


@ROUTES.add("GET", "/v1/objects", permission="objects:read", response=Page[ObjectSummary])
async def list_objects(request: ApiRequest, query: ObjectFilter) -> object:
    """List the data objects without their bytes. Each has its holders and the time from which it may be deleted."""
    return page(await request.call_with(query, data_objects.list_objects), query, "id")


@ROUTES.add("POST", "/v1/objects/{object_id}/reference", permission="objects:write", response=None, status=204)
async def reference_object(request: ApiRequest, object_id: UUID, body: HolderRequest) -> Response:
    """Make a run or a resource group hold an object. The object is kept until all references to it are released or
    their holders are deleted."""

    async def work(change: Transaction) -> None:
        await data_objects.reference_object(
            change.conn,
            org_id=change.org_id,
            object_id=object_id,
            holder=body.holder,
            holder_id=body.run_id,
            group=body.group,
        )
        await change.audit("object", object_id, "reference", {body.holder: {"new": str(body.run_id or body.group)}})

    return await request.change(work, status=204)


@ROUTES.add("POST", "/v1/objects/{object_id}/release", permission="objects:write", response=ReleasedObject)
async def release_object(request: ApiRequest, object_id: UUID, body: HolderRequest) -> Response:
    """Release the reference of a run or a resource group to an object."""

    async def work(change: Transaction) -> ReleasedObject:
        released = await data_objects.release_object(
            change.conn,
            org_id=change.org_id,
            object_id=object_id,
            holder=body.holder,
            holder_id=body.run_id,
            group=body.group,
        )
        if released:
            await change.audit("object", object_id, "release", {body.holder: {"old": str(body.run_id or body.group)}})
        return ReleasedObject(id=object_id, released=released)

    return await request.change(work)
