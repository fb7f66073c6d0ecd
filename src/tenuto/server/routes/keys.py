"""API keys: made, listed, replaced, revoked. A key is shown once, and none makes or ends one that may more than it."""

from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response

from tenuto.db import keys
from tenuto.model.keys import API, key_hash, make_key
from tenuto.model.permissions import check_permissions
from tenuto.model.principals import ApiKeyPrincipal
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.routing import RouteTable
from tenuto.server.requests.api import AtDesk, Transaction
from tenuto.server.schemas.base import Page
from tenuto.server.schemas.keys import ApiKeyResponse, CreatedKeyResponse, CreateKeyRequest, RotateKeyRequest

ROUTES = RouteTable("keys")


class KeyFilter(Filter):
    """Newest first, before an id."""

    before: UUID | None = None


@ROUTES.add("GET", "/v1/keys", permission="keys:read", answer=Page[ApiKeyResponse])
async def list_keys(desk: AtDesk, asked: Annotated[KeyFilter, Query()]) -> Any:
    """The org's API keys, newest first."""
    return page(await desk.ask(keys.list_api_keys, **asked.model_dump()), asked, "id")


@ROUTES.add("POST", "/v1/keys", permission="keys:write", answer=CreatedKeyResponse, status=201)
async def create_key(desk: AtDesk, body: CreateKeyRequest) -> Response:
    """A new API key. `key` is shown in this answer and nowhere else; an Idempotency-Key is not honoured here.
    A key that asks makes one that may no more, and lives no longer, than itself."""
    check_permissions(body.permissions)
    key, peppers = make_key(API, desk.settings.env), desk.settings.peppers
    made = {"key_id": key.key_id, "hash": key_hash(peppers, key.text), "pepper_version": peppers.version}

    async def work(change: Transaction) -> CreatedKeyResponse:
        said = {"name": body.name, "permissions": body.permissions, "expires_at": body.expires_at}
        id = await change.do(keys.create_api_key, **made, **said, **asker(desk))
        changes = {"name": {"new": body.name}, "permissions": {"new": body.permissions}}
        await change.note("api_key", id, "create", changes)
        return CreatedKeyResponse(id=id, key=key.text)

    return await desk.change(work, status=201, repeatable=False)


@ROUTES.add("POST", "/v1/keys/{id}/rotate", permission="keys:write", answer=CreatedKeyResponse, status=201)
async def rotate_key(desk: AtDesk, id: UUID, body: RotateKeyRequest) -> Response:
    """A new key in place of this one, which stays good for the overlap. A key that asks rotates itself, or another that
    may no more and lives no longer; the new one lives no longer either."""
    key, peppers = make_key(API, desk.settings.env), desk.settings.peppers
    made = {"key_id": key.key_id, "hash": key_hash(peppers, key.text), "pepper_version": peppers.version}

    async def work(change: Transaction) -> CreatedKeyResponse:
        overlap = timedelta(seconds=body.overlap_seconds)
        new = await change.do(keys.rotate_api_key, id=id, **made, **asker(desk), overlap=overlap)
        await change.note("api_key", id, "rotate", {"replaced_by": {"new": str(new)}})
        return CreatedKeyResponse(id=new, key=key.text)

    return await desk.change(work, status=201, repeatable=False)


@ROUTES.add("DELETE", "/v1/keys/{id}", permission="keys:write", answer=None, status=204)
async def revoke_key(desk: AtDesk, id: UUID) -> Response:
    """The key lets nobody in from now on. A key that asks ends one that may no more and lives no longer."""

    async def work(change: Transaction) -> None:
        if await change.do(keys.revoke_api_key, id=id, by_key=key_of(desk)):
            await change.note("api_key", id, "revoke")

    return await desk.change(work, status=204)


def key_of(desk: AtDesk) -> UUID | None:
    """The key that asks, whose reach bounds what it may do to others; None for a person."""
    return desk.principal.id if isinstance(desk.principal, ApiKeyPrincipal) else None


def asker(desk: AtDesk) -> dict[str, Any]:
    """Who asks for a new key."""
    return {"created_by": str(desk.principal.id), "by_key": key_of(desk)}
