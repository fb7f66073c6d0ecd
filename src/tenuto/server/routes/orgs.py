"""The org of the caller. Other orgs cannot be seen here."""

from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import orgs
from tenuto.db.connection.call import Conn
from tenuto.model.audit import diff
from tenuto.model.errors import NotFound
from tenuto.model.json import JsonObject
from tenuto.model.orgs import Org
from tenuto.server.http.pagination import NameFilter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Page
from tenuto.server.schemas.users import EditOrgRequest

ROUTES = RouteTable("orgs")

Slug = Annotated[str, Field(min_length=1, max_length=63)]


@ROUTES.add("GET", "/v1/orgs", permission="orgs:read", response=Page[Org])
async def list_orgs(request: ApiRequest, query: NameFilter) -> object:
    """List the caller's org."""
    return page(await request.read(_own, limit=query.limit, after=query.after), query, "slug")


@ROUTES.add("GET", "/v1/orgs/{slug}", permission="orgs:read", response=Org)
async def get_org(request: ApiRequest, slug: Slug) -> object:
    """Get the caller's org."""
    return await request.read(_find, slug=slug)


@ROUTES.add("PATCH", "/v1/orgs/{slug}", permission="orgs:write", response=None, status=204)
async def edit_org(request: ApiRequest, slug: Slug, body: EditOrgRequest) -> Response:
    """Change the name of the org, or replace all its settings."""

    async def work(change: Transaction) -> None:
        old = await _find(change.conn, org_id=change.org_id, slug=slug)
        fields = body.model_dump(exclude_none=True)
        await orgs.update_org(change.conn, org_id=change.org_id, name=body.name, settings=body.settings)
        before: JsonObject = {"name": old.name, "settings": old.settings}
        await change.audit("org", slug, "set", diff(before, {**before, **fields}))

    return await request.change(work, status=204)


async def _own(conn: Conn, *, org_id: UUID, limit: int, after: str | None = None) -> list[Org]:
    """Returns only the caller's org. Row security hides the others too."""
    return [one for one in await orgs.list_orgs(conn, after=after, limit=limit) if one.id == org_id]


async def _find(conn: Conn, *, org_id: UUID, slug: str) -> Org:
    for one in await _own(conn, org_id=org_id, limit=200):
        if one.slug == slug:
            return one
    raise NotFound(f"no org {slug}", "GET /v1/orgs shows your org")
