"""Values and names at their bounds, and every table a start could write when one exceeds them."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from tests.support.database.tasks import Claim, Db, Worker, a_worker, start_one

MEGABYTE = 1_048_576
TABLES = (
    "select c.relname::text from pg_class c where c.relnamespace = 'tenuto'::regnamespace"
    " and c.relkind in ('r', 'p') and not c.relispartition and c.relname !~ '^test_' order by 1"
)


@dataclass(frozen=True)
class Scene:
    """A worker that holds the task of an open run."""

    db: Db
    worker: Worker
    claim: Claim

    @property
    def run_id(self) -> UUID:
        return self.claim.run_id

    @property
    def fence(self) -> dict[str, Any]:
        return {**self.worker.fence, "task_id": self.claim.task_id, "attempt": self.claim.attempt}


def a_scene(db: Db) -> Scene:
    start_one(db)
    worker = a_worker(db)
    return Scene(db, worker, worker.claim_one())


def json_of(db: Db, size: int, wrap: Callable[[str], Any] = str) -> Any:
    """What `wrap` makes of a text, so long that the kernel stores `size` bytes."""

    def measure(value: Any) -> int:
        row = db.execute("select pg_column_size(%s::jsonb)", [Jsonb(value)]).fetchone()
        assert row
        return row[0]

    value = wrap("x" * (4096 + size - measure(wrap("x" * 4096))))
    assert measure(value) == size
    return value


def everything(db: Db) -> dict[str, int]:
    """A digest of every table: what it was before is what it is after, if nothing was written."""
    digests = {}
    for (table,) in db.execute(TABLES).fetchall():
        rows = db.execute(f"select t::text from tenuto.{table} t order by 1".encode()).fetchall()
        digests[table] = zlib.crc32(repr(rows).encode())
    return digests
