"""DBOS workflows: a task is a queued workflow, a chain a workflow of three steps, a fan a workflow with children."""

import asyncio

from dbos import DBOS, DBOSConfig

from bench.peers import sender
from bench.peers.tally import hit
from bench.peers.tally import late as note

QUEUE = "bench"
PARENTS = "parents"  # a separate queue: waiting parents would take the slots of their children
CONFIG: DBOSConfig = {
    "name": "bench",
    "system_database_url": sender.url().replace("postgresql://", "postgresql+psycopg://"),
    "application_version": "1",
    "sys_db_pool_size": 50,
    "max_executor_threads": 128,
    "log_level": "ERROR",
}


@DBOS.workflow(name="noop")
async def noop(n: int) -> int:
    hit()
    return n


@DBOS.workflow(name="late")
async def late(sent: int) -> None:
    note(sent)


@DBOS.step(name="step")
async def step(n: int) -> int:
    hit()
    return n + 1


@DBOS.workflow(name="chain")
async def chain() -> int:
    return await step(await step(await step(0)))


@DBOS.workflow(name="fan")
async def fan(width: int) -> int:
    children = await asyncio.gather(*[DBOS.enqueue_workflow_async(QUEUE, noop, n) for n in range(width)])
    total = sum(await asyncio.gather(*[child.get_result() for child in children]))
    hit()
    return total
