"""Measures how events are routed: `python -m bench.events [--quick] [--save]`.

A source commits partitions of a dataset. A job reads the dataset, with one task per event. First, one connection routes
5,000 waiting commits as a dispatcher does. This gives events per second, and CPU time of the server per event, which
other load on the machine hardly affects. Then 200 commits per second arrive while a dispatcher runs. This gives the
time from a commit until its task is queued, as another connection sees it.
"""

import asyncio
import json
import statistics
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

from bench.meter import server_seconds
from bench.program import own_server, read_options, report
from bench.record import facts
from tenuto.dag.parse import parse_dag
from tenuto.db import events, outbox
from tenuto.db.connection.call import Conn
from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.dispatcher.main import dispatch
from tenuto.sdk.connect import DEFAULT_ORG
from tenuto.sdk.operations.sql_dags import SqlDags

RATE = 200
TARGETS = {"events_per_second": 2000.0, "p99_ms": 250.0}
DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": "shop",
    "jobs": [
        {
            "name": "extract",
            "activation": "source",
            "source": {"kind": "manual"},
            "operator": "sql",
            "config": {"sql": "select 1"},
            "outputs": [{"dataset": "raw", "partition": {"kind": "key", "column": "shop"}}],
        },
        {
            "name": "each",
            "activation": "reactive",
            "execution_strategy": "PerUpdate",
            "inputs": [{"from": {"dataset": "raw"}}],
            "operator": "python",
            "config": {"task": "shop.jobs:each"},
            "outputs": [],
        },
    ],
}
# Makes commits as completed tasks do, each for another task.
COMMIT = """
select tenuto._commit_outputs(array_agg(jsonb_populate_record(null::tenuto.task_outputs, jsonb_build_object(
  'org_id', s.org_id, 'dag_version_id', s.dag_version_id, 'job_key', s.job_key, 'task_id', tenuto._uuid7(),
  'attempt', 1, 'inputs', '[]'::jsonb, 'published', jsonb_build_array(jsonb_build_object(
    'output', 0, 'partition', 'shop-' || n, 'location', 'bench/', 'rows', 1, 'bytes', 1,
    'fingerprint', encode(sha256(n::text::bytea), 'hex')))))))
from tenuto.dag_version_datasets s
cross join generate_series(%s::int, %s::int) n
where s.name = 'raw'
"""


async def commit(pool: ConnectionPool, first: int, last: int) -> None:
    async with pool.connection() as conn:
        await conn.execute(COMMIT, [first, last])


async def route_all(pool: ConnectionPool) -> tuple[float, float]:
    """Route all waiting events on the only connection of the pool. Return the elapsed seconds, and the CPU seconds of
    the server."""
    began, cpu_began = time.perf_counter(), await pool.call(server_cpu)

    async def turn(conn: Conn) -> int:
        kinds, lease = ["route_event"], timedelta(minutes=1)
        taken = await outbox.take_effects(conn, owner="bench", kinds=kinds, limit=100, lease=lease)
        await events.route_events(conn, owner="bench", ids=[effect.id for effect in taken])
        return len(taken)

    while await pool.call(turn):
        pass
    return time.perf_counter() - began, await pool.call(server_cpu) - cpu_began


async def server_cpu(conn: Conn) -> float:
    return server_seconds(conn.info.backend_pid)


async def measure_delay(url: str, pool: ConnectionPool, first: int, count: int) -> list[float]:
    """Commit at a steady rate while a dispatcher runs. Return the milliseconds until each commit was routed."""
    stop = asyncio.Event()
    dispatcher = asyncio.create_task(dispatch(url, role=None, stop=stop))
    sent: list[float] = []
    delays: list[float] = []

    async def send() -> None:
        began = time.perf_counter()
        for number in range(count):
            await asyncio.sleep(max(0.0, began + number / RATE - time.perf_counter()))
            sent.append(time.perf_counter())
            await commit(pool, first + number, first + number)

    before = await pool.call(_newest_event)
    sender = asyncio.create_task(send())
    while len(delays) < count:
        done, now = await pool.call(_routed, before), time.perf_counter()
        delays += [1000 * (now - at) for at in sent[len(delays) : done]]
        await asyncio.sleep(0.01)
    await sender
    stop.set()
    await dispatcher
    return delays


async def _newest_event(conn: Conn) -> Any:
    newest = "select event_id from tenuto.event_reactions order by event_id desc limit 1"
    return (await (await conn.execute(newest)).fetchall())[0][0]


async def _routed(conn: Conn, after: Any) -> int:
    """Return how many events after the event `after` have a reaction. Earlier events are not counted, so that measuring
    costs little."""
    count = "select count(*) from tenuto.event_reactions where event_id > %s"
    return (await (await conn.execute(count, [after])).fetchall())[0][0]


async def measure(url: str, waiting: int, seconds: int) -> dict[str, float]:
    async with open_pool(url, size=3) as pool, open_pool(url, size=1) as router:
        dags = SqlDags(pool, UUID(str(DEFAULT_ORG)), actor="bench")
        await dags.deploy_dag(parse_dag(json.dumps(DOCUMENT)), cutover=True)
        await commit(pool, 1, 200)
        await route_all(router)  # compiles the functions
        await commit(pool, 201, 200 + waiting)
        taken, cpu = await route_all(router)
        delays = await measure_delay(url, pool, 300 + waiting, RATE * seconds)
        cuts = statistics.quantiles(delays, n=100)
        return {
            "events_per_second": round(waiting / taken, 1), "server_cpu_ms_per_event": round(1000 * cpu / waiting, 3),
            "p50_ms": round(cuts[49], 1), "p99_ms": round(cuts[98], 1),
        }  # fmt: skip


def main() -> None:
    options = read_options(__doc__, quick="500 events, 2 seconds")
    waiting, seconds = (500, 2) if options.quick else (5000, 20)
    with own_server() as (url, _):
        figures = asyncio.run(measure(url, waiting, seconds))
        result = {**facts(url), "waiting": waiting, "rate": RATE, **figures, "targets": TARGETS}
    report("events", result, options)


if __name__ == "__main__":
    main()
