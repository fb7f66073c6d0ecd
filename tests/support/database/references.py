"""Counts the rows of each table that still contain an id."""

from uuid import UUID

from tests.support.database.loops import count
from tests.support.database.tasks import Db

ID_COLUMNS = """
select t.relname::text, array_agg(c.attname::text)
from pg_class t
join pg_attribute c on c.attrelid = t.oid and c.atttypid = 'uuid'::regtype and not c.attisdropped
 and c.attname <> 'org_id'
where t.relnamespace = 'tenuto'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
  and t.relname not like 'test%%'
group by 1
"""


def count_references(db: Db, ids: list[UUID]) -> dict[str, int]:
    """How many rows of each table have one of the ids in some column."""
    found = {}
    for table, columns in db.execute(ID_COLUMNS, []).fetchall():
        where = " or ".join(f"{column} = any (%s)" for column in columns)
        found[table] = count(db, table, where, *[ids for _ in columns])
    return {table: n for table, n in found.items() if n}


def ids_of(db: Db, run_id: UUID) -> list[UUID]:
    """The run and its tasks."""
    rows = db.execute("select id from tenuto._run_tasks(%s)", [run_id]).fetchall()
    return [run_id, *(row[0] for row in rows)]
