"""Applies retention on demand: calls the dispatchers' functions until nothing is left to delete."""

from collections.abc import Awaitable, Callable

from tenuto.db import maintenance, outbox, workers
from tenuto.db.connection.pool import ConnectionPool

MAX_COUNTED = 100_000  # a dry run counts up to this number


async def prune(pool: ConnectionPool, *, dry_run: bool) -> dict[str, int]:
    """Deletes everything whose retention has ended, and returns the number of deleted things by kind. A dry run deletes
    nothing, and counts only partitions, runs and leftovers."""
    dropped = await pool.call(maintenance.drop_partitions, dry_run=dry_run)
    if dry_run:
        pruned = await pool.call(maintenance.prune_runs, limit=MAX_COUNTED, dry_run=True)
        return {"partitions": len(dropped), "runs": pruned.runs, "leftovers": pruned.leftovers}
    runs = leftovers = 0
    while (pruned := await pool.call(maintenance.prune_runs)) and (pruned.runs or pruned.leftovers):
        runs, leftovers = runs + pruned.runs, leftovers + pruned.leftovers
    sessions = await _repeat_until_done(lambda: _sessions(pool))
    effects = await _repeat_until_done(lambda: pool.call(outbox.prune_effects))
    leftovers += await _repeat_until_done(lambda: pool.call(maintenance.prune_events))
    leftovers += await _repeat_until_done(lambda: pool.call(maintenance.prune_history))
    counts = {"partitions": len(dropped), "runs": runs, "leftovers": leftovers}
    return {**counts, "worker sessions": sessions, "side effects": effects}


async def _sessions(pool: ConnectionPool) -> int:
    pruned = await pool.call(workers.prune_workers)
    return pruned.sessions + pruned.workers


async def _repeat_until_done(step: Callable[[], Awaitable[int]]) -> int:
    total = 0
    while count := await step():
        total += count
    return total
