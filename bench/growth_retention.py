"""Measures how the cost of retention grows with the data kept: each function returns the server seconds of a call at
size n."""

from uuid import UUID

import psycopg

from bench.meter import metered

ORG = UUID("00000000-0000-7000-8000-000000000001")

# Finished runs of one task with random ids, as from clients that do not create UUIDv7 ids.
KEEP = """
with ids as materialized (select gen_random_uuid() as id from generate_series(1, %(n)s)),
     route as (select tenuto._intern_route(%(org)s, 'default', 'growth.kept', 'python', '{}') as id),
     runs as (
       insert into tenuto.runs (id, org_id, group_no, single_task, created_at)
       select i.id, %(org)s, 1, true, tenuto.now() from ids i
     ), tasks as (
       insert into tenuto.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds,
         max_attempts, run_attempt, optional, has_slots)
       select i.id, %(org)s, i.id, tenuto.now(), r.id, 1, 0, 0, 2, 3, 1, false, false from ids i cross join route r
     )
insert into tenuto.task_attempts (task_id, org_id, queued_at, started_at, ended_at, session_id, end_no, attempt,
  outcome, reported)
select i.id, %(org)s, tenuto.now(), tenuto.now(), tenuto.now(), 1, 0, 1, 'completed', true from ids i
"""
# Ids that a client created in the middle of a past week.
OLD_IDS = """
select array_agg((left(f.floor::text, 15) || substr(gen_random_uuid()::text, 16))::uuid)
from (select date_trunc('week', tenuto.now()) - %s * interval '1 week' + interval '3 days' as moment) m
cross join lateral (select tenuto._uuid7_floor(m.moment) as floor) f
cross join generate_series(1, %s)
"""
MAKE_WEEK = """
do $$
declare
  v_start timestamp := date_trunc('week', tenuto.now() at time zone 'UTC') - interval '{back} weeks';
  v_table text;
begin
  for v_table in select table_name from tenuto.partitioned_tables where period = 'week'
  loop
    execute format('create table tenuto.%I partition of tenuto.%I for values from (%L) to (%L)',
      v_table || to_char(v_start, '_IYYY_"w"IW'), v_table, tenuto._uuid7_floor(v_start at time zone 'UTC'),
      tenuto._uuid7_floor((v_start + interval '1 week') at time zone 'UTC'));
  end loop;
end
$$
"""
FORGET = "truncate tenuto.runs, tenuto.tasks, tenuto.task_attempts, tenuto.delayed_tasks"
BATCH = 10_000


def prune_beside_random_ids(conn: psycopg.Connection, n: int) -> float:
    """Measure `prune_runs` with nothing to delete, while n finished runs with random ids are kept."""
    conn.execute(FORGET)
    conn.execute(KEEP, {"n": n, "org": ORG})
    conn.execute("analyze tenuto.runs, tenuto.tasks, tenuto.task_attempts")
    seconds = metered(conn, lambda: conn.execute("select * from tenuto.prune_runs()"))
    conn.execute(FORGET)
    return seconds


def drop_beside_open_tasks(conn: psycopg.Connection, n: int) -> float:
    """Measure `drop_partitions` when n tasks of an expired week are still delayed."""
    conn.execute(FORGET)
    back = 4
    conn.execute("set role tenuto_owner")
    conn.execute(MAKE_WEEK.replace("{back}", str(back)).encode())
    conn.execute("reset role")
    for begun in range(0, n, BATCH):
        count = min(BATCH, n - begun)
        (ids,) = conn.execute(OLD_IDS, [back, count]).fetchone() or ([],)
        conn.execute(
            """
            select from tenuto.start_many(%s, '[{"type": "growth.late"}]', array_fill(null::jsonb, array[%s]), %s,
              p_details => (select jsonb_agg(jsonb_build_object('task', i, 'delay_seconds', 5000000))
                            from generate_series(0, %s) i))
            """,
            [ORG, count, sorted(ids), count - 1],
        )
    seconds = metered(conn, lambda: conn.execute("select * from tenuto.drop_partitions()"))
    conn.execute(FORGET)
    conn.execute("select * from tenuto.drop_partitions()")  # drops the week, now that nothing in it is open
    return seconds
