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
from tenuto.db.connection.pool import Pool
from tenuto.model.errors import Unauthorized
from tenuto.model.keys import WORKER, key_hashes, parse_key
from tenuto.model.principals import WorkerKey
from tenuto.server.auth.bearer import TooSoon, bearer, notice, seen
from tenuto.server.settings import ServerSettings

T = TypeVar("T")
SAY_KEY = "send the header `Authorization: Bearer tnw_…` with a worker key"


@dataclass(frozen=True)
class WorkerDesk:
    """One request of one worker."""

    request: Request
    principal: WorkerKey
    pool: Pool
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
        who = {"actor_kind": "worker_key", "actor_id": str(self.principal.id), **seen(self.request)}
        await audit.write_audit(conn, org_id=self.principal.org_id, **what, **who)

    def _transaction(self) -> AbstractAsyncContextManager[Conn]:
        return transaction_for(self.pool, self.principal.org_id, timeout=self.settings.bulk_seconds)


async def open_worker_desk(request: Request) -> WorkerDesk:
    """A desk for the worker whose key was sent; what cannot be a worker key costs no round trip."""
    pool, settings = request.app.state.pool, request.app.state.settings
    key = parse_key(bearer(request, SAY_KEY))
    if key is None:
        raise Unauthorized("the credential is not a worker key, or was mistyped", SAY_KEY)
    if key.kind != WORKER:
        raise Unauthorized("this is an API key (tn_…), which does not let in workers", SAY_KEY)
    found_by = {"key_id": key.key_id, "hashes": key_hashes(settings.peppers, key.text)}
    return WorkerDesk(request, await _admit(request, found_by, pool, settings), pool, settings, found_by)


async def _admit(request: Request, key: dict[str, Any], pool: Pool, settings: ServerSettings) -> WorkerKey:
    limit = settings.worker_limit
    found = await pool.call(keys.admit_worker_key, **key, rate=float(limit.rate), burst=float(limit.burst))
    notice(request, "worker_key", found.id)
    if not found.allowed:
        raise TooSoon(f"worker key {found.name!r}", found.retry_after)
    return WorkerKey(found.org_id, found.id, found.name, tuple(found.queues))


async def _desk(request: Request) -> WorkerDesk:
    return request.scope["tenuto.desk"]


AtWorkerDesk = Annotated[WorkerDesk, Depends(_desk)]
