"""Datasets: list, get, list versions and partitions, purge, delete, and change which roles can read them."""

from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import datasets
from tenuto.model.datasets import Cursor, Dataset, DatasetVersion, Partition, WholeDataset
from tenuto.server.http.pagination import Filter, NameFilter, PathName, Query, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Page
from tenuto.server.schemas.dags import DeletedDatasetResponse, PurgeDatasetRequest, PurgeResponse, RoleRequest

ROUTES = RouteTable("datasets")


class DatasetVersionFilter(Filter):
    """Selects versions of a dataset, newest first. `before`: the last id of the previous page."""

    before: UUID | None = None


class PartitionFilter(Filter):
    """Selects partitions of a dataset, in the order of their keys. `version_id`: the version of the dataset, by default
    the current one. `after`: the last key of the previous page. Data without a partition has an empty key."""

    version_id: UUID | None = None
    after: Annotated[str, Field(max_length=256)] | None = None


class CursorFilter(Filter):
    """Selects jobs that read a dataset, in the order of their keys. `after`: the last `job_key` of the previous
    page."""

    after: UUID | None = None


class DatasetDeletion(Query):
    """`dry_run`: only return what would be deleted."""

    dry_run: bool = False


@ROUTES.add("GET", "/v1/datasets", permission="datasets:read", response=Page[Dataset])
async def list_datasets(request: ApiRequest, query: NameFilter) -> object:
    """List the datasets by name, each with its producer, its current version and the roles that can read it."""
    return page(await request.call_with(query, datasets.list_datasets), query, "name")


@ROUTES.add("GET", "/v1/datasets/{name}", permission="datasets:read", response=WholeDataset)
async def get_dataset(request: ApiRequest, name: PathName) -> object:
    """Get a dataset with the definition of its current version."""
    return await request.call(datasets.get_dataset, name=name)


@ROUTES.add("GET", "/v1/datasets/{name}/versions", permission="datasets:read", response=Page[DatasetVersion])
async def list_dataset_versions(request: ApiRequest, name: PathName, query: DatasetVersionFilter) -> object:
    """List the versions of a dataset, newest first, each with the versions of the DAG that contain it."""
    return page(await request.call_with(query, datasets.list_dataset_versions, name=name), query, "id")


@ROUTES.add("GET", "/v1/datasets/{name}/partitions", permission="datasets:read", response=Page[Partition])
async def list_partitions(request: ApiRequest, name: PathName, query: PartitionFilter) -> object:
    """List the committed partitions of a dataset by key, each with the task that published it and the inputs of that
    task."""
    items = await request.call_with(query, datasets.list_partitions, name=name)
    return {"items": items, "next": (items[-1].partition or "") if len(items) == query.limit else None}


@ROUTES.add("GET", "/v1/datasets/{name}/cursors", permission="datasets:read", response=Page[Cursor])
async def list_cursors(request: ApiRequest, name: PathName, query: CursorFilter) -> object:
    """List the jobs that have read the current version of a dataset, each with how far it has read."""
    return page(await request.call_with(query, datasets.list_cursors, name=name), query, "job_key")


@ROUTES.add("POST", "/v1/datasets/{name}/purge", permission="datasets:write", response=PurgeResponse)
async def purge_dataset(request: ApiRequest, name: PathName, body: PurgeDatasetRequest | None = None) -> Response:
    """Purge old versions of a dataset. Versions that are current or can become current are kept, and so are versions
    that an unfinished task uses. A dispatcher deletes the data."""
    options = body or PurgeDatasetRequest()

    async def work(change: Transaction) -> PurgeResponse:
        purged = await datasets.purge_dataset(
            change.conn, org_id=change.org_id, name=name, keep=options.keep, dry_run=options.dry_run
        )
        if purged and not options.dry_run:
            first = sorted(str(version.id) for version in purged)[:10]
            await change.audit(
                "dataset", name, "purge", {"versions": {"new": len(purged)}, "first_ids": {"new": first}}
            )
        return PurgeResponse(versions=purged)

    return await request.change(work)


@ROUTES.add("DELETE", "/v1/datasets/{name}", permission="datasets:write", response=DeletedDatasetResponse)
async def delete_dataset(request: ApiRequest, name: PathName, query: DatasetDeletion) -> Response:
    """Delete a dataset with its data. 409 while an unfinished task uses it. Also 409 while a version of a DAG publishes
    or reads it, if that version is current or can become current without a rollback."""

    async def work(change: Transaction) -> DeletedDatasetResponse:
        count = await datasets.delete_dataset(change.conn, org_id=change.org_id, name=name, dry_run=query.dry_run)
        if not query.dry_run:
            await change.audit("dataset", name, "delete", {"versions": {"new": count}})
        return DeletedDatasetResponse(dataset=name, versions=count)

    return await request.change(work)


@ROUTES.add("POST", "/v1/datasets/{name}/grant", permission="datasets:write", response=None, status=204)
async def grant_dataset(request: ApiRequest, name: PathName, body: RoleRequest) -> Response:
    """Let a role of the org read a dataset. Does nothing if the role can read it already. 403 if the org sets
    `wider_readers` to `deny` and the role cannot read a dataset from which this one is computed."""

    async def work(change: Transaction) -> None:
        await datasets.grant_dataset(change.conn, org_id=change.org_id, name=name, role=body.role)
        await change.audit("dataset", name, "grant", {"role": {"new": body.role}})

    return await request.change(work, status=204)


@ROUTES.add("POST", "/v1/datasets/{name}/revoke", permission="datasets:write", response=None, status=204)
async def revoke_dataset(request: ApiRequest, name: PathName, body: RoleRequest) -> Response:
    """Revoke the right of a role to read a dataset. A dataset without any role can be read only by admins."""

    async def work(change: Transaction) -> None:
        await datasets.revoke_dataset(change.conn, org_id=change.org_id, name=name, role=body.role)
        await change.audit("dataset", name, "revoke", {"role": {"old": body.role}})

    return await request.change(work, status=204)
