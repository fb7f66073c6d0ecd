"""API keys: made, listed, replaced, revoked. A key is shown once, and nobody makes one that may more than they."""

from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response

from tenuto.db import keys
from tenuto.model.errors import Forbidden
from tenuto.model.keys import API, key_hash, make_key
from tenuto.model.permissions import EVERYTHING, beyond, check_permissions
from tenuto.server.answers import Page
from tenuto.server.bodies import NewKey, Rotation
from tenuto.server.care_answers import KeyLine, MadeKey
from tenuto.server.desk import AtDesk, Change
from tenuto.server.paging import Filter, page
from tenuto.server.routing import Routes

ROUTES = Routes("keys")


class KeyFilter(Filter):
    """Newest first, before an id."""

    before: UUID | None = None


@ROUTES.add("GET", "/v1/keys", permission="keys:read", answer=Page[KeyLine])
async def list_keys(desk: AtDesk, asked: Annotated[KeyFilter, Query()]) -> Any:
    """The org's API keys, newest first."""
    return page(await desk.ask(keys.list_api_keys, **asked.model_dump()), asked, "id")


@ROUTES.add("POST", "/v1/keys", permission="keys:write", answer=MadeKey, status=201)
async def create_key(desk: AtDesk, body: NewKey) -> Response:
    """A new API key. `key` is shown in this answer and nowhere else; an Idempotency-Key is not honoured here."""
    check_permissions(body.permissions)
    if more := beyond(desk.principal.permissions, body.permissions):
        raise Forbidden(f"{', '.join(more)} is more than who asks may", "ask for what your own key has")
    key, peppers = make_key(API, desk.settings.env), desk.settings.peppers
    made = {"key_id": key.key_id, "hash": key_hash(peppers, key.text), "pepper_version": peppers.version}

    async def work(change: Change) -> MadeKey:
        said = {"name": body.name, "permissions": body.permissions, "expires_at": body.expires_at}
        id = await change.do(keys.create_api_key, **made, **said, created_by=str(desk.principal.id))
        changes = {"name": {"new": body.name}, "permissions": {"new": body.permissions}}
        await change.note("api_key", id, "create", changes)
        return MadeKey(id=id, key=key.text)

    return await desk.change(work, status=201, repeatable=False)


@ROUTES.add("POST", "/v1/keys/{id}/rotate", permission="keys:write", answer=MadeKey, status=201)
async def rotate_key(desk: AtDesk, id: UUID, body: Rotation) -> Response:
    """A new key in place of this one, which stays good for the overlap."""
    if id != desk.principal.id and not desk.principal.may(EVERYTHING):
        raise Forbidden("another key than one's own is rotated by who may everything", "create a new key instead")
    key, peppers = make_key(API, desk.settings.env), desk.settings.peppers
    made = {"key_id": key.key_id, "hash": key_hash(peppers, key.text), "pepper_version": peppers.version}

    async def work(change: Change) -> MadeKey:
        overlap = timedelta(seconds=body.overlap_seconds)
        new = await change.do(keys.rotate_api_key, id=id, **made, created_by=str(desk.principal.id), overlap=overlap)
        await change.note("api_key", id, "rotate", {"replaced_by": {"new": str(new)}})
        return MadeKey(id=new, key=key.text)

    return await desk.change(work, status=201, repeatable=False)


@ROUTES.add("DELETE", "/v1/keys/{id}", permission="keys:write", answer=None, status=204)
async def revoke_key(desk: AtDesk, id: UUID) -> Response:
    """The key lets nobody in from now on."""

    async def work(change: Change) -> None:
        await change.do(keys.revoke_api_key, id=id)
        await change.note("api_key", id, "revoke")

    return await desk.change(work, status=204)
