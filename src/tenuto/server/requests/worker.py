"""Where the work of a worker's request is done: for the org of its key, and for sessions that the key opened."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Depends, Request

from tenuto.db import audit, keys, remote_workers
from tenuto.db.connection.call import Conn
from tenuto.db.connection.org_transactions import call_for, transaction_for
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.errors import Unauthorized
from tenuto.model.keys import WORKER, key_hashes, parse_key
from tenuto.model.principals import WorkerKeyPrincipal
from tenuto.server.auth.bearer import TooManyRequests, bearer, remember_principal, request_origin
from tenuto.server.settings import ServerSettings

T = TypeVar("T")
KEY_HINT = "send the header `Authorization: Bearer tnw_…` with a worker key"


@dataclass(frozen=True)
class WorkerRequest:
    """One request of one worker."""

    request: Request
    principal: WorkerKeyPrincipal
    pool: ConnectionPool
    settings: ServerSettings
    key: dict[str, Any]  # by which it is found

    async def ask(self, function: Callable[..., Awaitable[T]], **params: Any) -> T:
        """One call that knows keys and sessions itself, in one round trip."""
        who = self.principal
        timeout = self.settings.bulk_seconds
        return await call_for(self.pool, who.org_id, function, timeout=timeout, worker_key_id=who.id, **params)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Conn]:
        """Several calls for the key's org, all or none. The key may have been revoked while its body came."""
        async with self._transaction() as conn:
            await keys.find_worker_key(conn, **self.key)
            yield conn

    @asynccontextmanager
    async def session(self, session_id: int, token: UUID) -> AsyncIterator[Conn]:
        """The same for a session that is the key's own; another's is not there."""
        who = self.principal
        async with self._transaction() as conn:
            session = {"session_id": session_id, "token": token}
            await remote_workers.check_session(conn, org_id=who.org_id, worker_key_id=who.id, **session)
            yield conn

    async def note(self, conn: Conn, entity: str, entity_id: str, action: str, changes: dict[str, Any]) -> None:
        """An entry of the audit log, for what is not kept as a session or an attempt."""
        what: dict[str, Any] = {"entity": entity, "entity_id": entity_id, "action": action, "changes": changes}
        who = {"actor_kind": "worker_key", "actor_id": str(self.principal.id), **request_origin(self.request)}
        await audit.write_audit(conn, org_id=self.principal.org_id, **what, **who)

    def _transaction(self) -> AbstractAsyncContextManager[Conn]:
        return transaction_for(self.pool, self.principal.org_id, timeout=self.settings.bulk_seconds)


async def open_worker_desk(request: Request) -> WorkerRequest:
    """A desk for the worker whose key was sent; what cannot be a worker key costs no round trip."""
    pool, settings = request.app.state.pool, request.app.state.settings
    key = parse_key(bearer(request, KEY_HINT))
    if key is None:
        raise Unauthorized("the credential is not a worker key, or was mistyped", KEY_HINT)
    if key.kind != WORKER:
        raise Unauthorized("this is an API key (tn_…), which does not let in workers", KEY_HINT)
    found_by = {"key_id": key.key_id, "hashes": key_hashes(settings.peppers, key.text)}
    return WorkerRequest(request, await _admit(request, found_by, pool, settings), pool, settings, found_by)


async def _admit(
    request: Request, key: dict[str, Any], pool: ConnectionPool, settings: ServerSettings
) -> WorkerKeyPrincipal:
    limit = settings.worker_limit
    found = await pool.call(keys.admit_worker_key, **key, rate=float(limit.rate), burst=float(limit.burst))
    remember_principal(request, "worker_key", found.id)
    if not found.allowed:
        raise TooManyRequests(f"worker key {found.name!r}", found.retry_after)
    return WorkerKeyPrincipal(found.org_id, found.id, found.name, tuple(found.queues))


async def _desk(request: Request) -> WorkerRequest:
    return request.scope["tenuto.desk"]


AtWorkerDesk = Annotated[WorkerRequest, Depends(_desk)]
