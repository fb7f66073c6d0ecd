"""Side effects in tests: put some into the outbox, take them, read them."""

from typing import Any

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG, Db, call


def publish(db: Db, *payloads: object, kind: str = "deliver", org_id: object = DEFAULT_ORG) -> list[int]:
    """Effects as a completion leaves them; answers their ids."""
    db.execute("select tenuto._publish(%s, %s, %s)", [org_id, kind, [Jsonb(payload) for payload in payloads]])
    rows = db.execute("select id from tenuto.outbox order by id desc limit %s", [len(payloads)]).fetchall()
    return sorted(row[0] for row in rows)


def take(
    db: Db, owner: str = "one", *, kinds: tuple[str, ...] = ("deliver",), limit: int = 100, lease: str = "30 seconds"
) -> list[int]:
    rows = call(db, "take_effects", owner=owner, kinds=list(kinds), limit=limit, lease=lease)
    return sorted(row["id"] for row in rows)


def effect(db: Db, effect_id: int) -> dict[str, Any]:
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute("select * from tenuto.outbox where id = %s", [effect_id]).fetchone() or {}


def effects(db: Db) -> list[tuple[str, Any, str]]:
    """(kind, payload, status) of all, oldest first."""
    return db.execute("select kind, payload, status from tenuto.outbox order by id").fetchall()


def finish(db: Db, *ids: int, owner: str = "one") -> list[int]:
    return sorted(
        row["finish_effects"]
        for row in as_rows(call(db, "finish_effects", owner=owner, ids=list(ids)), "finish_effects")
    )


def fail(db: Db, *ids: int, owner: str = "one", error: str = "502") -> list[tuple[int, str]]:
    rows = call(db, "fail_effects", owner=owner, ids=list(ids), errors=[error] * len(ids))
    return sorted((row["id"], row["status"]) for row in rows)


def replay(db: Db, **values: object) -> list[int]:
    answer = call(db, "replay_effects", **{"org_id": DEFAULT_ORG, **values})
    return sorted(row["replay_effects"] for row in as_rows(answer, "replay_effects"))


def as_rows(answer: Any, name: str) -> list[dict[str, Any]]:
    """`call` answers a single value bare; a set of values has rows."""
    return answer if isinstance(answer, list) else [{name: answer}]


def wear_out(db: Db, *ids: int, owner: str = "one", times: int = 20) -> None:
    """Fail effects so often that the last time makes them dead letters."""
    for _ in range(times):
        db.execute("update tenuto.outbox set available_at = tenuto.now() where status = 'pending'")
        take(db, owner)
        fail(db, *ids, owner=owner)


def a_destination(
    db: Db,
    name: str = "crm",
    url: str = "https://crm.example/hook",
    *,
    secret: bytes = b"secret",
    org_id: object = DEFAULT_ORG,
) -> bool:
    """Declare a destination; answers whether it is new."""
    return call(db, "put_destination", org_id=org_id, name=name, url=url, secret=secret)


def end_leases_of_effects(db: Db) -> None:
    """End the leases of effects that dispatchers, or workers that are dispatchers too, held when they were killed."""
    db.execute("update tenuto.outbox set locked_until = tenuto.now() where status = 'processing'")
