"""Run data: values that tasks and clients share within a run."""

from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import monitoring, run_data
from tenuto.model.errors import InvalidInput
from tenuto.model.run_data import RunDataItem
from tenuto.server.http.pagination import Query
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas import runs as schemas
from tenuto.server.schemas.base import EditTagsRequest, Items, PutDataRequest

ROUTES = RouteTable("run data")

DataKey = Annotated[str, Field(min_length=1, max_length=1024)]


class DataFilter(Query):
    """Selects values by keys, by a prefix or pattern (`glob`, with * and ?) of the key, or by tags. `history`: include
    older values."""

    keys: list[str] | None = None
    prefix: str | None = None
    glob: Annotated[str, Field(max_length=256)] | None = None
    tags: list[str] | None = None
    all_tags: bool = False
    tag_prefix: str | None = None
    history: bool = False
    limit: Annotated[int, Field(ge=1, le=1000)] = 1000


class DataSelector(Query):
    """Selects a key with all its values, or one value by its id."""

    key: str | None = None
    data_id: UUID | None = None


@ROUTES.add("GET", "/v1/runs/{run_id}/data", permission="data:read", response=Items[RunDataItem])
async def get_run_data(request: ApiRequest, run_id: UUID, query: DataFilter) -> object:
    """Get the latest value of each selected key of a run, or with `history` all values."""
    found = await request.call_with(query, run_data.get_run_data, run_id=run_id)
    if not found:
        await request.call(monitoring.get_run, run_id=run_id)  # raises NotFound if there is no such run
    return {"items": found}


@ROUTES.add("GET", "/v1/runs/{run_id}/data/{key}", permission="data:read", response=RunDataItem)
async def get_run_data_by_key(request: ApiRequest, run_id: UUID, key: DataKey) -> object:
    """Get the latest value of a key."""
    return await request.call(run_data.get_run_data_value, run_id=run_id, key=key)


@ROUTES.add("GET", "/v1/data/{data_id}", permission="data:read", response=RunDataItem)
async def get_run_data_value(request: ApiRequest, data_id: UUID) -> object:
    """Get a value of run data by its id."""
    return await request.call(run_data.get_run_data_value, data_id=data_id)


@ROUTES.add("PUT", "/v1/runs/{run_id}/data", permission="data:write", response=schemas.DataIdsResponse)
async def put_run_data(request: ApiRequest, run_id: UUID, body: PutDataRequest) -> Response:
    """Write values; each becomes the latest value of its key."""

    async def work(change: Transaction) -> schemas.DataIdsResponse:
        ids = await run_data.put_run_data(
            change.conn,
            org_id=change.org_id,
            run_id=run_id,
            values=body.values,
            tags=body.tags,
            metadata=body.metadata,
        )
        await change.audit("run_data", run_id, "put", {key: {"new": value} for key, value in body.values.items()})
        return schemas.DataIdsResponse(ids=ids)

    return await request.change(work)


@ROUTES.add("DELETE", "/v1/runs/{run_id}/data", permission="data:write", response=schemas.DeletedResponse)
async def delete_run_data(request: ApiRequest, run_id: UUID, query: DataSelector) -> Response:
    """Delete a key with all its values, or one value by its id."""
    if (query.key is None) == (query.data_id is None):
        raise InvalidInput("key and data_id are both set or both missing", "write either ?key=… or ?data_id=…")

    async def work(change: Transaction) -> schemas.DeletedResponse:
        deleted = await run_data.delete_run_data(
            change.conn, org_id=change.org_id, run_id=run_id, key=query.key, data_id=query.data_id
        )
        await change.audit("run_data", run_id, "delete", {"what": {"old": query.key or str(query.data_id)}})
        return schemas.DeletedResponse(deleted=deleted)

    return await request.change(work)


@ROUTES.add("PATCH", "/v1/data/{data_id}/tags", permission="data:write", response=schemas.TagsResponse)
async def edit_run_data_tags(request: ApiRequest, data_id: UUID, body: EditTagsRequest) -> Response:
    """Add and remove tags of one value."""

    async def work(change: Transaction) -> schemas.TagsResponse:
        tags = await run_data.edit_run_data_tags(
            change.conn, org_id=change.org_id, data_id=data_id, add=body.add, remove=body.remove
        )
        await change.audit("run_data", data_id, "edit", {"tags": {"old": body.remove, "new": body.add}})
        return schemas.TagsResponse(tags=tags)

    return await request.change(work)
