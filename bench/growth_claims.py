"""Measures how claims scale with resource groups, priorities, quotas and empty lanes.

Each function returns server seconds at size n: of a claim of one task, the median of several claims, or of one call.
`python -m bench.growth_claims [N]` prints the seconds at 1 and at N.
"""

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

if __name__ == "__main__":  # import from the repository root: bench/http.py would hide the standard library's http
    sys.path[0] = str(Path(__file__).parents[1])

import psycopg

from bench.meter import metered
from bench.program import own_server
from tenuto.model.ids import uuid7

ORG = "00000000-0000-7000-8000-000000000001"
KIND = json.dumps([{"type": "bench.noop"}])
REPETITIONS = 21
GROUPS_WITH_QUOTA = 64

# Inserts the rows that starts would create, in one statement: ten thousand starts would take minutes.
GROUPS = """
insert into tenuto.resource_groups (id, org_id, external_id, weight, quota, created_at)
select gen_random_uuid(), %(org)s, %(prefix)s || n, 1, %(quota)s, now() from generate_series(1, %(count)s) n
on conflict (org_id, external_id) do update set quota = excluded.quota
"""
TASKS = """
with task as (
  select gen_random_uuid() as id, g.no as group_no, n.priority
  from tenuto.resource_groups g
  cross join generate_series(1, %(priorities)s) n(priority)
  cross join generate_series(1, %(tasks)s)
  where g.external_id like %(prefix)s || '%%'
), made as (
  insert into tenuto.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds,
    max_attempts, run_attempt, optional, has_slots)
  select id, %(org)s, id, now(), %(route)s, group_no, priority, 0, 2, 3, 1, false, false from task
), runs as (
  insert into tenuto.runs (id, org_id, group_no, single_task, created_at)
  select id, %(org)s, group_no, true, now() from task
), lanes as (
  insert into tenuto.ready_lanes (route_id, group_no, priority, org_id)
  select distinct %(route)s::int, group_no, priority, %(org)s::uuid from task on conflict do nothing
)
insert into tenuto.ready_tasks (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags)
select nextval('tenuto.ready_seq') << 20, now(), id, %(org)s, id, %(route)s, group_no, priority, 0, 1 from task
"""


