"""Bundles for workers that connect by HTTP: the types that bundles run, the bundle of a type, and the bytes of a
bundle."""

from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from tenuto.db import bundles
from tenuto.model.bundles import BundleFile
from tenuto.model.errors import NotFound
from tenuto.server.http.object_stream import Bytes
from tenuto.server.http.route_table import WORKER, RouteTable
from tenuto.server.requests.worker import WorkerRequest
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("worker API")

HASH = "^[0-9a-f]{64}$"
Hash = Annotated[str, Field(pattern=HASH)]
No = Annotated[int, Field(ge=0, le=2_147_483_647)]


class BundleTypesResponse(ResponseModel):
    types: list[str]


@ROUTES.add("GET", "/internal/bundles", permission=WORKER, response=BundleTypesResponse)
async def list_bundle_types(request: WorkerRequest) -> object:
    """List the task types that the org's bundles run."""
    async with request.transaction() as conn:
        return {"types": await bundles.list_bundle_types(conn, org_id=request.principal.org_id)}


@ROUTES.add("GET", "/internal/bundles/entry", permission=WORKER, response=BundleFile)
async def find_bundle(
    request: WorkerRequest,
    type: Annotated[str, Field(min_length=1, max_length=256)],
    sha256: Annotated[str | None, Field(pattern=HASH)] = None,
) -> object:
    """Find the bundle that runs a type: the bundle that was uploaded last, or the one with the hash `sha256`."""
    async with request.transaction() as conn:
        return await bundles.find_bundle(conn, org_id=request.principal.org_id, type=type, sha256=sha256)


@ROUTES.add("GET", "/internal/bundles/{sha256}/{no}", permission=WORKER, response_class=Bytes)
async def get_bundle_part(request: WorkerRequest, sha256: Hash, no: No) -> Response:
    """Get part `no` of a bundle. A part has one megabyte; the last part can be smaller. 404 after the last part."""
    async with request.transaction() as conn:
        part = await bundles.get_bundle_part(conn, org_id=request.principal.org_id, sha256=sha256, no=no)
    if part is None:
        raise NotFound(f"bundle {sha256} has no part {no}")
    return Bytes(part, headers={"Content-Encoding": "identity"})
