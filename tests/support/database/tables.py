"""A DAG whose datasets are stored in Postgres, and the rows that its attempts stage and read."""

from typing import Any

from psycopg.types.json import Jsonb

from tenuto.model.jobs import staging_prefix
from tests.support.database.tasks import Claim, Db, Worker, call

COLUMNS = [{"name": "id", "type": "BIGINT", "not_null": True}, {"name": "note", "type": "VARCHAR"}]
KEY = {"partition": {"kind": "key", "column": "id"}}
# A source that appends to a table, and a job that reads it.
LEDGER: dict[str, Any] = {
    "name": "ledger",
    "jobs": [
        {
            "name": "collect",
            "activation": "source",
            "operator": "python",
            "source": {"kind": "manual"},
            "config": {"task": "jobs.bookings"},
            "update_strategy": "append",
            "unique_key": ["id"],
            "outputs": [{"dataset": "bookings", "storage": {"kind": "postgres"}, **KEY, "columns": COLUMNS}],
        },
        {
            "name": "sum",
            "activation": "reactive",
            "operator": "sql",
            "execution_strategy": "PerPartition",
            "inputs": [{"from": {"dataset": "bookings"}}],
            "config": {"sql": "select id, note from bookings order by id"},
            "outputs": [{"dataset": "sums", "storage": {"kind": "postgres"}, "columns": COLUMNS}],
        },
    ],
}


def fence(worker: Worker, claim: Claim) -> dict[str, Any]:
    return {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt}


def location_of(claim: Claim, partition: str | None = None, output: int = 0) -> str:
    root = claim.input["job"]["outputs"][output]["location"]
    return staging_prefix(root, partition, str(claim.task_id), claim.attempt)


def stage(worker: Worker, claim: Claim, rows: object, partition: str | None = None, page: int = 0, **more: Any) -> None:
    """Stages a page of rows of the first output, as `ctx.write` does."""
    fields = {"output": 0, "location": location_of(claim, partition), "page": page, "rows": Jsonb(rows), **more}
    call(worker.db, "stage_rows", **fence(worker, claim), **fields)


def read(worker: Worker, claim: Claim, location: str, page: int = 0, input: int = 0) -> tuple[list[Any], int]:
    """A page of rows of an input, and the number of pages."""
    (row,) = call(worker.db, "read_rows", **fence(worker, claim), input=input, location=location, page=page)
    return row["rows"], row["pages"]


def tables(db: Db) -> list[str]:
    found = db.execute("select relname::text from pg_class where relnamespace = 'tenuto_data'::regnamespace"
                       " and relkind = 'r' order by 1").fetchall()  # fmt: skip
    return [name for (name,) in found]