def groups(conn: psycopg.Connection, n: int) -> float:
    """Claim while n resource groups have waiting tasks."""
    route = fresh(conn)
    _fill(conn, route, groups=n, tasks=max(3, 30 // n))
    return _claim_seconds(conn, route)


def priorities(conn: psycopg.Connection, n: int) -> float:
    """Claim while the tasks of one group have n priorities."""
    route = fresh(conn)
    _fill(conn, route, groups=1, priorities=n, tasks=max(3, 30 // n))
    return _claim_seconds(conn, route)


def quotas(conn: psycopg.Connection, n: int) -> float:
    """Claim while 64 groups with a quota run n tasks in total."""
    return _quota_seconds(conn, n, quota=100_000)


def no_quotas(conn: psycopg.Connection, n: int) -> float:
    """Claim while 64 groups without a quota run n tasks in total, for comparison with `quotas`."""
    return _quota_seconds(conn, n, quota=None)


def lanes(conn: psycopg.Connection, n: int) -> float:
    """Claim while the lanes of n groups have become empty and one group has tasks."""
    route = fresh(conn)
    _fill(conn, route, groups=n, tasks=1)
    conn.execute("delete from tenuto.ready_tasks where route_id = %s", [route])
    conn.execute("vacuum tenuto.ready_tasks")
    conn.execute("select tenuto.move_floors(true)")  # as dispatchers do every few seconds
    _fill(conn, route, groups=1, tasks=40)
    return _claim_seconds(conn, route)


def arrivals(conn: psycopg.Connection, n: int) -> float:
    """Follow n arrivals of lanes that do not exist yet."""
    route = fresh(conn)
    conn.execute(GROUPS, {"org": ORG, "prefix": "growth-", "count": n, "quota": None})
    conn.execute(
        "insert into tenuto.arrivals (org_id, seq, route_id, group_no, priority)"
        " select org_id, 1, %s, no, 0 from tenuto.resource_groups where external_id like 'growth-%%'",
        [route],
    )
    return metered(conn, lambda: conn.execute("select tenuto.follow_arrivals(%s)", [n]))


def claim_before_arrivals(conn: psycopg.Connection, n: int) -> float:
    """Claim one task while n arrivals of other lanes are waiting."""
    route = fresh(conn)
    _fill(conn, route, groups=1, tasks=REPETITIONS)
    session = new_session(conn)
    taken: list[float] = []
    for no in range(REPETITIONS):
        conn.execute("truncate tenuto.arrivals")
        conn.execute(
            "insert into tenuto.arrivals (org_id, seq, route_id, group_no, priority)"
            " select %s, 1, %s, g.no, n from tenuto.resource_groups g cross join generate_series(%s::int, %s::int) n"
            " where g.external_id like 'growth-one-%%'",
            [ORG, route, -n * (no + 1), -n * no - 1],
        )
        taken.append(metered(conn, lambda no=no: claim(conn, session, route, no, 1)))
    return statistics.median(taken)


def floors(conn: psycopg.Connection, n: int) -> float:
    """Move the floors of n lanes that have just become empty, in a call that checks all lanes."""
    route = fresh(conn)
    _fill(conn, route, groups=n, tasks=1)
    conn.execute("delete from tenuto.ready_tasks where route_id = %s", [route])
    return metered(conn, lambda: conn.execute("select tenuto.move_floors(true)"))


def _quota_seconds(conn: psycopg.Connection, n: int, *, quota: int | None) -> float:
    route = fresh(conn)
    _fill(conn, route, groups=GROUPS_WITH_QUOTA, tasks=n // GROUPS_WITH_QUOTA + 3, quota=quota)
    session = new_session(conn)
    for no in range(0, n, 1000):
        claim(conn, session, route, no, min(1000, n - no))
    return _claim_seconds(conn, route)


def fresh(conn: psycopg.Connection) -> int:
    """Empty the tables and return a route."""
    tables = "arrivals, ready_tasks, ready_lanes, running_tasks, tasks, runs, task_attempts, run_counts"
    conn.execute("truncate " + ", ".join(f"tenuto.{table}" for table in tables.split(", ")))
    conn.execute("delete from tenuto.resource_groups where external_id like 'growth%'")
    row = conn.execute("select tenuto._intern_route(%s, 'default', 'bench.noop', 'python', '{}')", [ORG]).fetchone()
    return row[0] if row else 0


def _fill(
    conn: psycopg.Connection,
    route: int,
    *,
    groups: int,
    tasks: int,
    priorities: int = 1,
    quota: int | None = None,
) -> None:
    prefix = "growth-one-" if groups == 1 else "growth-"
    conn.execute(GROUPS, {"org": ORG, "prefix": prefix, "count": groups, "quota": quota})
    conn.execute(TASKS, {"org": ORG, "prefix": prefix, "priorities": priorities, "tasks": tasks, "route": route})
    conn.execute("vacuum analyze tenuto.ready_tasks, tenuto.ready_lanes, tenuto.resource_groups")


def new_session(conn: psycopg.Connection) -> tuple[int, str]:
    row = conn.execute("select session_id, token from tenuto.register_worker(%s, %s)", [ORG, uuid7()]).fetchone()
    return row or (0, "")


def claim(conn: psycopg.Connection, session: tuple[int, str], route: int, no: int, limit: int) -> list[tuple[str, int]]:
    """Claim tasks; return their ids and attempts."""
    query = "select task_id, attempt from tenuto.claim_tasks(%s, %s, %s, %s, %s)"
    return [(row[0], row[1]) for row in conn.execute(query, [*session, no, [route], limit]).fetchall()]


def _claim_seconds(conn: psycopg.Connection, route: int) -> float:
    session = new_session(conn)
    taken: list[float] = []
    for no in range(REPETITIONS):
        claimed: list[int] = []
        taken.append(
            metered(conn, lambda no=no, claimed=claimed: claimed.append(len(claim(conn, session, route, no, 1))))
        )
        if claimed != [1]:
            raise RuntimeError("a claim found no task")
    return statistics.median(taken)


SCENARIOS: tuple[Callable[[psycopg.Connection, int], float], ...] = (groups, priorities, lanes, quotas)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with own_server() as (url, _), psycopg.connect(url, autocommit=True) as conn:
        for scenario in (groups, priorities, lanes):
            one, many = scenario(conn, 1), scenario(conn, n)
            print(f"{scenario.__name__}: {1000 * one:.2f} ms at 1, {1000 * many:.2f} ms at {n}: {many / one:.2f}")
        without, with_quotas = no_quotas(conn, 4000), quotas(conn, 4000)
        print(f"quotas: {1000 * without:.2f} ms without, {1000 * with_quotas:.2f} ms with: {with_quotas / without:.2f}")


if __name__ == "__main__":
    main()
