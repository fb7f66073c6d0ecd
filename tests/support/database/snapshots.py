"""What all tables of a database hold, to compare it with later."""

from tests.support.database.tasks import Db

TABLES = """
select c.oid::regclass::text
from pg_class c
where c.relnamespace in ('tenuto'::regnamespace, 'tenuto_data'::regnamespace) and c.relkind in ('r', 'p')
  and not c.relispartition
order by 1
"""


def snapshot(db: Db) -> dict[str, tuple[int, str]]:
    """The number of rows of each table, and a checksum of them."""
    found: dict[str, tuple[int, str]] = {}
    for (table,) in db.execute(TABLES).fetchall():
        statement = f"select count(*), coalesce(sum(hashtextextended(t::text, 0)), 0)::text from {table} t"
        (found[table],) = db.execute(statement.encode()).fetchall()
    return found
