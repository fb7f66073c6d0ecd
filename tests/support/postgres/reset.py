"""Resets a test database: every row and every sequence becomes what it was in the template."""

from collections.abc import Iterator, Sequence

import psycopg

MAX_BYTES = 4 << 20  # of tables: dead rows of earlier tests make scans slow, so a bloated database is replaced

TABLES = """
select c.relname::text from pg_class c
where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
order by 1
"""
SEQUENCES = (
    "select relname::text from pg_class where relnamespace = 'tenuto'::regnamespace and relkind = 'S' order by 1"
)

EMPTY = """
create function pg_temp.empty() returns boolean language plpgsql as $$
declare
  v_written text[] := (select array_remove(array[{written}], null));
begin
  if (select sum(pg_relation_size(coalesce(i.inhrelid, c.oid)))
      from pg_class c left join pg_inherits i on i.inhparent = c.oid
      where c.relnamespace = 'tenuto'::regnamespace and c.relname = any (v_written)) > {max} then
    return false;
  end if;
  {steps}
  return true;
end
$$
"""


class DatabaseReset:
    """A connection that makes the rows of all tables what they are now, and the sequences too. With `kept` these tables
    stay as they are, and so do sequences: what is kept has their numbers."""

    def __init__(self, database: str, *, kept: Sequence[str] = (), max_bytes: int = MAX_BYTES) -> None:
        # Without triggers and foreign keys. A connection of its own, for to set this drops all plans of a session.
        self.db = psycopg.connect(database, autocommit=True, options="-c session_replication_role=replica")
        tables = [table for (table,) in self.db.execute(TABLES).fetchall() if table not in kept]
        seeded = {table: rows for table in tables if (rows := _rows(self.db, table)) is not None}
        written = [
            f"case when {_rows_of(table)} is distinct from '{seeded[table]}' then '{table}' end"
            if table in seeded
            else f"case when exists (select from tenuto.{table}) then '{table}' end"
            for table in tables
        ]
        steps = [
            f"if '{name}' = any (v_written) then {_restore(self.db, name, name in seeded)} end if;" for name in tables
        ]
        if not kept:
            steps += _restored_sequences(self.db)
        text = EMPTY.format(written=", ".join(written), max=max_bytes, steps="\n  ".join(steps))
        self.db.execute(text.encode())
        self.empty()

    def empty(self) -> bool:
        """False, and nothing done, when the rows are so many that a new database costs less."""
        return self.db.execute("select pg_temp.empty()").fetchone() == (True,)


def _restored_sequences(db: psycopg.Connection) -> Iterator[str]:
    for (name,) in db.execute(SEQUENCES).fetchall():
        value, called = db.execute(f"select last_value, is_called from tenuto.{name}".encode()).fetchone() or (1, False)
        yield f"perform setval('tenuto.{name}', {value}, {str(called).lower()});"


def _rows_of(table: str) -> str:
    return f"(select md5(string_agg(s::text, ' ' order by s::text)) from tenuto.{table} s)"


def _rows(db: psycopg.Connection, table: str) -> str | None:
    row = db.execute(f"select {_rows_of(table)}".encode()).fetchone()
    return row[0] if row else None


def _restore(db: psycopg.Connection, table: str, seeded: bool) -> str:
    delete = f"delete from tenuto.{table};"
    if not seeded:
        return delete
    db.execute(f"create temporary table seed_{table} as table tenuto.{table}".encode())
    return f"{delete} insert into tenuto.{table} overriding system value table pg_temp.seed_{table};"
