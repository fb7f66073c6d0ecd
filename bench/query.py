"""Compares queries with plain DuckDB on the same files: `python bench/query.py`. The targets for medians: at most 50 ms
more than plain DuckDB, and less than 100 ms for a small query on the server's side."""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the repository root: bench/http.py would hide the standard library's http
    sys.path[0] = str(Path(__file__).parents[1])

import asyncio
import datetime
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Sequence
from uuid import UUID, uuid4

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from bench.record import save
from tenuto.model.jobs import PageOfRows
from tenuto.model.queries import PinnedDataset, VersionRead
from tenuto.query.as_of import AsOf
from tenuto.query.pool import ProcessPool
from tenuto.query.service import QueryInput, QueryService
from tenuto.storage.folder import FolderStore

ROUNDS = 9
ROWS = 1_000_000
ORG = uuid4()
QUERIES = {
    "small": "select count(*) from orders where id = 7",
    "aggregate": "select region, sum(amount), count(*) from orders group by region order by region",
    "rows": "select id, region, amount from orders where id < 5000",
}


class FolderCatalog:
    """One dataset, without a database, because looking up names is not part of the comparison."""

    def __init__(self, location: str) -> None:
        self._location = location

    async def pin(self, names: list[str], as_of: AsOf) -> Sequence[PinnedDataset]:  # noqa: ARG002
        storage = {"kind": "file"}
        return [
            PinnedDataset("orders", uuid4(), uuid4(), "shop", 1, dict(storage), "orders/", None, None,
                          [self._location], purged=False)
        ]  # fmt: skip

    async def read_rows(self, number: int, version_id: UUID, location: str, page: int) -> PageOfRows:
        raise AssertionError(f"no rows in Postgres: {number} {version_id} {location} {page}")

    async def record(self, action: str, shape: str, versions: Sequence[VersionRead]) -> None:
        pass


def write_orders(folder: Path) -> Path:
    path = folder / "datasets" / "orders" / "all" / "part-00000.parquet"
    path.parent.mkdir(parents=True)
    regions = [f"region {no % 50}" for no in range(ROWS)]
    amounts = [no % 1000 / 4 for no in range(ROWS)]
    pq.write_table(pa.table({"id": pa.array(range(ROWS)), "region": regions, "amount": amounts}), path)
    return path


def plain(path: Path, sql: str) -> float:
    """Return the seconds of a query in plain DuckDB, from the connection to the rows in Python."""
    began = time.perf_counter()
    with duckdb.connect(":memory:", config={"threads": 2}) as database:
        database.execute(f"create view orders as select * from read_parquet('{path}')")
        database.execute(sql).fetchall()
    return time.perf_counter() - began


async def queried(service: QueryService, sql: str) -> float:
    """Return the seconds of a query, from the request to the last byte of the result."""
    began = time.perf_counter()
    async with service.open(QueryInput(sql), FolderCatalog("orders/all/"), ORG) as running:
        async for _ in running.blocks:
            pass
        took = time.perf_counter() - began
    await asyncio.sleep(0.5)  # so that the next spare process is ready, as between two queries of a user
    return took


async def measure(folder: Path, path: Path) -> dict[str, object]:
    service = QueryService(ProcessPool(), FolderStore(folder))
    results: dict[str, object] = {}
    try:
        for name, sql in QUERIES.items():
            await queried(service, sql)
            pairs = [(plain(path, sql), await queried(service, sql)) for _ in range(ROUNDS)]
            duck, ours = (statistics.median(column) * 1000 for column in zip(*pairs, strict=True))
            results[name] = {
                "plain_ms": round(duck, 1), "query_ms": round(ours, 1), "overhead_ms": round(ours - duck, 1),
            }  # fmt: skip
            print(f"{name:10} plain DuckDB {duck:6.1f} ms   query {ours:6.1f} ms   overhead {ours - duck:6.1f} ms")
    finally:
        await service.close()
    return results


def main() -> None:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        path = write_orders(Path(name))
        results = asyncio.run(measure(Path(name), path))
    about = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(), "cores": os.cpu_count(),
        "python": platform.python_version(), "duckdb": duckdb.__version__, "rows": ROWS, "rounds": ROUNDS,
        "load_before": round(load, 1),
    }  # fmt: skip
    save("query", {**about, "queries": results})


if __name__ == "__main__":
    main()
