"""Tasks under concurrency limits."""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from tests.support.database.loops import value
from tests.support.database.tasks import Db, start

USED = """
select count(*) from tenuto.limit_slots s join tenuto.limits l on l.id = s.limit_id where l.key = %s
"""
READY_OR_RUNNING = """
select count(*)
from (select id from tenuto.ready_tasks union all select id from tenuto.running_tasks) o
join tenuto.tasks t on t.id = o.id
where t.limits @> jsonb_build_array(jsonb_build_object('key', %s::text))
"""

INSERT = """
insert into tenuto.limits (id, org_id, scope, key, size)
values (tenuto._limit_id(%(org_id)s, 'key', %(key)s), %(org_id)s, 'key', %(key)s, %(size)s)
"""


def a_key(key: str, size: int) -> dict[str, Any]:
    return {"scope": "key", "key": key, "size": size}


def a_queue(queue: str, size: int) -> dict[str, Any]:
    return {"scope": "queue", "key": queue, "size": size}


def a_rate(key: str, size: int, seconds: float) -> dict[str, Any]:
    return {"scope": "rate", "key": key, "size": size, "seconds": seconds}


def start_limited(db: Db, tasks: int, *limits: dict[str, Any], kind: dict[str, Any] | None = None) -> list[UUID]:
    """Runs of one task each, all under the same limits."""
    details = [{"task": i, "limits": list(limits)} for i in range(tasks)]
    return start(db, *range(tasks), kind={"backoff_seconds": 0, **(kind or {})}, details=Jsonb(details))


def insert_limit(db: Db, org_id: UUID, key: str, *, size: int) -> None:
    """Add a limit by key, without a task that needs it."""
    db.execute(INSERT, {"org_id": org_id, "key": key, "size": size})


def used(db: Db, key: str) -> int:
    """How many slots of the limit are taken."""
    return value(db, USED, key)


def admitted(db: Db, key: str) -> int:
    """How many tasks under the limit are ready or running."""
    return value(db, READY_OR_RUNNING, key)
