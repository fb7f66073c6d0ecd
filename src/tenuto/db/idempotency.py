"""Idempotency keys of requests: one coroutine per public function about them in sql/identity/."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call_one, call_void, json_value
from tenuto.model.identity import BegunRequest
from tenuto.model.json import Json


async def begin_request(conn: Conn, *, org_id: UUID, actor: str, key: str, request_hash: bytes) -> BegunRequest:
    return await call_one(
        conn, "begin_request", BegunRequest, org_id=org_id, actor=actor, key=key, request_hash=request_hash
    )


async def finish_request(conn: Conn, *, org_id: UUID, actor: str, key: str, status: int, response: Json) -> None:
    await call_void(
        conn, "finish_request", org_id=org_id, actor=actor, key=key, status=status, response=json_value(response)
    )
