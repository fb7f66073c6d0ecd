"""The raw limit: bare statements on bare tables, without functions, dependencies, counters, outbox or row security."""

import json

import psycopg
from psycopg.types.string import TextLoader

from tenuto.db.connection.raw_statements import array_literal
from tenuto.model.ids import uuid7

# The same columns as Tenuto's tables, so that both sides store the same data; only primary keys, no partitions, no
# checks.
TABLES = """
drop schema if exists bare cascade;
create schema bare;
create table bare.tasks (like tenuto.tasks);
alter table bare.tasks add primary key (id);
create table bare.ready (like tenuto.ready_tasks);
alter table bare.ready add primary key (route_id, group_no, priority, seq);
create table bare.running (id uuid primary key, attempt int, started_at timestamptz);
create table bare.history (task_id uuid, attempt int, outcome text, output jsonb, started_at timestamptz,
  ended_at timestamptz, primary key (task_id, attempt));
create sequence bare.seq;
"""

INSERT = """
with t as (
  insert into bare.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds,
    max_attempts, run_attempt, optional, has_slots, input)
  select u.id, u.id, u.id, now(), 1, 1, 0, 0, 2, 3, 1, false, false, u.input
  from unnest(%s::uuid[], %s::jsonb[]) as u(id, input)
  returning id
)
insert into bare.ready (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags)
select nextval('bare.seq'), now(), id, id, id, 1, 1, 0, 0, 1 from t
"""

# Delete from running, insert history, claim from one fixed lane: one statement, one round trip.
EXCHANGE = """
with done as (
  delete from bare.running r using unnest(%s::uuid[], %s::jsonb[]) as u(id, output) where r.id = u.id
  returning r.id, r.attempt, r.started_at, u.output
), history as (
  insert into bare.history select id, attempt, 'completed', output, started_at, now() from done
), due as materialized (
  select ctid from bare.ready where route_id = 1 and group_no = 1 and priority = 0 order by seq limit %s
  for update skip locked
), taken as (
  delete from bare.ready where ctid = any (array(select ctid from due)) returning id, attempt
), running as (
  insert into bare.running select id, attempt + 1, now() from taken
)
select t.id, k.attempt + 1, t.run_id, t.input from taken k join bare.tasks t on t.id = k.id
"""


def create(conn: psycopg.Connection) -> None:
    conn.execute(TABLES)


def connect(url: str) -> psycopg.Connection:
    conn = psycopg.connect(url, autocommit=True)
    for name in ("uuid", "jsonb"):
        conn.adapters.register_loader(name, TextLoader)
    return conn


def enqueue(conn: psycopg.Connection, count: int) -> None:
    """Insert one batch."""
    ids = "{" + ",".join(uuid7() for _ in range(count)) + "}"
    inputs = array_literal([json.dumps({"n": n}) for n in range(count)])
    conn.execute(INSERT, (ids, inputs))


def drain(url: str, batch: int) -> int:
    """Claim, run a no-op and complete until no task is left; return the number of tasks."""
    done = 0
    with connect(url) as conn:
        ids: list[str] = []
        outputs: list[str | None] = []
        while True:
            rows = conn.execute(EXCHANGE, ("{" + ",".join(ids) + "}", array_literal(outputs), batch)).fetchall()
            done += len(ids)
            if not rows:
                return done
            ids = [row[0] for row in rows]
            outputs = [json.dumps(no_op(json.loads(row[3]))) for row in rows]


def no_op(value: object) -> object:
    """The work of a task."""
    return value
