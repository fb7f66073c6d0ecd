"""A request with an API key or a login. Calls SQL functions for the caller's org only, and writes an audit entry in the
transaction of each change."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar
from uuid import UUID

from pydantic_core import to_jsonable_python
from starlette.responses import JSONResponse, Response

from tenuto.db import audit, idempotency
from tenuto.db.connection.call import Actor, Conn
from tenuto.db.connection.pool import ConnectionPool, call_for, transaction_for
from tenuto.model.principals import ApiKeyPrincipal, UserPrincipal
from tenuto.server.http.pagination import Conditions, Query
from tenuto.server.http.request import HttpRequest, in_thread_if_large
from tenuto.server.settings import ServerSettings

T = TypeVar("T")


@dataclass(frozen=True)
class Transaction:
    """A transaction of one request: its calls and audit entries are committed together or not at all."""

    conn: Conn
    request: "ApiRequest"

    @property
    def org_id(self) -> UUID:
        return self.request.principal.org_id

    async def audit(self, entity: str, entity_id: object, action: str, changes: dict[str, Any] | None = None) -> None:
        """Write an entry to the audit log; `changes` are {field: {old, new}}."""
        principal, origin = self.request.principal, self.request.http.origin()
        await audit.write_audit(
            self.conn,
            org_id=self.org_id,
            entity=entity,
            entity_id=str(entity_id),
            action=action,
            actor_kind=principal.kind,
            actor_id=str(principal.id),
            changes=changes,
            ip=origin.ip,
            user_agent=origin.user_agent,
            request_id=origin.request_id,
        )

    async def audit_many(self, entity: str, ids: list[UUID], action: str, new: dict[str, Any]) -> None:
        """Write one entry for several entities, with their number and the first ten ids. Writes nothing if `ids` is
        empty. `_audit_many` does the same for direct clients."""
        if len(ids) > 1:
            new = {**new, f"{entity}s": len(ids), "first_ids": [str(id) for id in ids[:10]]}
        if ids:
            what = f"{ids[0]} and {len(ids) - 1} more" if len(ids) > 1 else ids[0]
            changes = {field: {"new": value} for field, value in new.items() if value is not None}
            await self.audit(entity, what, action, changes or None)


@dataclass(frozen=True)
class ApiRequest:
    """One request of one principal."""

    http: HttpRequest
    principal: ApiKeyPrincipal | UserPrincipal
    pool: ConnectionPool
    settings: ServerSettings
    actor: Actor
    idempotency_key: str | None  # the header `Idempotency-Key`, if one was sent and the route is repeatable

    @property
    def by_key(self) -> UUID | None:
        """The id of the caller's API key, whose permissions limit what the caller can do in SQL; None for a user."""
        return self.principal.id if isinstance(self.principal, ApiKeyPrincipal) else None

    @property
    def by_user(self) -> UUID | None:
        return self.principal.id if isinstance(self.principal, UserPrincipal) else None

    async def call(self, function: Callable[..., Awaitable[T]], **params: Any) -> T:
        """Call one SQL function that only reads, in one round trip."""
        timeout = self.settings.statement_seconds
        return await call_for(self.pool, self.principal.org_id, function, timeout=timeout, actor=self.actor, **params)

    async def call_with(self, query: Query | Conditions, function: Callable[..., Awaitable[T]], **params: object) -> T:
        """Call one SQL function that only reads, with the query parameters of the request."""
        return await self.call(function, **query.params(), **params)

    async def read(self, work: Callable[..., Awaitable[T]], **params: Any) -> T:
        """Run several calls, or a call of a function without the parameter org_id, in one transaction."""
        timeout = self.settings.statement_seconds
        async with transaction_for(self.pool, self.principal.org_id, timeout=timeout, actor=self.actor) as conn:
            return await work(conn, org_id=self.principal.org_id, **params)

    async def check(self) -> None:
        """Checks in the database that the credential is still valid, for requests that make no other database call. An
        API key with prepaid rate-limit tokens (PrepaidTokens) was admitted without such a check."""
        await self.read(_nothing)

    async def change(
        self,
        work: Callable[[Transaction], Awaitable[Any]],
        *,
        status: int | Callable[[Any], int] = 200,
        seconds: float | None = None,
    ) -> Response:
        """Do the work in one transaction. `status` is the status of the response, or a function that returns it for the
        result of the work. A request with the same `Idempotency-Key` within a day gets the first response again."""
        timeout = seconds or self.settings.statement_seconds
        key = self.idempotency_key
        # Read the body before taking a connection: it may arrive slowly.
        request_hash = None if key is None else await self._hash()
        async with transaction_for(self.pool, self.principal.org_id, timeout=timeout, actor=self.actor) as conn:
            change = Transaction(conn, self)
            actor = str(self.principal.id)
            if key is not None and request_hash is not None:
                begun = await idempotency.begin_request(
                    conn, org_id=change.org_id, actor=actor, key=key, request_hash=request_hash
                )
                if not begun.is_new:
                    return _response(begun.response, begun.status or 200, {"Idempotency-Replayed": "true"})
            result = await work(change)
            content = None if result is None else to_jsonable_python(result)
            status = status if isinstance(status, int) else status(result)
            if key is not None:
                await idempotency.finish_request(
                    conn, org_id=change.org_id, actor=actor, key=key, status=status, response=content
                )
        return _response(content, status, {})

    async def audited_call(
        self, entity: str, entity_id: str, action: str, function: Callable[..., Awaitable[None]], **params: Any
    ) -> Response:
        """Call one SQL function that changes something, and write its entry to the audit log."""

        async def work(change: Transaction) -> None:
            await function(change.conn, org_id=change.org_id, **params)
            reason = params.get("reason")
            await change.audit(entity, entity_id, action, {"reason": {"new": reason}} if reason else None)

        return await self.change(work, status=204)

    async def _hash(self) -> bytes:
        head = f"{self.http.method} {self.http.url.path}?{self.http.url.query}\n".encode()
        body = await self.http.body()
        return await in_thread_if_large(body, lambda: sha256(head + body).digest())


async def _nothing(conn: Conn, *, org_id: UUID) -> None:
    """Does nothing: opening the transaction already checks the credential."""


def _response(content: Any, status: int, headers: dict[str, str]) -> Response:
    return Response(None, status, headers) if content is None else JSONResponse(content, status, headers)
