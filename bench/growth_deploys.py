"""Measures how the cost of deploys grows with their size: each function returns the server seconds of a call at size
n."""

from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from bench.meter import metered
from tenuto.model.json import JsonObject

ORG = UUID("00000000-0000-7000-8000-000000000001")
FORGET = "truncate tenuto.dags, tenuto.bundles cascade"
DEPLOY = "select tenuto.deploy_dag(%s, 'growth', 'x', %s, 1, %s, 'bench')"
CUTOVER = "select tenuto.cutover_dag(%s, 'growth', %s, 'bench')"


def deploy(conn: psycopg.Connection, n: int) -> float:
    """Deploy the second version of n jobs, each with a dataset."""
    conn.execute(FORGET)
    conn.execute(DEPLOY, [ORG, "1" * 64, jobs(n, "1")])
    conn.execute("analyze")
    second = jobs(n, "2")
    return metered(conn, lambda: conn.execute(DEPLOY, [ORG, "2" * 64, second]))


def cutover(conn: psycopg.Connection, n: int) -> float:
    """Cut over to a version in which all of n datasets have changed."""
    deploy(conn, n)
    conn.execute(CUTOVER, [ORG, 0])
    conn.execute(DEPLOY, [ORG, "3" * 64, jobs(n, "3")])
    conn.execute("analyze")
    return metered(conn, lambda: conn.execute(CUTOVER, [ORG, 2]))


def jobs(n: int, digit: str) -> Jsonb:
    return Jsonb([job(number, digit) for number in range(n)])


def job(number: int, digit: str) -> JsonObject:
    """Return a source with one dataset. Another digit makes another definition."""
    return {
        "name": f"job_{number}",
        "activation": "source",
        "runtime": "worker",
        "operator": "sql",
        "config_hash": digit * 64,
        "metadata_hash": digit * 64,
        "inputs": [],
        "outputs": [{"dataset": f"dataset_{number}", "storage": {"kind": "file"}, "schema_hash": None}],
    }
