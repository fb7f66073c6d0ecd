"""DAG documents for tests."""

import json
from copy import deepcopy
from typing import Any

from tenuto.dag.definitions import Dag
from tenuto.dag.parse import parse_dag
from tenuto.dag.problems import DagProblem, InvalidDag

COLLECT: dict[str, Any] = {  # a sink, to which other jobs append
    "name": "collect",
    "activation": "source",
    "source": {"kind": "buffer"},
    "operator": "sink",
    "update_strategy": "append",
    "unique_key": ["id"],
    "outputs": [
        {"dataset": "all_rows", "storage": {"kind": "postgres"}, "columns": [{"name": "id", "type": "integer"}]}
    ],
}
ORDERS: dict[str, Any] = {
    "version": 1,
    "name": "orders",
    "defaults": {"max_attempts": 5},
    "jobs": [
        {
            "name": "extract",
            "activation": "source",
            "operator": "python",
            "source": {"kind": "cron", "schedule": "0 3 * * *"},
            "config": {"task": "shop.extract"},
            "update_strategy": "append",
            "unique_key": ["order_id"],
            "outputs": [{"dataset": "orders_raw", "columns": [{"name": "order_id", "type": "bigint"}]}],
        },
        {
            "name": "daily",
            "activation": "reactive",
            "operator": "sql",
            "execution_strategy": "PerPartition",
            "inputs": [{"from": {"dataset": "orders_raw"}, "map": {"kind": "time", "every": "day"}}],
            "config": {"sql": "select 1"},
            "outputs": [{"dataset": "orders_daily"}],
        },
        {
            "name": "report",
            "activation": "reactive",
            "operator": "python",
            "execution_strategy": "PerUpdate",
            "inputs": [{"from": {"job": "daily"}}],
            "config": {"task": "shop.report"},
            "outputs": 1,
        },
    ],
}


# Another DAG, whose dataset few may read.
VAULT: dict[str, Any] = {
    "version": 1,
    "name": "vault",
    "jobs": [
        {
            "name": "collect",
            "activation": "source",
            "source": {"kind": "manual"},
            "operator": "python",
            "config": {"task": "vault.collect"},
            "outputs": [{"dataset": "secrets"}],
        }
    ],
}


def a_document(**changes: Any) -> dict[str, Any]:
    """The document of orders with other top-level fields."""
    return {**deepcopy(ORDERS), **changes}


def with_job(name: str, /, **changes: Any) -> dict[str, Any]:
    """The document of orders with other fields in one job; a field that is None is removed."""
    document = a_document()
    job = next(job for job in document["jobs"] if job["name"] == name)
    job.update(changes)
    for field in [field for field, value in job.items() if value is None]:
        del job[field]
    return document


def parsed(document: dict[str, Any]) -> Dag:
    return parse_dag(json.dumps(document))


def problems_of(document: dict[str, Any] | str | bytes) -> list[DagProblem]:
    """What is wrong with a document, which must be invalid."""
    try:
        parse_dag(json.dumps(document) if isinstance(document, dict) else document)
    except InvalidDag as invalid:
        return invalid.problems
    raise AssertionError("the document is valid")


def messages(document: dict[str, Any] | str | bytes) -> list[str]:
    """The path, message and hint of each problem."""
    return [str(problem).partition(": ")[2] for problem in problems_of(document)]
