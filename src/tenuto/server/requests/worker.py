"""A request of a worker. Calls SQL functions for the org of its worker key, and for sessions that were opened with this
key."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from tenuto.db import audit, remote_workers
from tenuto.db.connection.call import Conn
from tenuto.db.connection.pool import ConnectionPool, call_for, transaction_for
from tenuto.model.errors import Unauthorized
from tenuto.model.keys import WORKER, key_hashes, parse_key
from tenuto.model.principals import WorkerKeyPrincipal
from tenuto.server.http.request import HttpRequest
from tenuto.server.limits.rate_limits import TooManyRequests
from tenuto.server.settings import ServerSettings

T = TypeVar("T")
KEY_HINT = "send the header `Authorization: Bearer tnw_…` with a worker key"


@dataclass(frozen=True)
class PresentedKey:
    """The worker key of a request, as the database identifies it: the id, and the hash with each pepper."""

    key_id: str
    hashes: list[bytes]


@dataclass(frozen=True)
class WorkerRequest:
    """One request of one worker."""

    http: HttpRequest
    principal: WorkerKeyPrincipal
    pool: ConnectionPool
    settings: ServerSettings
    key: PresentedKey

    async def call(self, function: Callable[..., Awaitable[T]], **params: Any) -> T:
        """Call one SQL function that checks the key and the session itself, in one round trip."""
        principal = self.principal
        timeout = self.settings.bulk_seconds
        return await call_for(
            self.pool, principal.org_id, function, timeout=timeout, worker_key_id=principal.id, **params
        )

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Conn]:
        """Open a transaction for the key's org. Checks the key again, because it may have been revoked while the body
        arrived."""
        async with self._transaction() as conn:
            await remote_workers.find_worker_key(conn, key_id=self.key.key_id, hashes=self.key.hashes)
            yield conn

    @asynccontextmanager
    async def session(self, session_id: int, token: UUID) -> AsyncGenerator[Conn]:
        """Open a transaction for a session that was opened with this key; raises NotFound for any other session."""
        principal = self.principal
        async with self._transaction() as conn:
            await remote_workers.check_session(
                conn, org_id=principal.org_id, worker_key_id=principal.id, session_id=session_id, token=token
            )
            yield conn

    async def audit(self, conn: Conn, entity: str, entity_id: str, action: str, changes: dict[str, Any]) -> None:
        """Write an audit entry, for a change that is not recorded in a session or an attempt."""
        origin = self.http.origin()
        await audit.write_audit(
            conn,
            org_id=self.principal.org_id,
            entity=entity,
            entity_id=entity_id,
            action=action,
            actor_kind="worker_key",
            actor_id=str(self.principal.id),
            changes=changes,
            ip=origin.ip,
            user_agent=origin.user_agent,
            request_id=origin.request_id,
        )

    def _transaction(self) -> AbstractAsyncContextManager[Conn]:
        return transaction_for(self.pool, self.principal.org_id, timeout=self.settings.bulk_seconds)


async def open_worker_request(request: HttpRequest) -> WorkerRequest:
    """Authenticates the worker by its key and returns its WorkerRequest. Raises Unauthorized for an invalid key; a
    malformed key is refused without a round trip."""
    pool, settings = request.server.pool, request.server.settings
    key = parse_key(request.bearer(KEY_HINT))
    if key is None:
        raise Unauthorized("the credential is not a valid worker key", KEY_HINT)
    if key.kind != WORKER:
        raise Unauthorized("this is an API key (tn_…), which is not valid for workers", KEY_HINT)
    presented = PresentedKey(key.key_id, key_hashes(settings.peppers, key.text))
    return WorkerRequest(request, await _admit(request, presented, pool, settings), pool, settings, presented)


async def _admit(
    request: HttpRequest, key: PresentedKey, pool: ConnectionPool, settings: ServerSettings
) -> WorkerKeyPrincipal:
    limit = settings.worker_limit
    admitted = await pool.call(
        remote_workers.admit_worker_key,
        key_id=key.key_id,
        hashes=key.hashes,
        rate=float(limit.rate),
        burst=float(limit.burst),
    )
    request.record.principal = ("worker_key", admitted.id)
    if not admitted.allowed:
        raise TooManyRequests(f"worker key {admitted.name!r}", admitted.retry_after)
    return WorkerKeyPrincipal(admitted.org_id, admitted.id, admitted.name, tuple(admitted.queues))
