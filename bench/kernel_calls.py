"""Tenuto's side of the comparison: calls the SQL functions through db/ as role tenuto_worker, with row security,
history, counters and outbox."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from bench.limit import no_op
from tenuto.db.connection import claim_connection
from tenuto.db.connection.raw_statements import array_literal
from tenuto.model.ids import uuid7

ORG = "00000000-0000-7000-8000-000000000001"
KIND = json.dumps([{"type": "bench.noop"}])
ROLE = "-c role=tenuto_worker"
_registering = threading.Lock()


def connect(url: str) -> psycopg.Connection:
    return psycopg.connect(url, autocommit=True, options=ROLE)


def _batch(count: int) -> tuple[list[str], list[str]]:
    return [json.dumps({"n": n}) for n in range(count)], [uuid7() for _ in range(count)]


def enqueue_one_run(conn: psycopg.Connection, count: int) -> None:
    inputs, ids = _batch(count)
    _start_run(conn, ORG, KIND, inputs, ids)


def enqueue_runs_of_one(conn: psycopg.Connection, count: int) -> None:
    inputs, ids = _batch(count)
    _start_many(conn, ORG, KIND, inputs, ids)


def enqueue_with_keys(conn: psycopg.Connection, count: int) -> None:
    inputs, ids = _batch(count)
    _start_many(conn, ORG, KIND, inputs, ids, dedupe_keys=[f"key {task_id}" for task_id in ids])


def drain(
    url: str, batch: int, *, until: Callable[[], bool] = lambda: True, mark: Callable[[int], None] | None = None
) -> int:
    """Claim, run a no-op and complete until no task is left and `until` returns True; return the number of tasks."""
    with _registering, connect(url) as conn:
        register = "select session_id, token from tenuto.register_worker(%s, %s)"
        session_id, token = conn.execute(register, (ORG, uuid7())).fetchone() or ()
        routes = conn.execute("select route_id from tenuto.resolve_routes(%s)", (session_id,)).fetchall()
    claims = claim_connection.open_claim_connection(
        url, session_id, str(token), [route[0] for route in routes], role="tenuto_worker"
    )
    ids: list[str] = []
    attempts: list[int] = []
    outputs: list[str | None] = []
    done = claim_no = 0
    with claims.conn:
        while True:
            claim_no += 1
            rows = claims.exchange(ids, attempts, outputs, claim_no=claim_no, limit=batch)
            done += len(ids)
            if mark:
                mark(len(ids))
            if not rows and until():
                return done
            ids = [row[1] for row in rows]
            attempts = [row[2] for row in rows]
            outputs = [json.dumps(no_op(json.loads(row[5]) if row[5] else None)) for row in rows]
            if not rows:
                time.sleep(0.002)


VACUUM = ("tenuto.ready_tasks", "tenuto.running_tasks", "tenuto.pending_tasks", "bare.ready", "bare.running")


def _start_many(
    conn: psycopg.Connection,
    org_id: str,
    kind: str,
    inputs: list[str],
    ids: list[str],
    *,
    dedupe_keys: list[str] | None = None,
) -> int:
    """Start one run per input (JSON text), and return how many runs are new. The caller must wake workers after its
    commit."""
    row = conn.execute(
        "select count(*) filter (where created) from tenuto.start_many("
        "p_org_id => %s, p_kinds => %s, p_inputs => %s, p_ids => %s, p_dedupe_keys => %s, p_wake => false)",
        (
            org_id,
            kind,
            array_literal(inputs),
            "{" + ",".join(ids) + "}",
            array_literal(dedupe_keys) if dedupe_keys else None,
        ),
    ).fetchone()
    return row[0] if row else 0


def _start_run(conn: psycopg.Connection, org_id: str, kind: str, inputs: list[str], ids: list[str]) -> str:
    """Start one run with one task per input (JSON text), and return the id of the run."""
    row = conn.execute(
        "select run_id from tenuto.start_run("
        "p_org_id => %s, p_run => '{}', p_kinds => %s, p_inputs => %s, p_ids => %s, p_wake => false)",
        (org_id, kind, array_literal(inputs), "{" + ",".join(ids) + "}"),
    ).fetchone()
    assert row is not None
    return row[0]


@contextmanager
def upkeep(url: str) -> Iterator[None]:
    """Do a dispatcher's work in the background: move floors and fold runs four times per second, and vacuum the hot
    tables every two seconds."""
    stop = threading.Event()

    def run() -> None:
        with psycopg.connect(url, autocommit=True) as conn:
            for turn in range(1_000_000):
                if stop.wait(0.25):
                    return
                conn.execute("select tenuto.move_floors(%s)", (turn % 20 == 19,))
                conn.execute("select tenuto.fold_runs()")
                if turn % 8 == 7:
                    for table in VACUUM:
                        conn.execute(f"vacuum {table}")

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
