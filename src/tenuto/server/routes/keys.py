"""API keys. A key is shown only when it is created. A key can only create, change, rotate and revoke keys with a subset
of its own permissions."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import keys
from tenuto.model.identity import ApiKeyInfo, changed_fields
from tenuto.model.keys import API, key_hash, make_key
from tenuto.model.permissions import check_permissions
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Page
from tenuto.server.schemas.keys import (
    CreatedKeyResponse,
    CreateKeyRequest,
    RotateKeyRequest,
    UpdateKeyRequest,
)

ROUTES = RouteTable("keys")


class KeyFilter(Filter):
    """Selects keys, newest first. `before`: the last id of the previous page. `key_id`: only the key whose text has
    this public part."""

    before: UUID | None = None
    key_id: Annotated[str, Field(min_length=1, max_length=64)] | None = None


@ROUTES.add("GET", "/v1/keys", permission="keys:read", response=Page[ApiKeyInfo])
async def list_keys(request: ApiRequest, query: KeyFilter) -> object:
    """List the org's API keys, newest first."""
    return page(await request.call_with(query, keys.list_api_keys), query, "id")


@ROUTES.add("POST", "/v1/keys", permission="keys:write", response=CreatedKeyResponse, status=201, repeatable=False)
async def create_key(request: ApiRequest, body: CreateKeyRequest) -> Response:
    """Create an API key. `key` is shown only in this response; an Idempotency-Key has no effect here. An API key can
    only create keys that have a subset of its own permissions and expire no later than itself."""
    check_permissions(body.permissions)
    key, peppers = make_key(API, request.settings.env), request.settings.peppers

    async def work(change: Transaction) -> CreatedKeyResponse:
        id = await keys.create_api_key(
            change.conn,
            org_id=change.org_id,
            name=body.name,
            permissions=body.permissions,
            expires_at=body.expires_at,
            key_id=key.key_id,
            hash=key_hash(peppers, key.text),
            pepper_version=peppers.version,
            created_by=str(request.principal.id),
            by_key=request.by_key,
        )
        changes = {"name": {"new": body.name}, "permissions": {"new": body.permissions}}
        await change.audit("api_key", id, "create", changes)
        return CreatedKeyResponse(id=id, key=key.text)

    return await request.change(work, status=201)


@ROUTES.add("GET", "/v1/keys/{id}", permission="keys:read", response=ApiKeyInfo)
async def get_key(request: ApiRequest, id: UUID) -> object:
    """Get an API key, without the key itself."""
    return await request.call(keys.get_api_key, id=id)


@ROUTES.add("PATCH", "/v1/keys/{id}", permission="keys:write", response=ApiKeyInfo)
async def update_key(request: ApiRequest, id: UUID, body: UpdateKeyRequest) -> Response:
    """Change the name or the expiry time of a key, or whether it is active. Requests with an inactive key are rejected
    until it is active again; a revoked key cannot be changed (409). An API key can only change keys that have a subset
    of its own permissions and expire no later than itself."""

    async def work(change: Transaction) -> ApiKeyInfo:
        old = await keys.get_api_key(change.conn, org_id=change.org_id, id=id)
        await keys.update_api_key(
            change.conn,
            org_id=change.org_id,
            id=id,
            name=body.name,
            active=body.active,
            expires_at=body.expires_at,
            never_expires="expires_at" in body.model_fields_set and body.expires_at is None,
            by_key=request.by_key,
        )
        new = await keys.get_api_key(change.conn, org_id=change.org_id, id=id)
        await change.audit("api_key", id, "update", changed_fields(old, new))
        return new

    return await request.change(work)


@ROUTES.add(
    "POST", "/v1/keys/{id}/rotate", permission="keys:write", response=CreatedKeyResponse, status=201, repeatable=False
)
async def rotate_key(request: ApiRequest, id: UUID, body: RotateKeyRequest) -> Response:
    """Replace a key by a new one; the old key stays valid during the overlap. An API key can rotate itself. It can also
    rotate a key that has a subset of its own permissions and expires no later than itself. The new key expires no later
    than the calling key, too."""
    key, peppers = make_key(API, request.settings.env), request.settings.peppers

    async def work(change: Transaction) -> CreatedKeyResponse:
        overlap = timedelta(seconds=body.overlap_seconds)
        new = await keys.rotate_api_key(
            change.conn,
            org_id=change.org_id,
            id=id,
            key_id=key.key_id,
            hash=key_hash(peppers, key.text),
            pepper_version=peppers.version,
            created_by=str(request.principal.id),
            by_key=request.by_key,
            overlap=overlap,
        )
        await change.audit("api_key", id, "rotate", {"replaced_by": {"new": str(new)}})
        return CreatedKeyResponse(id=new, key=key.text)

    return await request.change(work, status=201)


@ROUTES.add("DELETE", "/v1/keys/{id}", permission="keys:write", response=None, status=204)
async def revoke_key(request: ApiRequest, id: UUID) -> Response:
    """Revoke a key. An API key can only revoke keys that have a subset of its own permissions and expire no later than
    itself."""

    async def work(change: Transaction) -> None:
        if await keys.revoke_api_key(change.conn, org_id=change.org_id, id=id, by_key=request.by_key):
            await change.audit("api_key", id, "revoke")

    return await request.change(work, status=204)
