"""Side effects: one coroutine per public function in sql/outbox/."""

from datetime import timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_values, call_void, json_value
from tenuto.model.json import Json
from tenuto.model.outbox import Destination, DestinationSecret, Effect, FailedEffect, PublishedEffect


async def take_effects(
    conn: Conn, *, owner: str, kinds: list[str], limit: int, lease: timedelta, keys: list[str] | None = None
) -> list[Effect]:
    return await call(conn, "take_effects", Effect, owner=owner, kinds=kinds, limit=limit, lease=lease, keys=keys)


async def finish_effects(conn: Conn, *, owner: str, ids: list[int]) -> list[int]:
    return await call_values(conn, "finish_effects", owner=owner, ids=ids)


async def fail_effects(conn: Conn, *, owner: str, ids: list[int], errors: list[str]) -> list[FailedEffect]:
    return await call(conn, "fail_effects", FailedEffect, owner=owner, ids=ids, errors=errors)


async def drop_event(conn: Conn, *, owner: str, id: int, type: str) -> bool:
    return await call_value(conn, "drop_event", owner=owner, id=id, type=type)


async def replay_effects(
    conn: Conn, *, org_id: UUID, ids: list[int] | None = None, kind: str | None = None
) -> list[int]:
    return await call_values(conn, "replay_effects", org_id=org_id, ids=ids, kind=kind)


async def prune_effects(
    conn: Conn, *, keep: timedelta | None = None, limit: int | None = None, keys: list[str] | None = None
) -> int:
    return await call_value(conn, "prune_effects", keep=keep, limit=limit, keys=keys)


async def publish_effect(
    conn: Conn, *, org_id: UUID, kind: str, payload: Json, key: str | None = None
) -> PublishedEffect:
    return await call_one(
        conn, "publish_effect", PublishedEffect, org_id=org_id, kind=kind, payload=json_value(payload), key=key
    )


async def put_destination(
    conn: Conn, *, org_id: UUID, name: str, url: str, secret: bytes, openlineage: bool | None = None
) -> bool:
    return await call_value(
        conn, "put_destination", org_id=org_id, name=name, url=url, secret=secret, openlineage=openlineage
    )


async def rotate_destination(conn: Conn, *, org_id: UUID, name: str, secret: bytes) -> None:
    await call_void(conn, "rotate_destination", org_id=org_id, name=name, secret=secret)


async def delete_destination(conn: Conn, *, org_id: UUID, name: str) -> None:
    await call_void(conn, "delete_destination", org_id=org_id, name=name)


async def get_destination(conn: Conn, *, org_id: UUID, name: str) -> DestinationSecret:
    return await call_one(conn, "get_destination", DestinationSecret, org_id=org_id, name=name)


async def list_destinations(
    conn: Conn, *, org_id: UUID, after: str | None = None, limit: int | None = None
) -> list[Destination]:
    return await call(conn, "list_destinations", Destination, org_id=org_id, after=after, limit=limit)
