"""Vacuums the hot tables: a queue table is slow until the rows it deleted are vacuumed."""

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
MIN_DEAD_ROWS = 1000  # with fewer, skipping dead rows costs less than a vacuum

# Before Postgres 17 only owners can vacuum; since then also roles with the MAINTAIN privilege.
MAY_VACUUM = (
    "case when current_setting('server_version_num')::int >= 170000"
    " then has_table_privilege(c.oid, 'MAINTAIN') else pg_has_role(c.relowner, 'USAGE') end"
)


async def vacuum_hot_tables(conn: Conn) -> int:
    """Vacuum the hot tables that have many dead rows and that this login may vacuum; return the number of dead rows."""
    cursor = await conn.execute(
        "select c.relname::text, pg_stat_get_dead_tuples(c.oid) from pg_class c"
        " where c.relnamespace = 'tenuto'::regnamespace and c.relname = any (%s)"
        f" and pg_stat_get_dead_tuples(c.oid) >= %s and {MAY_VACUUM} order by 1",
        [list(HOT_TABLES), MIN_DEAD_ROWS],
    )
    dirty: list[tuple[str, int]] = await cursor.fetchall()
    for table, _ in dirty:
        # Pages are not returned to the system: the next burst needs them, and the lock for it would block everything.
        vacuum = sql.SQL("vacuum (skip_locked, truncate false) {}").format(sql.Identifier("tenuto", table))
        await conn.execute(vacuum)
    return sum(dead for _, dead in dirty)
