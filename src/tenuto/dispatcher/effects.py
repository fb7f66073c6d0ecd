"""Side effects: each kind has one handler; kinds that nobody here handles are left to others."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

from tenuto.db import outbox
from tenuto.db.pool import Pool
from tenuto.model.outbox import Effect

LEASE = timedelta(minutes=1)  # an effect that is not answered by then is somebody else's

Handler = Callable[[Pool, Effect], Awaitable[None]]
HANDLERS: dict[str, Handler] = {}


async def drain_outbox(pool: Pool, handlers: Mapping[str, Handler], *, owner: str, limit: int) -> int:
    """Do a batch of effects; one that fails comes back later, and its neighbours do not wait for it."""
    taken = await pool.call(outbox.take_effects, owner=owner, kinds=list(handlers), limit=limit, lease=LEASE)
    done: list[int] = []
    failed: dict[int, str] = {}
    for effect in taken:
        try:
            await handlers[effect.kind](pool, effect)
        except Exception as error:  # whatever a handler meets is kept with its effect
            failed[effect.id] = f"{type(error).__name__}: {error}"
        else:
            done.append(effect.id)
    if done:
        await pool.call(outbox.finish_effects, owner=owner, ids=done)
    if failed:
        await pool.call(outbox.fail_effects, owner=owner, ids=list(failed), errors=list(failed.values()))
    return len(taken)
