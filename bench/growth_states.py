"""Measures whether calls cost more beside more stored tasks, in states of the database that once made them slow.

Each verb is measured with 1, 10 and 500 tasks, in each state, beside n, 4n and 16n tasks that were started and
completed in that state. The cost is the number of buffers that the call reads: other load on the machine does not
change it.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID

import psycopg

from bench.growth_runs import ORG, Worker, start_run

BATCHES = (1, 10, 500)
REPETITIONS = 3  # the first calls also compile functions and read the catalog
EMPTY = (
    "truncate tenuto.arrivals, tenuto.ready_tasks, tenuto.ready_lanes, tenuto.running_tasks, tenuto.tasks, tenuto.runs,"
    " tenuto.task_attempts, tenuto.run_counts, tenuto.waiting_tasks, tenuto.delayed_tasks, tenuto.pending_tasks,"
    " tenuto.limit_slots, tenuto.limits, tenuto.task_slots, tenuto.data_locality, tenuto.alert_rules,"
    " tenuto.run_requests, tenuto.cancel_requests cascade"
)
CLAIM = "select from tenuto.claim_tasks(%s, %s, %s, %s, %s)"
COMPLETE = "select from tenuto.complete_tasks(%s, %s, %s, %s)"


@dataclass(frozen=True)
class Call:
    """The statement to measure."""

    query: LiteralString
    params: list[Any]


class Tasks(Worker):
    """A worker session for the tasks of one verb."""

    def __init__(self, conn: psycopg.Connection, type: str) -> None:
        super().__init__(conn, type)
        self.kind: dict[str, Any] = {"type": type, "max_attempts": 2, "backoff_seconds": 3600}

    def start(self, n: int) -> None:
        self.conn.execute(
            "select from tenuto.start_many(%s, %s, array_fill('1'::jsonb, array[%s]))",
            [ORG, json.dumps([self.kind]), n],
        )

    def held(self, n: int) -> list[list[Any]]:
        """Start and claim n tasks; return their ids and attempts."""
        self.start(n)
        return fences(self.claim(n))

    def complete(self, held: list[list[Any]]) -> None:
        self.conn.execute(COMPLETE, [*self.session, *held])

    def complete_all(self, batch: int) -> None:
        while claimed := self.claim(batch):
            self.complete(fences(claimed))


def fences(claimed: list[tuple[UUID, int]]) -> list[list[Any]]:
    return [[id for id, _ in claimed], [attempt for _, attempt in claimed]]


def start_tasks(tasks: Tasks, n: int) -> Call:
    kinds = json.dumps([tasks.kind])
    return Call("select from tenuto.start_many(%s, %s, array_fill('1'::jsonb, array[%s]))", [ORG, kinds, n])


def start_graph(tasks: Tasks, n: int) -> Call:
    """One task with n dependents."""
    edges = [{"from": 0, "to": number + 1} for number in range(n)]
    query = "select from tenuto.start_run(%s, '{}', %s, array_fill('1'::jsonb, array[%s]), p_edges => %s)"
    return Call(query, [ORG, json.dumps([tasks.kind]), n + 1, json.dumps(edges)])


def claim_tasks(tasks: Tasks, n: int) -> Call:
    tasks.start(n)
    tasks.claims += 1
    return Call(CLAIM, [*tasks.session, tasks.claims, tasks.routes, n])


def complete_tasks(tasks: Tasks, n: int) -> Call:
    return Call(COMPLETE, [*tasks.session, *tasks.held(n)])


def complete_limited_tasks(tasks: Tasks, n: int) -> Call:
    """Each task has its own limit."""
    details = [{"task": number, "limits": [{"scope": "key", "key": str(number), "size": 1}]} for number in range(n)]
    tasks.conn.execute(
        "select from tenuto.start_many(%s, %s, array_fill('1'::jsonb, array[%s]), p_details => %s)",
        [ORG, json.dumps([tasks.kind]), n, json.dumps(details)],
    )
    return Call(COMPLETE, [*tasks.session, *fences(tasks.claim(n))])


def release_dependents(tasks: Tasks, n: int) -> Call:
    """Complete a task whose output n tasks read."""
    slots = [{"type": "any", "task": 0, "output": 0}]
    details = [{"task": 0, "outputs": ["any"]}, *({"task": number + 1, "slots": slots} for number in range(n))]
    start_run(tasks.conn, n + 1, kinds=[tasks.kind], details=details)
    return Call(COMPLETE, [*tasks.session, *fences(tasks.claim(1))])


def fail_tasks(tasks: Tasks, n: int) -> Call:
    query = (
        'select from tenuto.fail_tasks(%s, %s, %s, %s, array_fill(\'{"message": "x"}\'::jsonb, array[%s]),'
        " array_fill(-1::real, array[%s]))"
    )
    return Call(query, [*tasks.session, *tasks.held(n), n, n])


def promote_tasks(tasks: Tasks, n: int) -> Call:
    """Make n delayed tasks ready."""
    call = fail_tasks(tasks, n)
    tasks.conn.execute(call.query, call.params)
    tasks.conn.execute("update tenuto.delayed_tasks set available_at = now()")
    return Call("select tenuto.promote_due(%s)", [n])


def heartbeat(tasks: Tasks, n: int) -> Call:
    return Call("select from tenuto.heartbeat(%s, %s, %s, %s, 0)", [*tasks.session, *tasks.held(n)])


def cancel_run(tasks: Tasks, n: int) -> Call:
    return Call("select tenuto.cancel_run(%s, %s)", [ORG, start_run(tasks.conn, n, kinds=[tasks.kind])])


def retry_run(tasks: Tasks, n: int) -> Call:
    run_id = start_run(tasks.conn, n, kinds=[{**tasks.kind, "max_attempts": 1}])
    tasks.fail(tasks.claim(n))
    tasks.conn.execute("select tenuto.fold_runs()")
    return Call("select tenuto.retry_run(%s, %s)", [ORG, run_id])


def fold_runs(tasks: Tasks, n: int) -> Call:
    """Add the ends of n tasks to their run."""
    start_run(tasks.conn, n + 1, kinds=[tasks.kind])
    tasks.complete(fences(tasks.claim(n)))
    return Call("select tenuto.fold_runs()", [])


def evaluate_alerts(tasks: Tasks, n: int) -> Call:
    """Evaluate the alert rules while n tasks are ready."""
    tasks.start(n)
    tasks.conn.execute("update tenuto.alert_rules set due_at = now()")
    return Call("select tenuto.evaluate_alerts()", [])


def list_due(tasks: Tasks, n: int) -> Call:
    """List what maintenance is due while n tasks are ready."""
    tasks.start(n)
    return Call("select from tenuto.list_due_maintenance()", [])


VERBS: dict[str, Callable[[Tasks, int], Call]] = {
    "start": start_tasks,
    "start a graph of": start_graph,
    "claim": claim_tasks,
    "complete": complete_tasks,
    "complete limited": complete_limited_tasks,
    "release": release_dependents,
    "fail": fail_tasks,
    "promote": promote_tasks,
    "heartbeat of": heartbeat,
    "cancel a run of": cancel_run,
    "retry a run of": retry_run,
    "fold": fold_runs,
    "evaluate alerts beside": evaluate_alerts,
    "list what is due beside": list_due,
}


@contextmanager
def nothing(_: psycopg.Connection) -> Iterator[None]:
    yield


@contextmanager
def a_placed_object(conn: psycopg.Connection) -> Iterator[None]:
    row = conn.execute("select tenuto.put_object(%s, 'bytes', 'x')", [ORG]).fetchone()
    conn.execute("select tenuto.place_object(%s, %s, '{node-1}')", [ORG, row and row[0]])
    yield


@contextmanager
def an_open_limit(conn: psycopg.Connection) -> Iterator[None]:
    """One task holds the slot of a limit, and another waits for it."""
    tasks = Tasks(conn, "growth.limited")
    limits = [{"scope": "key", "key": "growth", "size": 1}]
    details = json.dumps([{"task": number, "limits": limits} for number in range(2)])
    conn.execute(
        "select from tenuto.start_many(%s, %s, '{1,2}', p_details => %s)", [ORG, json.dumps([tasks.kind]), details]
    )
    tasks.claim(2)
    yield


@contextmanager
def an_alert_rule(conn: psycopg.Connection) -> Iterator[None]:
    conn.execute("select tenuto.put_alert_rule(%s, 'growth', 'no_worker')", [ORG])
    yield


@contextmanager
def a_held_snapshot(conn: psycopg.Connection) -> Iterator[None]:
    """A transaction that stays open: vacuum removes nothing that was deleted since."""
    with psycopg.connect(conn.info.dsn, password=conn.info.password) as reader:
        reader.execute("set transaction isolation level repeatable read")
        reader.execute("select from tenuto.orgs")
        yield


STATES = {
    "nothing else": nothing,
    "a placed object": a_placed_object,
    "an open limit": an_open_limit,
    "an alert rule": an_alert_rule,
    "a held snapshot": a_held_snapshot,
}
# --check fails if a call grows in one of these states. The others have known growth, which is reported.
HELD_STATES = {"nothing else", "a placed object"}


def measure(conn: psycopg.Connection, state: str, sizes: list[int]) -> dict[str, dict[int, float]]:
    """Return the buffers that each verb reads in this state, per batch and number of stored tasks."""
    conn.execute(EMPTY)
    buffers: dict[str, dict[int, float]] = {}
    with STATES[state](conn):
        filler = Tasks(conn, "growth.stored")
        stored = 0
        for size in sizes:
            while stored < size:
                batch = min(1000, size - stored)
                filler.start(batch)
                filler.complete_all(batch)
                stored += batch
            upkeep(conn)
            for verb, prepare in VERBS.items():
                tasks = Tasks(conn, f"growth.{list(VERBS).index(verb)}")
                for batch in BATCHES:
                    calls = [cost(conn, prepare(tasks, batch), tasks) for _ in range(REPETITIONS)]
                    buffers.setdefault(f"{verb} {batch} tasks, with {state}", {})[size] = min(calls)
    return buffers


def cost(conn: psycopg.Connection, call: Call, tasks: Tasks) -> int:
    """Return how many buffers the call reads. Completes the tasks that it leaves."""
    with conn.transaction():
        conn.execute("set constraints all immediate")  # counts what the call does at its commit too
        row = conn.execute("explain (analyze, buffers, format json) " + call.query, call.params).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    tasks.complete_all(1000)
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def upkeep(conn: psycopg.Connection) -> None:
    """What dispatchers do every few seconds."""
    while (row := conn.execute("select tenuto.fold_runs()").fetchone()) and row[0]:
        pass
    conn.execute("select tenuto.move_floors(true)")
    conn.execute("vacuum (analyze) tenuto.ready_tasks, tenuto.running_tasks, tenuto.tasks, tenuto.arrivals")
