"""The audit log of the org."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from tenuto.db import audit, keys
from tenuto.model.audit import AuditEntry
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import Moment, Page, ResponseModel

ROUTES = RouteTable("audit")


class AuditFilter(Filter):
    """Selects entries, newest first. `before`: the last id of the previous page. `since`: only entries written at that
    time or later. `until`: only entries written before that time. `ip`: only actions of clients with this address."""

    entity: str | None = None
    entity_id: str | None = None
    action: str | None = None
    actor_id: str | None = None
    before: UUID | None = None
    since: Moment | None = None
    until: Moment | None = None
    ip: Annotated[str, Field(max_length=64)] | None = None


class HeadFilter(Filter):
    """Selects heads, newest first. `before`: the last position (`seq`) of the previous page."""

    before: Annotated[int, Field(ge=1, le=(1 << 63) - 1)] | None = None


class SignedHeadResponse(ResponseModel):
    """A signed head of the org's audit chain. Keep it outside the database, in a file with one head per line: `tenuto
    audit verify --heads` reads that file."""

    org_id: UUID
    seq: int
    hash: str
    signed_at: datetime
    signing_key_id: str
    signature: str
    public_key: dict[str, Any] | None


@ROUTES.add("GET", "/v1/audit", permission="audit:read", response=Page[AuditEntry])
async def list_audit(request: ApiRequest, query: AuditFilter) -> object:
    """List the actions of users, keys and database logins in the org, newest first."""
    return page(await request.call_with(query, audit.list_audit), query, "id")


@ROUTES.add("GET", "/v1/audit/heads", permission="audit:read", response=Page[SignedHeadResponse])
async def list_heads(request: ApiRequest, query: HeadFilter) -> object:
    """List the signed heads of the org's audit chain, newest first. A new head is signed within a minute of an
    entry."""
    found = await request.call_with(query, audit.list_heads)
    public = {key.id: key.public_key for key in await request.pool.call(keys.list_signing_keys)} if found else {}
    items = [
        {
            **vars(head),
            "hash": head.hash.hex(),
            "signature": head.signature.hex(),
            "public_key": public.get(head.signing_key_id),
        }
        for head in found
    ]
    return {"items": items, "next": page(found, query, "seq")["next"]}
