"""Tenuto at work, from nothing: a Postgres, a worker, what tasks can do, and a DAG that is deployed, changed and rolled
back. `make demo` runs it and ends by itself; `make demo KEEP=1` then shows it all in the dashboard.

The database is the embedded one, or the one that TENUTO_DATABASE_URL names. The worker is a process of its own, started
as anybody would: `tenuto worker examples/demo.py examples/11_orders/jobs.py`.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from demo_orders import FOLDER, Orders
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tenuto import App, Client, Context, Fixed

app = App("demo")
console = Console()
SUMS, MAXIMA = "a total of 150,966.66", "a total of 8,748.70"  # of the orders, which are the same every time
TENUTO = str(Path(sys.executable).with_name("tenuto"))


@app.task
async def greet(name: str) -> str:
    return f"hello, {name}"


@app.task
def add(x: int, y: int) -> int:
    return x + y


@app.task(max_attempts=3, retry=Fixed("500ms"))
async def charge(ctx: Context, order: int) -> str:
    if ctx.attempt == 1:
        raise ConnectionError("the bank does not answer")
    return f"order {order} charged on attempt {ctx.attempt}"


@app.task
async def extract(day: int) -> int:
    await asyncio.sleep(0.05)
    return day


@app.task(max_attempts=3, retry=Fixed("500ms"))
async def merge(ctx: Context, days: list[int]) -> int:
    if ctx.attempt == 1:
        raise OSError("disk is full")
    return sum(days)


@app.task
async def publish(total: int) -> str:
    return f"published {total}"


@app.task
async def order(ctx: Context) -> str:
    await ctx.sleep("1s")
    return f"slept, then approved by {await ctx.wait('approved')}"


@app.task(cron="*/2 * * * * *")
async def tick() -> None: ...


@dataclass
class Story:
    """What was done, what came of it, and how long it took."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)
    wrong: int = 0

    async def tell(self, what: str, expected: str, act: Callable[[], Awaitable[str]]) -> None:
        started = time.perf_counter()
        if console.is_terminal:
            console.print(f"[dim]{what} …[/]")
        try:
            said = await asyncio.wait_for(act(), 60)
        except Exception as error:  # a demo tells of it and goes on
            said = f"{type(error).__name__}: {error}"
        took = f"{(time.perf_counter() - started) * 1000:,.0f} ms"
        self.wrong += said != expected
        self.rows.append((what, said if said == expected else f"[red]{said}[/]", took))

    def show(self) -> None:
        table = Table("what", "what came of it", "took", title="Tenuto, end to end")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)


async def tell_everything(tn: Client, story: Story) -> None:
    async def hello() -> str:
        return await (await tn.start(greet, "world")).result()

    async def thousand() -> str:
        runs = await tn.start_many(add, [(n, n) for n in range(1000)])
        return f"1,000 results, together {sum(await runs.results()):,}"

    async def retried() -> str:
        return await (await tn.start(charge, 7)).result()

    async def durable() -> str:
        run = await tn.start(order)
        await run.signal("approved", "ada")
        return await run.result()

    before = newest_tick()
    await story.tell("a task, while the worker starts", "hello, world", hello)
    if story.wrong:  # without a worker nothing else would come either
        return
    await story.tell("a thousand tasks at once", "1,000 results, together 999,000", thousand)
    await story.tell("a task that fails once", "order 7 charged on attempt 2", retried)
    await story.tell("a graph: 100, then one that fails once, then one", "published 4,950", lambda: show_graph(tn))
    await story.tell("a durable sleep and a signal", "slept, then approved by ada", durable)
    await story.tell("a schedule, every two seconds", "it ticked", lambda: wait_for_tick(before))
    with tempfile.TemporaryDirectory() as folder:
        await tell_orders(Orders(tn, console, Path(folder)), story)


async def tell_orders(orders: Orders, story: Story) -> None:
    """The DAG of examples/11_orders: orders per day, and what they add up to in each region."""
    await story.tell("deploy a DAG: a cron source, a SELECT per day", "orders is current", orders.deploy)
    await story.tell("the orders of three days", f"3 days, {SUMS}", orders.run)
    source = "the total comes from orders_raw.total"
    await story.tell("column lineage: where the total of a day comes from", source, orders.lineage)
    await story.tell("edit the SELECT, and plan", "computes daily again, 1 job stays", orders.plan)
    both = f"readers see {SUMS}, the new version has {MAXIMA}"
    await story.tell("deploy it: computed beside the current version", both, orders.rebuild)
    both = f"readers see {MAXIMA}, the old version has {SUMS}"
    await story.tell("cut over, in one transaction", both, orders.cut_over)
    await story.tell("roll back", f"readers see {SUMS}", orders.roll_back)
    both = f"orders@{orders.first} has {SUMS}, orders@{orders.second} has {MAXIMA}"
    await story.tell("the same query as of both versions", both, orders.query)
    again = f"completed: 3 of 3 partitions, {SUMS}"
    await story.tell("a backfill: three days again, two at a time", again, orders.backfill)


async def show_graph(tn: Client) -> str:
    graph = tn.graph("report")
    graph.add(publish, graph.add(merge, graph.map(extract, range(100))))
    run = await tn.start(graph)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        shown = bar.add_task("graph", total=102)
        async for step in run.progress():
            bar.update(shown, completed=step.completed)
    result = await run.result()
    return f"published {int(result.split()[-1]):,}"


async def wait_for_tick(before: str | None) -> str:
    while await asyncio.to_thread(newest_tick) == before:
        await asyncio.sleep(0.2)
    return "it ticked"


def newest_tick() -> str | None:
    """Runs by schedule are seen as all others, here from the command line."""
    newest = ("runs", "list", "--type", "demo.tick", "--status", "completed", "--limit", "1", "--json")
    done = subprocess.run([TENUTO, *newest], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)["runs"]
    return found[0]["id"] if found else None


@contextmanager
def worker_beside() -> Iterator[None]:
    """A worker for this file and the jobs, ended with the block; what it said is shown if it ended before."""
    with tempfile.TemporaryFile("w+") as log:
        worker = subprocess.Popen(
            [TENUTO, "worker", __file__, str(FOLDER / "jobs.py")], stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
        try:
            yield
        finally:
            ended = worker.poll()
            worker.terminate()
            try:
                worker.wait(20)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()
            if ended is not None:
                log.seek(0)
                console.print(f"[red]the worker ended with code {ended}:[/]\n{log.read()}")


async def main() -> int:
    story, started = Story(), time.perf_counter()
    async with app.connect() as tn:
        console.print(f"Postgres is ready ({(time.perf_counter() - started) * 1000:,.0f} ms)")
        with worker_beside():
            await tell_everything(tn, story)
        subprocess.run([TENUTO, "schedules", "delete", "demo.tick"], check=False, capture_output=True)  # it was ours
    story.show()
    if story.wrong:
        console.print(f"[red]{story.wrong} of {len(story.rows)} did not go as they should[/]")
        return 1
    console.print("All as it should be. Look around: .venv/bin/tenuto runs list\nNext: docs/quickstart.md")
    if os.environ.get("KEEP"):
        console.print("The dashboard with all of this follows; open the login link.")
        os.execv(TENUTO, [TENUTO, "up", __file__, str(FOLDER / "jobs.py")])  # noqa: S606 - our own program
    console.print("The dashboard with all of this: make demo KEEP=1, then http://127.0.0.1:8080/ui/")
    return 0


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
