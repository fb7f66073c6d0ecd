"""The kernel at work: a small graph is started, one task fails and is retried, and the run completes by itself.

Every step below is one SQL function. The database is an embedded Postgres, or the one TENUTO_DATABASE_URL names.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

import psycopg
from rich.console import Console
from rich.table import Table

from tenuto.cli.settings import read_settings
from tenuto.db import attempts, embedded, install, runs, upkeep, workers
from tenuto.model.tasks import Claimed
from tenuto.model.workers import Session

T = TypeVar("T")

ORG = UUID("00000000-0000-7000-8000-000000000001")
GRAPH = ("extract eu", "extract us", "merge", "publish")


@dataclass
class Story:
    """What happened, and how long the database took for it."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)

    async def tell(self, call: str, answer: Awaitable[T], what: Callable[[T], str]) -> T:
        started = time.perf_counter()
        result = await answer
        self.rows.append((call, what(result), f"{(time.perf_counter() - started) * 1000:.1f} ms"))
        return result

    def show(self, title: str) -> None:
        table = Table("call", "what happened", "took", title=title)
        for row in self.rows:
            table.add_row(*row)
        Console().print(table)


async def run_graph(url: str) -> str:
    """Start a graph, work on it until nothing is left, and show the story; answers how the run ended."""
    story = Story()
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
        start = runs.start_run(
            conn,
            org_id=ORG,
            run={"name": "demo"},
            kinds=[{"type": "demo.work", "queue": "demo", "backoff_seconds": 0}],
            inputs=list(GRAPH),
            edges=[{"from": 0, "to": 2}, {"from": 1, "to": 2}, {"from": 2, "to": 3}],
        )
        run = await story.tell("start_run", start, lambda _: "two extracts, then merge, then publish")
        register = workers.register_worker(conn, org_id=ORG, worker_id="demo worker")
        session = await story.tell("register_worker", register, lambda _: "a worker, with a lease of a minute")
        await work(conn, story, session)
        fold = upkeep.fold_runs(conn, run_ids=[run.run_id])
        await story.tell("fold_runs", fold, lambda _: "the run's counts are added up: it is over")
        cursor = await conn.execute("select status, output from tenuto.run_status where id = %s", [run.run_id])
        status, output = await cursor.fetchone() or ("gone", None)
    story.show(f"One run, from start to {status}, with output {output!r}")
    return status


async def work(conn: psycopg.AsyncConnection, story: Story, session: Session) -> None:
    """Claim and complete what is ready; the very first task fails once."""
    fence = {"session_id": session.session_id, "token": session.token}
    served = await attempts.resolve_routes(conn, session_id=session.session_id, queues=["demo"])
    routes = [route.route_id for route in served]
    claim_no = 0
    while True:
        claim_no += 1
        await upkeep.promote_due(conn)
        claim = attempts.claim_tasks(conn, **fence, claim_no=claim_no, routes=routes, limit=10)
        claims = await story.tell(
            "claim_tasks", claim, lambda c: ", ".join(map(_name, c)) or "nothing is ready any more"
        )
        if not claims:
            return
        if claim_no == 1:
            broken = claims.pop(0)
            held = {"task_ids": [broken.task_id], "attempts": [broken.attempt]}
            fail = attempts.fail_tasks(conn, **fence, **held, errors=["no route to host"])
            await story.tell("fail_tasks", fail, lambda _: "the first fails, and will be retried")
        held = {"task_ids": [c.task_id for c in claims], "attempts": [c.attempt for c in claims]}
        done = attempts.complete_tasks(conn, **fence, **held, outputs=[f"{c.input} done" for c in claims])
        await story.tell(
            "complete_tasks", done, lambda a: f"{a[0].answer}; what depends on it is released in the same commit"
        )


def _name(claim: Claimed) -> str:
    return f"{claim.input} (attempt {claim.attempt})"


def main() -> None:
    settings = read_settings()
    if settings.database_url:
        _run(settings.database_url)
    else:
        with embedded.server(settings.home, pg_bin=settings.pg_bin) as url:
            _run(url)


def _run(url: str) -> None:
    started = time.perf_counter()
    report = install.migrate(url)
    Console().print(
        f"Postgres is ready, schema version {report.schema_version} ({(time.perf_counter() - started) * 1000:.0f} ms)"
    )
    if asyncio.run(run_graph(url)) != "completed":
        raise SystemExit(1)


if __name__ == "__main__":
    main()
