"""Side effects: one coroutine per public function in sql/outbox/."""

from datetime import timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_value, call_values
from tenuto.model.outbox import Effect, FailedEffect


async def take_effects(
    conn: Conn, *, owner: str, kinds: list[str], limit: int, lease: timedelta, keys: list[str] | None = None
) -> list[Effect]:
    return await call(conn, "take_effects", Effect, owner=owner, kinds=kinds, limit=limit, lease=lease, keys=keys)


async def finish_effects(conn: Conn, *, owner: str, ids: list[int]) -> list[int]:
    return await call_values(conn, "finish_effects", owner=owner, ids=ids)


async def fail_effects(conn: Conn, *, owner: str, ids: list[int], errors: list[str]) -> list[FailedEffect]:
    return await call(conn, "fail_effects", FailedEffect, owner=owner, ids=ids, errors=errors)


async def replay_effects(
    conn: Conn, *, org_id: UUID, ids: list[int] | None = None, kind: str | None = None
) -> list[int]:
    return await call_values(conn, "replay_effects", org_id=org_id, ids=ids, kind=kind)


async def prune_effects(
    conn: Conn, *, keep: timedelta | None = None, limit: int | None = None, keys: list[str] | None = None
) -> int:
    return await call_value(conn, "prune_effects", keep=keep, limit=limit, keys=keys)
