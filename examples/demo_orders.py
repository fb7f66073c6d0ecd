"""The second half of the demo: a DAG and its datasets, a new version beside the current one, and the way back."""

import asyncio
import os
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tenuto import Client
from tenuto.sdk.connect import find_address
from tenuto.storage import open_store

if TYPE_CHECKING:
    from uuid import UUID

TENUTO = str(Path(sys.executable).with_name("tenuto"))
FOLDER = Path(__file__).with_name("11_orders")
DAYS = ("2026-11-15", "2026-11-16", "2026-11-17")
TOTAL = "select sum(total) as total from orders_daily"
SUM, MAX = "sum(total) as total", "max(total) as total"


@dataclass
class Orders:
    """The DAG of examples/11_orders: what is done with it, and what its readers see."""

    tn: Client
    console: Console
    folder: Path  # for the edited document
    first: int = 0
    second: int = 0

    async def deploy(self) -> str:
        """Deploys the document and makes it current."""
        self.first = (await self.tn.dags.deploy(FOLDER / "dag.yaml", cutover=True)).version
        return f"orders is {await self.status(self.first)}"

    async def run(self) -> str:
        """Triggers the source for three days; `daily` runs by itself when the orders of a day are committed."""
        await self.tn.jobs.trigger("orders", "extract", DAYS)
        await self.watch("days", self.days)
        rows = await self.read()
        table = Table("day", "region", "orders", "total", title="dataset orders_daily")
        for row in rows:
            table.add_row(*(str(value) for value in row.values()))
        self.console.print(table)
        return f"{len({row['day'] for row in rows})} days, {await self.seen()}"

    async def lineage(self) -> str:
        """Prints what the total is computed from, as `tenuto datasets lineage` does."""
        await self._print("datasets", "lineage", "orders_daily.total")
        graph = await self.tn.datasets.lineage("orders_daily", column="total", direction="up")
        nodes = {node.id: f"{node.dataset}.{node.column}" for node in graph.nodes}
        (source,) = [nodes[edge.source] for edge in graph.edges if edge.kind == "direct"]
        return f"the total comes from {source}"

    async def plan(self) -> str:
        """Edits the SQL of `daily`, and prints what a deploy would do, as `tenuto plan` does."""
        edited = self.folder / "orders.yaml"
        edited.write_text((FOLDER / "dag.yaml").read_text().replace(SUM, MAX))
        await self._print("plan", str(edited))
        plan = await self.tn.dags.plan(edited)
        return f"computes {', '.join(plan.rebuilt)} again, {plan.unchanged_jobs} job stays"

    async def rebuild(self) -> str:
        """Computes the new version beside the current one, whose readers see no difference."""
        self.second = (await self.tn.dags.deploy(self.folder / "orders.yaml")).version
        await self.watch("days of the new version", lambda: self.days(self.second))
        while await self.status(self.second) == "building":
            await asyncio.sleep(0.1)
        return f"readers see {await self.seen()}, the new version has {await self.seen(self.second)}"

    async def cut_over(self) -> str:
        await self.tn.dags.cutover("orders", self.second)
        return f"readers see {await self.seen()}, the old version has {await self.seen(self.first)}"

    async def roll_back(self) -> str:
        await self.tn.dags.rollback("orders", self.first)
        return f"readers see {await self.seen()}"

    async def query(self) -> str:
        """Runs the same query as of both versions, as `tenuto query` does."""
        return ", ".join(await asyncio.gather(*(self._query(f"orders@{one}") for one in (self.first, self.second))))

    async def backfill(self) -> str:
        """Computes the three days again, two at a time."""
        backfill = await self.tn.backfills.start(
            "orders_daily", first=DAYS[0], last=DAYS[-1], reprocess="all", concurrency=2, reason="the demo"
        )

        async def completed() -> int:
            return (await self.tn.backfills.get(backfill.id)).completed

        await self.watch("days of the backfill", completed)
        ended = await self.tn.backfills.wait(backfill.id)
        return f"{ended.status}: {ended.completed} of {ended.total} partitions, {await self.seen()}"

    async def status(self, version: int) -> str:
        (found,) = [found for found in await self.tn.dags.versions("orders") if found.version == version]
        return found.status

    async def days(self, version: int | None = None) -> int:
        """How many partitions of orders_daily are committed, of the current version or of another one."""
        return len(await self.tn.datasets.partitions("orders_daily", version_id=await self._dataset(version)))

    async def seen(self, version: int | None = None) -> str:
        """Return the sum of the totals in orders_daily."""
        return f"a total of {sum(row['total'] for row in await self.read(version)):,}"

    async def read(self, version: int | None = None) -> list[dict[str, Any]]:
        """The rows of orders_daily, of the current version or of another one."""
        found = await self.tn.datasets.partitions("orders_daily", version_id=await self._dataset(version))
        return await asyncio.to_thread(_rows, [partition.location for partition in found])

    async def watch(self, what: str, count: Callable[[], Awaitable[int]]) -> None:
        """Waits until all days are there, with a progress bar."""
        with Progress(console=self.console, transient=True, disable=not self.console.is_terminal) as bar:
            shown = bar.add_task(what, total=len(DAYS))
            while (done := await count()) < len(DAYS):
                bar.update(shown, completed=done)
                await asyncio.sleep(0.1)

    async def _query(self, as_of: str) -> str:
        # The datasets are this user's own, so that a weak sandbox is enough where there is no full one.
        printed = await self._print("query", TOTAL, "--as-of", as_of, "--format", "csv", TENUTO_QUERY_SANDBOX="weak")
        return f"{as_of} has a total of {Decimal(printed.splitlines()[1]):,}"

    async def _print(self, *arguments: str, **environment: str) -> str:
        """Runs a command, prints what it prints, and returns that."""
        run = partial(subprocess.run, check=True, capture_output=True, text=True, env={**os.environ, **environment})
        done = await asyncio.to_thread(run, [TENUTO, *arguments])
        self.console.print(f"[bold]$ tenuto {shlex.join(arguments)}[/]", highlight=False)
        self.console.print(done.stdout, highlight=False, markup=False)
        return done.stdout

    async def _dataset(self, version: int | None) -> "UUID | None":
        """The version of orders_daily that a version of the DAG has; None: the current one."""
        if version is None:
            return None
        found = await self.tn.datasets.versions("orders_daily")
        return next(dataset.id for dataset in found if version in dataset.dag_versions)


def _rows(locations: list[str]) -> list[dict[str, Any]]:
    """Any tool that reads Parquet could do this; Tenuto needs no catalog of its own for it."""
    import pyarrow.parquet as pq

    store = open_store(find_address().storage)
    keys = [item.key for location in locations for item in store.list(f"datasets/{location}")]
    return [row for key in keys if key.endswith(".parquet") for row in pq.read_table(store.open(key)).to_pylist()]
