"""Datasets with real rows: deploys a DAG, and completes its tasks with Parquet files or rows in Postgres."""

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
from psycopg.types.json import Jsonb

from tenuto.sdk.jobs.parquet_files import stage, write_files
from tenuto.sdk.jobs.rows import Rows
from tenuto.storage.base import Store
from tests.support.database.jobs import deployed, publication, trigger
from tests.support.database.tasks import Db, a_worker, call

ORDER_COLUMNS = [
    {"name": "id", "type": "bigint"},
    {"name": "region", "type": "varchar"},
    {"name": "amount", "type": "decimal(10,2)"},
]
ORDER_SCHEMA = pa.schema(
    [pa.field("id", pa.int64()), pa.field("region", pa.string()), pa.field("amount", pa.decimal128(10, 2))]
)
Order = tuple[int, str, str]


def shop(
    note: str = "first",
    *,
    storage: str = "file",
    dataset: str = "orders",
    name: str = "shop",
    reader: str | None = None,
) -> dict[str, Any]:
    """A DAG with one job that publishes orders, and one that reads them. Another note gives another version."""
    return {
        "name": name,
        "jobs": [
            {
                "name": "extract",
                "activation": "source",
                "operator": "python",
                "source": {"kind": "manual"},
                "config": {"task": "shop.extract", "arguments": {"note": note}},
                "outputs": [{"dataset": dataset, "storage": {"kind": storage}, "columns": ORDER_COLUMNS}],
            },
            *([_reader(reader, dataset)] if reader else []),
        ],
    }


def _reader(name: str, dataset: str) -> dict[str, Any]:
    return {
        "name": name,
        "activation": "reactive",
        "operator": "python",
        "execution_strategy": "PerUpdate",
        "inputs": [{"from": {"dataset": dataset}}],
        "config": {"task": "shop.report"},
        "outputs": [{"dataset": f"{dataset}_{name}"}],
    }


def publish_orders(db: Db, store: Store, orders: list[Order], *, dag: str = "shop") -> None:
    """Run the job once: it publishes these orders."""
    worker = a_worker(db)
    trigger(db, dag=dag)
    (claim,) = worker.claim(1)
    item = publication(claim)
    if claim.input["job"]["outputs"][0]["storage"]["kind"] == "postgres":
        rows = [[str(value) for value in order] for order in orders]
        where = {"output": 0, "location": item["location"], "page": 0}
        call(db, "stage_rows", **worker.fence, task_id=claim.task_id, attempt=claim.attempt, **where, rows=Jsonb(rows))
    else:
        with tempfile.TemporaryDirectory() as folder:
            stage(store, item["location"], write_files(_rows(orders), Path(folder)))
    (answer,) = worker.complete(claim, published=[[item]])
    assert answer == "accepted"


def deploy_orders(db: Db, store: Store, orders: list[Order], **options: Any) -> None:
    """Deploy the shop and publish these orders."""
    expected = options.pop("expected", 0)
    document = shop(**options)
    deployed(db, document, expected=expected)
    publish_orders(db, store, orders, dag=document["name"])


def _rows(orders: list[Order]) -> Rows:
    columns = list(zip(*orders, strict=True)) or [(), (), ()]
    arrays = [
        pa.array(columns[0], pa.int64()),
        pa.array(columns[1], pa.string()),
        pa.array(columns[2], pa.string()).cast(pa.decimal128(10, 2)),
    ]
    table = pa.Table.from_arrays(arrays, schema=ORDER_SCHEMA)
    return Rows(table.schema, table.to_batches())
