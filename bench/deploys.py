"""Measures plan, deploy, cutover and rollback of a large DAG: `python -m bench.deploys [--quick] [--save]`.

A DAG of 1,000 jobs is deployed and cut over. Each job writes a dataset and reads the dataset of the job before. Then
the first job is edited, so that every job must be computed again. The edit is planned from its YAML, deployed, cut over
and rolled back. Figures are wall-clock milliseconds as a client sees them, the median of several tries.
"""

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable
from typing import Any

from bench.program import own_server, read_options, report
from bench.record import facts
from tenuto.dag.parse import parse_dag
from tenuto.db.connection.pool import open_pool
from tenuto.sdk.connect import DEFAULT_ORG
from tenuto.sdk.operations.sql_dags import SqlDags

TRIES = 5
TARGETS = {"plan_ms": 1000.0, "cutover_ms": 50.0}


def document(jobs: int, sql: str) -> str:
    """Return a chain of jobs. Another `sql` changes the definition of the first job, and so of all jobs."""
    first: dict[str, Any] = {
        "name": "job_0",
        "activation": "source",
        "source": {"kind": "manual"},
        "operator": "sql",
        "config": {"sql": sql},
        "outputs": [{"dataset": "dataset_0"}],
    }
    others = [
        {
            "name": f"job_{number}",
            "activation": "reactive",
            "execution_strategy": "PerUpdate",
            "inputs": [{"from": {"job": f"job_{number - 1}"}}],
            "operator": "sql",
            "config": {"sql": "select 1"},
            "outputs": [{"dataset": f"dataset_{number}"}],
        }
        for number in range(1, jobs)
    ]
    return json.dumps({"version": 1, "name": "large", "jobs": [first, *others]})


async def measure(url: str, jobs: int, tries: int) -> dict[str, float]:
    async with open_pool(url, size=1) as pool:
        dags = SqlDags(pool, DEFAULT_ORG, actor="bench")
        taken: dict[str, list[float]] = {}

        async def timed(name: str, work: Awaitable[Any]) -> None:
            began = time.perf_counter()
            await work
            taken.setdefault(name, []).append(1000 * (time.perf_counter() - began))

        async def plan(text: str) -> None:
            await dags.plan_dag(await asyncio.to_thread(parse_dag, text))

        await dags.deploy_dag(parse_dag(document(jobs, "select 0")), cutover=True)
        for number in range(1, tries + 1):
            text = document(jobs, f"select {number}")
            await timed("plan_ms", plan(text))
            dag = parse_dag(text)
            await timed("deploy_ms", dags.deploy_dag(dag, cutover=False))
            await timed("cutover_ms", dags.cutover_dag("large", version=None, expected=None))
            await timed("rollback_ms", dags.rollback_dag("large", version=None, expected=None))
        return {name: round(statistics.median(times), 1) for name, times in taken.items()}


def main() -> None:
    options = read_options(__doc__, quick="100 jobs")
    jobs = 100 if options.quick else 1000
    with own_server() as (url, _):
        figures = asyncio.run(measure(url, jobs, TRIES))
        result = {**facts(url), "jobs": jobs, **figures, "targets": TARGETS}
    report("deploys", result, options)


if __name__ == "__main__":
    main()
