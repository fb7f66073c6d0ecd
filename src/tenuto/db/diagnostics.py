"""Queries for `tenuto doctor`: the settings, roles and most written tables of a database server. Changes nothing."""

from dataclasses import dataclass
from typing import Any, LiteralString

from tenuto.db.connection.call import Conn
from tenuto.db.install.roles import ROLES
from tenuto.db.vacuum import HOT_TABLES, MAY_VACUUM


@dataclass(frozen=True)
class HotTable:
    """A table in which rows are inserted and deleted all the time."""

    name: str
    live_rows: int
    dead_rows: int
    megabytes: float
    may_vacuum: bool


@dataclass(frozen=True)
class Diagnostics:
    """The state of a database server."""

    login: str
    missing_roles: list[str]
    roles: list[str]  # roles whose rights this login has
    settings: dict[str, str]
    connections: int
    oldest_transaction: float  # its age in seconds; vacuum cannot remove rows that were deleted since
    held_by: str | None
    hot_tables: list[HotTable]
    audit_entries: int  # of all orgs, as estimated by the last vacuum or analyze
    audit_megabytes: float


async def check_up(conn: Conn) -> Diagnostics:
    (login,) = await _one(conn, "select session_user::text")
    present = {row[0]: row[1] for row in await _all(conn, ROLES_OF, [list(ROLES)])}
    settings = dict(await _all(conn, "select name, setting from pg_settings where name = any (%s)", [list(SETTINGS)]))
    (connections,) = await _one(conn, "select count(*) from pg_stat_activity where backend_type = 'client backend'")
    oldest = await _all(conn, OLDEST, [])
    hot = await _all(conn, HOT_TABLE_SIZES, [list(HOT_TABLES)])
    (audit_entries, audit_megabytes) = await _one(conn, AUDIT_SIZE)
    return Diagnostics(
        login=login,
        missing_roles=[role for role in ROLES if role not in present],
        roles=[role for role, usable in present.items() if usable],
        settings=settings,
        connections=connections,
        oldest_transaction=oldest[0][0] if oldest else 0.0,
        held_by=oldest[0][1] if oldest else None,
        hot_tables=[HotTable(*row) for row in hot],
        audit_entries=audit_entries,
        audit_megabytes=audit_megabytes,
    )


SETTINGS = ("fsync", "synchronous_commit", "full_page_writes", "autovacuum", "max_connections", "track_counts")

ROLES_OF = "select r.rolname::text, pg_has_role(r.oid, 'USAGE') from pg_roles r where r.rolname = any (%s) order by 1"

OLDEST = """
select extract(epoch from clock_timestamp() - xact_start)::float8,
       format('process %s of %s, %s', pid, usename, coalesce(nullif(application_name, ''), 'unnamed'))
from pg_stat_activity
where xact_start is not null and backend_type = 'client backend' and pid <> pg_backend_pid()
order by xact_start
limit 1
"""

HOT_TABLE_SIZES = f"""
select c.relname::text, coalesce(s.n_live_tup, 0), coalesce(s.n_dead_tup, 0),
       pg_total_relation_size(c.oid) / 1048576.0::float8, {MAY_VACUUM}
from pg_class c
left join pg_stat_user_tables s on s.relid = c.oid
where c.relnamespace = to_regnamespace('tenuto') and c.relname = any (%s)
order by 1
"""


AUDIT_SIZE = """
select coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint,
       (coalesce(sum(pg_total_relation_size(c.oid)), 0) / 1048576.0)::float8
from pg_inherits i
join pg_class c on c.oid = i.inhrelid
where i.inhparent = to_regclass('tenuto.audit_log')
"""


async def _all(conn: Conn, query: LiteralString, values: list[list[str]]) -> list[Any]:
    return await (await conn.execute(query, values or None)).fetchall()


async def _one(conn: Conn, query: LiteralString) -> Any:
    (row,) = await _all(conn, query, [])
    return row
