"""Vacuums the tables in which rows are inserted and deleted all the time. Such a table is slow until its deleted rows
are vacuumed."""

from psycopg import sql

from tenuto.db.connection.call import Conn

HOT_TABLES = (
    "ready_tasks",
    "running_tasks",
    "pending_tasks",
    "delayed_tasks",
    "waiting_tasks",
    "run_counts",
    "arrivals",
)
MIN_DEAD_ROWS = 1000  # with fewer dead rows, queries that skip them cost less than a vacuum

# Before Postgres 17, only the owner can vacuum a table. Since then, roles with the MAINTAIN privilege can too.
MAY_VACUUM = (
    "case when current_setting('server_version_num')::int >= 170000"
    " then has_table_privilege(c.oid, 'MAINTAIN') else pg_has_role(c.relowner, 'USAGE') end"
)


async def vacuum_hot_tables(conn: Conn) -> int:
    """Vacuum those of the tables that have many dead rows and that this login may vacuum. Returns how many dead rows
    these tables had."""
    cursor = await conn.execute(
        "select c.relname::text, pg_stat_get_dead_tuples(c.oid) from pg_class c"
        " where c.relnamespace = 'tenuto'::regnamespace and c.relname = any (%s)"
        f" and pg_stat_get_dead_tuples(c.oid) >= %s and {MAY_VACUUM} order by 1",
        [list(HOT_TABLES), MIN_DEAD_ROWS],
    )
    dirty: list[tuple[str, int]] = await cursor.fetchall()
    for table, _ in dirty:
        # Do not truncate the table (give pages back to the operating system): the next burst needs the pages, and the
        # lock for truncating would block all other calls.
        vacuum = sql.SQL("vacuum (skip_locked, truncate false) {}").format(sql.Identifier("tenuto", table))
        await conn.execute(vacuum)
    return sum(dead for _, dead in dirty)
