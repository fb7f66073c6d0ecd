"""Deploys, cuts over and rolls back in processes that kill themselves:
`python -m tests.support.processes.dying_deployer URL`.

Each line of input is a JSON object with `action`, `yaml`, `name`, `expected`, `cutover` and `dies_after`, a call or
`commit`; each line of output is the signal that ended the process. It forks, because imports take most of the time.
"""

import asyncio
import json
import os
import signal
import sys
from typing import Any

from tenuto.dag.parse import parse_dag
from tenuto.db import datasets
from tenuto.db.connection.pool import open_pool
from tenuto.sdk.connect import DEFAULT_ORG
from tenuto.sdk.operations import deploys


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(name: str) -> None:
    """Makes this call of the database the last thing that the process does."""
    call = getattr(datasets, name)

    async def call_and_die(*args: Any, **params: Any) -> None:
        await call(*args, **params)
        die()

    setattr(datasets, name, call_and_die)


async def act(url: str, order: dict[str, Any]) -> None:
    if order["dies_after"] != "commit":
        dying(order["dies_after"])
    async with open_pool(url, size=1) as pool, pool.connection() as conn:
        async with conn.transaction():
            if order["action"] == "deploy":
                dag = parse_dag(order["yaml"])
                options = {"actor": "ann", "cutover": order["cutover"], "functions": dag.functions()}
                await deploys.deploy_dag(conn, org_id=DEFAULT_ORG, dag=dag, **options)
            else:
                move = getattr(datasets, f"{order['action']}_dag")
                await move(conn, org_id=DEFAULT_ORG, name=order["name"], expected=order["expected"], actor="ann")
        die()


def main(url: str) -> None:
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            asyncio.run(act(url, json.loads(line)))
        print(os.WTERMSIG(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
