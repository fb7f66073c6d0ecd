"""Side effects: each kind has one handler. Kinds without a handler here are left to other processes."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

from tenuto.db import outbox
from tenuto.db.connection.call import Conn
from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.parking import Turn, Work, is_of_a_row, split
from tenuto.model.maintenance import DueRow
from tenuto.model.outbox import Effect

LEASE = timedelta(minutes=1)  # after this time another dispatcher may take the effect

Handler = Callable[[ConnectionPool, Effect], Awaitable[None]]
HANDLERS: dict[str, Handler] = {}


async def drain_outbox(pool: ConnectionPool, handlers: Mapping[str, Handler], *, owner: str, limit: int) -> int:
    """Handle a batch of effects. One that fails is retried later and does not delay the others. An effect whose result
    cannot be recorded is parked and handled again."""
    taken = await pool.call(outbox.take_effects, owner=owner, kinds=list(handlers), limit=limit, lease=LEASE)
    failed: dict[int, str] = {}
    for effect in taken:
        try:
            await handlers[effect.kind](pool, effect)
        except Exception as error:  # any error of a handler is stored with its effect
            failed[effect.id] = f"{type(error).__name__}: {error}"

    async def finish(conn: Conn, keys: list[str]) -> None:
        await outbox.finish_effects(conn, owner=owner, ids=[int(key) for key in keys])

    async def fail(conn: Conn, keys: list[str]) -> None:
        ids = [int(key) for key in keys]
        await outbox.fail_effects(conn, owner=owner, ids=ids, errors=[failed[id] for id in ids])

    await _report(pool, [effect for effect in taken if effect.id not in failed], finish)
    await _report(pool, [effect for effect in taken if effect.id in failed], fail)
    return len(taken)


async def _report(pool: ConnectionPool, effects: list[Effect], report: Work) -> None:
    """Report a batch. If that fails, report smaller pieces, and park the effects whose report fails on its own."""
    if not effects:
        return
    try:
        await pool.call(report, [str(effect.id) for effect in effects])
    except Exception as error:
        if not is_of_a_row(error):
            raise
        rows = [DueRow(str(effect.id), effect.org_id, None, None) for effect in effects]
        await Turn(pool, "drain_outbox", report).serve(split(rows))
