"""Measures how long it takes to follow lineage: `python -m bench.lineage [--quick] [--save]`.

There are 10,000 datasets with five columns each, in 21 layers. Each dataset is computed from two datasets of the layer
before. The lineage of a dataset of the last layer is followed up 20 steps, and that of a dataset of the first layer
down. The same is done for a column of each. Figures are wall-clock milliseconds as a client sees them, the median of
several tries.
"""

import asyncio
import statistics
import time
from typing import Any

import psycopg

from bench.program import own_server, read_options, report
from bench.record import facts
from tenuto.db import datasets
from tenuto.db.connection.pool import open_pool
from tenuto.sdk.connect import DEFAULT_ORG

TRIES, DEPTH = 7, 20
TARGET_MS = 100.0

FILL = (
    "insert into tenuto.dags (id, org_id, name, created_at) values (gen_random_uuid(), %(org)s, 'lineage', now())",
    """insert into tenuto.datasets (id, org_id, name, dag_id, created_at, updated_at)
       select gen_random_uuid(), %(org)s, 'd_' || n, d.id, now(), now()
       from tenuto.dags d, generate_series(0, %(count)s - 1) n where d.name = 'lineage'""",
    """insert into tenuto.dataset_versions (id, org_id, dataset_id, config_hash, storage, storage_location, created_at)
       select gen_random_uuid(), org_id, id, repeat('0', 64), '{}', id || '/', now() from tenuto.datasets""",
    """insert into tenuto.job_controls (job_key, org_id, dag_id, created_at)
       select d.id, d.org_id, d.dag_id, now() from tenuto.datasets d""",
    """update tenuto.datasets d set current_version_id = v.id, job_key = d.id, output = 0
       from tenuto.dataset_versions v where v.dataset_id = d.id""",
    """insert into tenuto.table_lineage (org_id, dataset_version_id, input_version_id, input_dataset_id, recorded_at)
       select o.org_id, o.current_version_id, i.current_version_id, i.id, now()
       from generate_series(%(width)s, %(count)s - 1) n cross join generate_series(0, 1) k
       join tenuto.datasets o on o.name = 'd_' || n
       join tenuto.datasets i
         on i.name = 'd_' || ((n / %(width)s - 1) * %(width)s + (n * 7 + k * 3) %% %(width)s)""",
    """insert into tenuto.lineage_methods
       select org_id, current_version_id, 'sql', 'exact', 'x', gen_random_uuid(), now() from tenuto.datasets""",
    """insert into tenuto.column_lineage
       select t.org_id, t.dataset_version_id, 'c' || c, t.input_dataset_id, 'c' || (c + 1) %% 5, 'direct', 'identity'
       from tenuto.table_lineage t cross join generate_series(0, 4) c""",
)
TABLES = "tenuto.datasets, tenuto.dataset_versions, tenuto.table_lineage, tenuto.column_lineage, tenuto.lineage_methods"


def fill(db: psycopg.Connection, *, width: int, layers: int) -> None:
    """Store layers of datasets, each computed from the layer before."""
    for statement in FILL:
        db.execute(statement, {"org": DEFAULT_ORG, "width": width, "count": width * layers})
    db.execute(f"analyze {TABLES}".encode())


async def measure(url: str, width: int, layers: int, tries: int) -> dict[str, float]:
    with psycopg.connect(url, autocommit=True) as db:
        fill(db, width=width, layers=layers)
    last = f"d_{width * layers - 1}"
    questions: dict[str, dict[str, Any]] = {
        "tables_up_ms": {"dataset": last, "down": False},
        "tables_down_ms": {"dataset": "d_0", "up": False},
        "columns_up_ms": {"dataset": last, "column": "c0", "down": False},
        "columns_down_ms": {"dataset": "d_0", "column": "c0", "up": False},
    }
    figures: dict[str, float] = {}
    async with open_pool(url, size=1) as pool:
        for name, question in questions.items():
            taken: list[float] = []
            for _ in range(tries):
                began = time.perf_counter()
                graph = await pool.call(datasets.get_lineage, org_id=DEFAULT_ORG, depth=DEPTH, every=True, **question)
                taken.append(1000 * (time.perf_counter() - began))
            figures[name] = round(statistics.median(taken), 1)
            figures[name.replace("_ms", "_edges")] = len(graph["edges"])  # type: ignore[arg-type]
    return figures


def main() -> None:
    options = read_options(__doc__, quick="a tenth of the datasets, two tries")
    width, tries = (48, 2) if options.quick else (477, TRIES)
    with own_server() as (url, _):
        figures = asyncio.run(measure(url, width, DEPTH + 1, tries))
        recorded = facts(url)
    report("lineage", {**recorded, "datasets": width * (DEPTH + 1), "target_ms": TARGET_MS, **figures}, options)


if __name__ == "__main__":
    main()
