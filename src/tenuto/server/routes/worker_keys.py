"""Worker keys. A key is shown only when it is created."""

from datetime import timedelta
from uuid import UUID

from starlette.responses import Response

from tenuto.db import keys, workers
from tenuto.model.identity import WorkerKeyInfo
from tenuto.model.keys import WORKER, key_hash, make_key
from tenuto.server.http.pagination import page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.routes.keys import KeyFilter
from tenuto.server.schemas.base import Page
from tenuto.server.schemas.keys import CreatedKeyResponse, CreateWorkerKeyRequest, RotateKeyRequest

ROUTES = RouteTable("worker-keys")


@ROUTES.add("GET", "/v1/worker-keys", permission="keys:read", response=Page[WorkerKeyInfo])
async def list_worker_keys(request: ApiRequest, query: KeyFilter) -> object:
    """List the org's worker keys, newest first."""
    return page(await request.call_with(query, keys.list_worker_keys), query, "id")


@ROUTES.add(
    "POST", "/v1/worker-keys", permission="keys:write", response=CreatedKeyResponse, status=201, repeatable=False
)
async def create_worker_key(request: ApiRequest, body: CreateWorkerKeyRequest) -> Response:
    """Create a worker key. `key` is shown only in this response; an Idempotency-Key has no effect here. An API key that
    creates a worker key needs the permission `workers:write`, and must not expire before the worker key."""
    # A worker can read and complete tasks. So SQL requires that the calling API key (`by_key`) has workers:write.
    key, peppers = make_key(WORKER, request.settings.env), request.settings.peppers

    async def work(change: Transaction) -> CreatedKeyResponse:
        id = await keys.create_worker_key(
            change.conn,
            org_id=change.org_id,
            name=body.name,
            queues=body.queues,
            expires_at=body.expires_at,
            key_id=key.key_id,
            hash=key_hash(peppers, key.text),
            pepper_version=peppers.version,
            created_by=str(request.principal.id),
            by_key=request.by_key,
        )
        await change.audit("worker_key", id, "create", {"name": {"new": body.name}, "queues": {"new": body.queues}})
        return CreatedKeyResponse(id=id, key=key.text)

    return await request.change(work, status=201)


@ROUTES.add("GET", "/v1/worker-keys/{id}", permission="keys:read", response=WorkerKeyInfo)
async def get_worker_key(request: ApiRequest, id: UUID) -> object:
    """Get a worker key, without the key itself."""
    return await request.call(keys.get_worker_key, id=id)


@ROUTES.add(
    "POST",
    "/v1/worker-keys/{id}/rotate",
    permission="keys:write",
    response=CreatedKeyResponse,
    status=201,
    repeatable=False,
)
async def rotate_worker_key(request: ApiRequest, id: UUID, body: RotateKeyRequest) -> Response:
    """Replace a worker key by a new one; the old key stays valid during the overlap. An API key that rotates a worker
    key needs the permission `workers:write`, and must not expire before the worker key."""
    key, peppers = make_key(WORKER, request.settings.env), request.settings.peppers

    async def work(change: Transaction) -> CreatedKeyResponse:
        overlap = timedelta(seconds=body.overlap_seconds)
        new = await keys.rotate_worker_key(
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
        await change.audit("worker_key", id, "rotate", {"replaced_by": {"new": str(new)}})
        return CreatedKeyResponse(id=new, key=key.text)

    return await request.change(work, status=201)


@ROUTES.add("DELETE", "/v1/worker-keys/{id}", permission="keys:write", response=None, status=204)
async def revoke_worker_key(request: ApiRequest, id: UUID) -> Response:
    """Revoke a worker key. The sessions that were opened with it end, and the task tokens of their attempts are no
    longer valid. Other workers get the tasks. An API key that revokes a worker key needs the permission
    `workers:write`, and must not expire before the worker key."""

    async def work(change: Transaction) -> None:
        revoked = await keys.revoke_worker_key(change.conn, org_id=change.org_id, id=id, by_key=request.by_key)
        ended = await workers.end_key_sessions(change.conn, org_id=change.org_id, worker_key_id=id)
        if revoked:
            await change.audit("worker_key", id, "revoke", {"ended_sessions": {"new": ended}})

    return await request.change(work, status=204)
