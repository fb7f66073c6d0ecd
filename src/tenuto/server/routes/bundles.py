"""Bundles: uploaded code, identified by its hash, that runs only in sandboxes."""

import asyncio
from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response, StreamingResponse

from tenuto.db import bundles
from tenuto.db.bundle_upload import parts_of, upload_bundle
from tenuto.model.bundles import StoredBundle, WholeBundle, read_bundle
from tenuto.server.http.object_stream import Bytes, receive, spool
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import CONTENT_DIGEST, RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Page

ROUTES = RouteTable("bundles")

Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class BundleFilter(Filter):
    """Selects bundles, newest first. `before`: the last id of the previous page."""

    before: UUID | None = None


@ROUTES.add("GET", "/v1/bundles", permission="bundles:read", response=Page[StoredBundle])
async def list_bundles(request: ApiRequest, query: BundleFilter) -> object:
    """List the org's bundles, newest first."""
    return page(await request.call_with(query, bundles.list_bundles), query, "id")


@ROUTES.add(
    "POST",
    "/v1/bundles",
    permission="bundles:write",
    response=WholeBundle,
    status=201,
    takes=Bytes.media_type,
    repeatable=False,
    headers=(CONTENT_DIGEST,),
)
async def put_bundle(request: ApiRequest) -> Response:
    """Upload a bundle, a zip file of up to 64 MB. From now on, new attempts of its task types run its code. If an older
    bundle is uploaded again, its task types run its code again."""
    with spool() as file:
        received = await receive(request.http, file)
        bundle = await asyncio.to_thread(lambda: read_bundle(file).verify())
        sha256 = received.checksum.removeprefix("sha256:")

        async def work(change: Transaction) -> WholeBundle:
            await upload_bundle(
                change.conn,
                org_id=change.org_id,
                bundle=bundle,
                file=file,
                sha256=sha256,
                size=received.size,
                created_by=str(request.principal.id),
            )
            changes = {"name": {"new": bundle.name}, "types": {"new": bundle.types}, "size": {"new": received.size}}
            await change.audit("bundle", sha256, "put", changes)
            return await bundles.get_bundle(change.conn, org_id=change.org_id, sha256=sha256)

        return await request.change(work, status=201, seconds=request.settings.bulk_seconds)


@ROUTES.add("GET", "/v1/bundles/{sha256}", permission="bundles:read", response=WholeBundle)
async def get_bundle(request: ApiRequest, sha256: Hash) -> object:
    """Get a bundle with its manifest."""
    return await request.call(bundles.get_bundle, sha256=sha256)


@ROUTES.add("GET", "/v1/bundles/{sha256}/content", permission="bundles:read", response_class=Bytes)
async def get_bundle_content(request: ApiRequest, sha256: Hash) -> Response:
    """Get the zip file of a bundle."""
    found = await request.call(bundles.get_bundle, sha256=sha256)
    headers = {"Content-Encoding": "identity", "Content-Length": str(found.size), "ETag": f'"sha256:{sha256}"'}
    parts = parts_of(lambda no: request.call(bundles.get_bundle_part, sha256=sha256, no=no))
    return StreamingResponse(parts, 200, headers, Bytes.media_type)


@ROUTES.add("DELETE", "/v1/bundles/{sha256}", permission="bundles:write", response=None, status=204)
async def delete_bundle(request: ApiRequest, sha256: Hash) -> Response:
    """Delete a bundle. No new attempt runs it; running attempts continue."""

    async def work(change: Transaction) -> None:
        await bundles.delete_bundle(change.conn, org_id=change.org_id, sha256=sha256)
        await change.audit("bundle", sha256, "delete")

    return await request.change(work, status=204)
