"""Retention on demand: the same functions that dispatchers call, until nothing is left for them."""

from collections.abc import Awaitable, Callable

from tenuto.db import maintenance, outbox, workers
from tenuto.db.connection.pool import ConnectionPool

MAX_COUNTED = 100_000  # a dry run counts up to here


async def prune(pool: ConnectionPool, *, dry_run: bool) -> dict[str, int]:
    """How many of what went, or would go: partitions and runs; the rest is only counted when it goes."""
    dropped = await pool.call(maintenance.drop_partitions, dry_run=dry_run)
    if dry_run:
        found = await pool.call(maintenance.prune_runs, limit=MAX_COUNTED, dry_run=True)
        return {"partitions": len(dropped), "runs": found.runs, "leftovers": found.leftovers}
    runs = leftovers = 0
    while (found := await pool.call(maintenance.prune_runs)) and (found.runs or found.leftovers):
        runs, leftovers = runs + found.runs, leftovers + found.leftovers
    sessions = await _all(lambda: _sessions(pool))
    effects = await _all(lambda: pool.call(outbox.prune_effects))
    counts = {"partitions": len(dropped), "runs": runs, "leftovers": leftovers}
    return {**counts, "worker sessions": sessions, "side effects": effects}


async def _sessions(pool: ConnectionPool) -> int:
    found = await pool.call(workers.prune_workers)
    return found.sessions + found.workers


async def _all(step: Callable[[], Awaitable[int]]) -> int:
    total = 0
    while count := await step():
        total += count
    return total
