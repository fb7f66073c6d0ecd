"""Creates finished tasks of the past in bulk, as retention keeps them."""

from datetime import timedelta

import psycopg
from psycopg.conninfo import make_conninfo

from bench import limit
from tenuto.db.install import install

MADE = """
with made as (
  select tenuto._uuid7_floor(%(at)s::timestamptz + n * interval '50 microseconds') as low, gen_random_uuid() as tail
  from generate_series(1, %(rows)s) n
), ids as materialized (
  select (left(low::text, 15) || right(tail::text, 21))::uuid as id, o.id as org_id
  from made, (select id from tenuto.orgs limit 1) o
), runs as (
  insert into tenuto.runs (id, org_id, group_no, single_task, created_at)
  select id, org_id, 1, true, %(at)s from ids
), tasks as (
  insert into tenuto.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds,
    max_attempts, run_attempt, optional, has_slots, input)
  select id, org_id, id, %(at)s, 1, 1, 0, 0, 2, 3, 1, false, false, '{"n": 1}' from ids
)
insert into tenuto.task_attempts (task_id, org_id, queued_at, started_at, ended_at, session_id, end_no, attempt,
  outcome, reported, output)
select id, org_id, %(at)s, %(at)s, %(at)s, 1, 0, 1, 'completed', true, '{"n": 1}' from ids
"""


def sibling(url: str, name: str) -> str:
    """Create and install another database on the same server."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(f"create database bench_{name}")
    other = make_conninfo(url, dbname=f"bench_{name}")
    install.migrate(other)
    with psycopg.connect(other, autocommit=True) as conn:
        limit.create(conn)
    return other


def add_history(url: str, rows: int) -> None:
    """Add half of the rows to the week in which new tasks are written, and half to the week before."""
    with psycopg.connect(url, autocommit=True) as conn:
        week = conn.execute("select date_trunc('week', now(), 'UTC')").fetchone()
        assert week
        for start in (week[0], week[0] - timedelta(days=7)):
            for chunk in range(0, rows // 2, 250_000):
                conn.execute(MADE, {"at": start, "rows": min(250_000, rows // 2 - chunk)})
        for table in ("runs", "tasks", "task_attempts"):
            conn.execute(f"vacuum analyze tenuto.{table}")
        conn.execute("checkpoint")
