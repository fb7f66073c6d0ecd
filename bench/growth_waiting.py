"""Measures how the cost of waiting tasks scales: full limits, and due work behind an open snapshot.

Each function returns the server seconds of one call at size n, the median of several.
"""

import json
import statistics

import psycopg

from bench.growth_claims import ORG, REPETITIONS, claim, fresh, new_session
from bench.meter import metered

DELAYED = """
insert into tenuto.delayed_tasks
  (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, reason)
select now() - interval '1 minute', gen_random_uuid(), %s, gen_random_uuid(), %s, 1, 0, 0, 0, 'delay'
from generate_series(1, %s)
"""


def complete_under_full_limit(conn: psycopg.Connection, n: int) -> float:
    """Complete one task under a limit whose n slots are all taken, while other tasks wait in its line."""
    route = fresh(conn)
    conn.execute("truncate tenuto.waiting_tasks, tenuto.limit_slots, tenuto.limits cascade")
    tasks = n + 2 * REPETITIONS
    limits = [{"scope": "key", "key": "growth", "size": n}]
    details = json.dumps([{"task": no, "limits": limits} for no in range(tasks)])
    conn.execute(
        "select from tenuto.start_many(%s, %s, %s::jsonb[], p_details => %s)",
        [ORG, json.dumps([{"type": "bench.noop"}]), ["1"] * tasks, details],
    )
    for _ in range(n // 1000 + 2):  # each call admits 1,000
        conn.execute("select tenuto.follow_arrivals()")
    session = new_session(conn)
    held = claim(conn, session, route, 1, REPETITIONS)
    taken = [
        metered(
            conn,
            lambda task=task: conn.execute(
                "select from tenuto.complete_tasks(%s, %s, %s::uuid[], %s::int[])", [*session, [task[0]], [task[1]]]
            ),
        )
        for task in held
    ]
    return statistics.median(taken)


def due_behind_snapshot(conn: psycopg.Connection, n: int) -> float:
    """List the due maintenance after n delayed tasks have left their table, while an open snapshot keeps their dead
    rows."""
    route = fresh(conn)
    conn.execute("truncate tenuto.delayed_tasks")
    with psycopg.connect(conn.info.dsn, password=conn.info.password) as reader:
        reader.execute("set transaction isolation level repeatable read")
        reader.execute("select from tenuto.orgs")
        conn.execute(DELAYED, [ORG, route, n])
        conn.execute("delete from tenuto.delayed_tasks")
        conn.execute("select tenuto.move_floors(true)")  # as dispatchers do every few seconds
        ask = "select from tenuto.list_due_maintenance()"
        return statistics.median(metered(conn, lambda: conn.execute(ask)) for _ in range(REPETITIONS))
