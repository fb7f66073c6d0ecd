"""Bundles for remote workers: which types they run, which one runs a type now, and their bytes."""

from typing import Annotated, Any

from fastapi import Path, Query, Response

from tenuto.db import bundles
from tenuto.model.errors import NotFound
from tenuto.server.http.routing import WORKER, RouteTable
from tenuto.server.requests.worker import AtWorkerDesk
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("workers")

HASH = "^[0-9a-f]{64}$"
Hash = Annotated[str, Path(pattern=HASH)]
No = Annotated[int, Path(ge=0, le=2_147_483_647)]


class Part(Response):
    media_type = "application/octet-stream"


class BundleTypesResponse(ResponseModel):
    types: list[str]


class BundleEntryResponse(ResponseModel):
    """Where the code of a type is; `types` are all that its bundle runs."""

    sha256: str
    name: str
    entry: str
    types: list[str]


@ROUTES.add("GET", "/internal/bundles", permission=WORKER, answer=BundleTypesResponse)
async def list_bundle_types(desk: AtWorkerDesk) -> Any:
    """The task types that bundles of the org run."""
    async with desk.transaction() as conn:
        return {"types": await bundles.list_bundle_types(conn, org_id=desk.principal.org_id)}


@ROUTES.add("GET", "/internal/bundles/entry", permission=WORKER, answer=BundleEntryResponse)
async def find_bundle(
    desk: AtWorkerDesk,
    type: Annotated[str, Query(min_length=1, max_length=256)],
    sha256: Annotated[str | None, Query(pattern=HASH)] = None,
) -> Any:
    """What runs a type: the bundle that was put last, or the one that is named."""
    async with desk.transaction() as conn:
        return await bundles.find_bundle(conn, org_id=desk.principal.org_id, type=type, sha256=sha256)


@ROUTES.add("GET", "/internal/bundles/{sha256}/{no}", permission=WORKER, response_class=Part)
async def get_bundle_part(desk: AtWorkerDesk, sha256: Hash, no: No) -> Response:
    """One megabyte of a bundle; after the last there is none."""
    async with desk.transaction() as conn:
        part = await bundles.get_bundle_part(conn, org_id=desk.principal.org_id, sha256=sha256, no=no)
    if part is None:
        raise NotFound(f"bundle {sha256} has no part {no}")
    return Part(part, headers={"Content-Encoding": "identity"})
