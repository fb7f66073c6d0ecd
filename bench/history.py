"""Creates finished tasks of the past in bulk, as retention keeps them."""

import sys
from datetime import datetime, timedelta

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


DAYS = 7
CHUNK = 250_000
# n numbers the tasks, so these shares are exact: 1 % fail, and another 2 % complete with the second attempt.
WEEK = """
with made as materialized (
  select n, %(at)s::timestamptz + n * %(step)s::interval as at
  from generate_series(0::bigint, %(rows)s - 1) n
), ids as materialized (
  select n, at, (left(tenuto._uuid7_floor(at)::text, 15) || right(gen_random_uuid()::text, 21))::uuid as id,
         %(org)s::uuid as org_id, (%(routes)s::int[])[1 + n %% cardinality(%(routes)s)] as route_id,
         (%(sessions)s::bigint[])[1 + (n * 7) %% cardinality(%(sessions)s)] as session_id,
         n %% 100 = 13 as fails, n %% 50 = 7 as retried,
         interval '1 ms' * (1 + (n * 7919) %% 20000) as waits, interval '1 ms' * (5 + (n * 104729) %% 60000) as runs
  from made
), runs as (
  insert into tenuto.runs (id, org_id, group_no, single_task, created_at)
  select id, org_id, 1, true, at from ids
), tasks as (
  insert into tenuto.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds,
    max_attempts, run_attempt, optional, has_slots, input)
  select id, org_id, id, at, route_id, 1, 0, 0, 2, 3, 1, false, false, '{"n": 1}' from ids
)
insert into tenuto.task_attempts (task_id, org_id, queued_at, started_at, ended_at, session_id, end_no, attempt,
  outcome, reported, output, error)
select i.id, i.org_id, i.at, i.at + i.waits, i.at + i.waits + i.runs, i.session_id, a.end_no, a.attempt, a.outcome,
       true, case when a.outcome = 'completed' then '{"n": 1}'::jsonb end,
       case when a.outcome <> 'completed' then '{"type": "ValueError", "message": "no such row"}'::jsonb end
from ids i
cross join lateral (
  select 0, case when i.retried then 2 else 1 end, case when i.fails then 'failed' else 'completed' end
  union all
  select 1, 1, 'retrying' where i.retried
) a(end_no, attempt, outcome)
"""
# The counts of _roll_up.sql per hour, day and in total.
ROLLUPS = """
with ended as (
  select a.org_id, date_trunc('hour', a.ended_at, 'UTC') as hour, o.type, s.worker_id, a.outcome, a.ended_at,
         extract(epoch from a.ended_at - a.started_at)::float8 as runs,
         extract(epoch from a.started_at - a.queued_at)::float8 as waits
  from tenuto.task_attempts a
  join tenuto.tasks t on t.id = a.task_id
  join tenuto.routes o on o.id = t.route_id
  join tenuto.sessions s on s.id = a.session_id
  where a.ended_at >= %(start)s and a.ended_at < %(until)s
), named as (
  select e.*, d.*
  from ended e
  cross join lateral (values
    ('type', e.type, case when e.outcome = 'completed' then least(1 + floor(2 * ln(e.runs * 1000) / ln(2)), 70)
                          else -1 end::smallint),
    ('worker', e.worker_id, -1::smallint)) d(dimension, name, bucket)
), cell as materialized (
  select n.org_id, n.hour, n.dimension, n.name, n.bucket,
         count(*) filter (where n.outcome = 'completed') as completed,
         count(*) filter (where n.outcome = 'failed') as failed,
         count(*) filter (where n.outcome = 'retrying') as retried,
         coalesce(sum(n.runs) filter (where n.outcome = 'completed'), 0) as runs,
         coalesce(max(n.runs) filter (where n.outcome = 'completed'), 0) as max_runs,
         count(*) as started, sum(n.waits) as waits, max(n.waits) as max_waits, max(n.ended_at) as last
  from named n
  group by 1, 2, 3, 4, 5
)
insert into tenuto.rollups
select c.org_id, p.period, c.dimension, p.starts_at, c.name, c.bucket, sum(c.completed), sum(c.failed), 0, 0,
       sum(c.retried), 0, sum(c.runs), max(c.max_runs), sum(c.started), sum(c.waits), max(c.max_waits), max(c.last)
from cell c
cross join lateral (values
  ('hour', c.hour), ('day', date_trunc('day', c.hour, 'UTC')), ('total', 'epoch')) p(period, starts_at)
where p.period <> 'total' or c.dimension = 'type'
group by 1, 2, 3, 4, 5, 6
"""


def add_week(url: str, tasks: int, *, types: int = 50, workers: int = 200) -> None:
    """Add finished tasks that are spread over the last seven days, types and workers, and count them as the rollups of
    a dispatcher would."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("set synchronous_commit = off")
        org, routes, sessions, now = _members(conn, types, workers)
        start, step = now - timedelta(days=DAYS), timedelta(days=DAYS) / tasks
        for first in range(0, tasks, CHUNK):
            rows = min(CHUNK, tasks - first)
            values = {"at": start + first * step, "step": step, "rows": rows, "org": org}
            conn.execute(WEEK, {**values, "routes": routes, "sessions": sessions})
            print(f"{first + rows:,} of {tasks:,} tasks", file=sys.stderr)
        for table in ("runs", "tasks", "task_attempts"):
            conn.execute(f"vacuum analyze tenuto.{table}")
        _roll_up(conn, start, now)
        conn.execute("checkpoint")


def _members(conn: psycopg.Connection, types: int, workers: int) -> tuple[object, list[int], list[int], datetime]:
    """Create the workers, each with an open session, and the routes of the types."""
    (row,) = conn.execute("select id, now() from tenuto.orgs order by created_at limit 1").fetchall()
    org, now = row
    routes = [
        conn.execute("select tenuto._intern_route(%s, 'default', %s, 'python', '{}', '{}')", (org, f"app.type{no}"))
        for no in range(types)
    ]
    sessions = [
        conn.execute("select session_id from tenuto.register_worker(%s, %s, p_lease => '1 day')", (org, f"host:{no}"))
        for no in range(workers)
    ]
    return org, [one.fetchall()[0][0] for one in routes], [one.fetchall()[0][0] for one in sessions], now


def _roll_up(conn: psycopg.Connection, start: datetime, now: datetime) -> None:
    """Fill the rollups. ROLLUPS counts most of the week in one minute; the function of dispatchers would take twenty
    minutes. That function counts only the last three hours, which are kept per minute."""
    recent = now - timedelta(hours=3)
    conn.execute("set work_mem = '256MB'")
    conn.execute(ROLLUPS, {"start": start, "until": recent})
    conn.execute("select tenuto._roll_up(%s, %s)", (recent, now))
    conn.execute("update tenuto.rollup_position set rolled_up = %s", (now,))
    conn.execute("vacuum analyze tenuto.rollups")
