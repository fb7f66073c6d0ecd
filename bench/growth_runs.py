"""Measures how operations on runs scale: each function returns the server seconds of one call at size n."""

import json
import statistics
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg.sql import SQL, Identifier

from bench.meter import metered

ORG = "00000000-0000-7000-8000-000000000001"
BATCH = 1000


def start_kinds(conn: psycopg.Connection, n: int) -> float:
    """Start a run of n tasks, each with its own kind and details."""
    kinds = [{"type": "growth.many", "max_attempts": 1 + no % 100} for no in range(n)]
    details = [{"task": no, "priority": no % 3} for no in range(n)]
    return metered(conn, lambda: start_run(conn, n, kinds=kinds, task_kinds=list(range(n)), details=details))


def retry_run(conn: psycopg.Connection, n: int) -> float:
    """Retry a run of n tasks that all failed."""
    run_id = a_failed_run(conn, n)
    return metered(conn, lambda: finish(conn, "retry_run", run_id))


def retry_analyzed_run(conn: psycopg.Connection, n: int) -> float:
    """Retry a run of n tasks that all failed, in tables with fresh statistics."""
    run_id = a_failed_run(conn, n)
    conn.execute("analyze")
    return metered(conn, lambda: finish(conn, "retry_run", run_id))


def cancel_run(conn: psycopg.Connection, n: int) -> float:
    """Cancel a run of n ready tasks, until the request is finished."""
    run_id = start_run(conn, n, kinds=[{"type": "growth.cancelled"}])
    return metered(conn, lambda: finish(conn, "cancel_run", run_id))


def delete_run(conn: psycopg.Connection, n: int) -> float:
    """Delete a run of n cancelled tasks, until the request is finished."""
    run_id = start_run(conn, n, kinds=[{"type": "growth.deleted"}])
    finish(conn, "cancel_run", run_id)
    conn.execute("select tenuto.fold_runs()")
    return metered(conn, lambda: finish(conn, "delete_run", run_id))


def doom(conn: psycopg.Connection, n: int) -> float:
    """Fail the root of n dependents, in tables without statistics."""
    kinds = [{"type": "growth.root", "max_attempts": 1}, {"type": "growth.leaf"}]
    edges = [{"from": 0, "to": no + 1} for no in range(n)]
    start_run(conn, n + 1, kinds=kinds, task_kinds=[0] + [1] * n, edges=edges)
    worker = Worker(conn, "growth.root")
    held = worker.claim(1)
    return metered(conn, lambda: worker.fail(held))


def cancel_task(conn: psycopg.Connection, n: int) -> float:
    """Cancel one task while n tasks of other runs are pending; return the median of ten cancellations."""
    conn.execute(
        "insert into tenuto.pending_tasks"
        " (id, org_id, run_id, route_id, group_no, priority, attempt, remaining, flags)"
        " select gen_random_uuid(), %s, gen_random_uuid(), 1, 1, 0, 0, 1, 0 from generate_series(1, %s)",
        [ORG, n],
    )
    kinds = json.dumps([{"type": "growth.one"}])
    ids = conn.execute(
        "select run_id from tenuto.start_many(%s, %s, array_fill(null::jsonb, array[11]))", [ORG, kinds]
    ).fetchall()
    seconds = [
        metered(conn, lambda id=id: conn.execute("select tenuto.cancel_task(%s, %s)", [ORG, id])) for (id,) in ids
    ]
    conn.execute("delete from tenuto.pending_tasks where route_id = 1 and group_no = 1 and remaining = 1 and flags = 0")
    return statistics.median(seconds[1:])


def finish(conn: psycopg.Connection, verb: LiteralString, run_id: UUID) -> None:
    """Call a function that requests a change of a run, and complete the request in pieces, as dispatchers do."""
    conn.execute(SQL("select tenuto.{}(%s, %s)").format(Identifier(verb)), [ORG, run_id])
    while (row := conn.execute("select tenuto.advance_requests()").fetchone()) and row[0]:
        pass


def start_run(
    conn: psycopg.Connection,
    n: int,
    *,
    kinds: list[dict[str, Any]],
    task_kinds: list[int] | None = None,
    details: list[dict[str, Any]] | None = None,
    edges: list[dict[str, int]] | None = None,
) -> UUID:
    """Start a run of n tasks without inputs."""
    row = conn.execute(
        "select run_id from tenuto.start_run(%s, '{}', %s, %s::jsonb[], p_task_kinds => %s, p_details => %s,"
        " p_edges => %s)",
        [
            ORG,
            json.dumps(kinds),
            "{" + ",".join(["null"] * n) + "}",
            task_kinds,
            json.dumps(details) if details else None,
            json.dumps(edges) if edges else None,
        ],
    ).fetchone()
    assert row is not None
    return row[0]


def a_failed_run(conn: psycopg.Connection, n: int) -> UUID:
    """Create a run of n tasks that have all failed."""
    run_id = start_run(conn, n, kinds=[{"type": "growth.failing", "max_attempts": 1}])
    worker = Worker(conn, "growth.failing")
    while held := worker.claim(BATCH):
        worker.fail(held)
    conn.execute("select tenuto.fold_runs()")
    return run_id


class Worker:
    """A worker session that claims tasks of one type."""

    def __init__(self, conn: psycopg.Connection, type: str) -> None:
        self.conn = conn
        conn.execute("select tenuto._intern_route(%s, 'default', %s, 'python', '{}')", [ORG, type])
        row = conn.execute(
            "select session_id, token from tenuto.register_worker(%s, %s, p_lease => interval '1 hour')", [ORG, type]
        ).fetchone()
        assert row is not None
        self.session: list[Any] = list(row)
        routes = conn.execute(
            "select route_id from tenuto.resolve_routes(%s, null, %s::text[])", [self.session[0], [type]]
        ).fetchall()
        self.routes = [route for (route,) in routes]
        self.claims = 0

    def claim(self, limit: int) -> list[tuple[UUID, int]]:
        self.claims += 1
        return self.conn.execute(
            "select task_id, attempt from tenuto.claim_tasks(%s, %s, %s, %s, %s)",
            [*self.session, self.claims, self.routes, limit],
        ).fetchall()

    def fail(self, held: list[tuple[UUID, int]]) -> None:
        ids, attempts = [id for id, _ in held], [no for _, no in held]
        self.conn.execute(
            "select from tenuto.fail_tasks(%s, %s, %s, %s, %s::jsonb[], %s)",
            [*self.session, ids, attempts, ['{"message": "x"}'] * len(held), [-1.0] * len(held)],
        )
