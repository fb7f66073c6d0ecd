"""Whether anybody has ever served a type: who mistypes one hears it at once, not from a task that waits for ever."""

from tenuto.cli.asking import Desk

LATEST = 200  # workers whose types are looked at for one that was meant


async def why_unserved(desk: Desk, type: str, *, otherwise: str) -> str | None:
    """What to say of a type that no worker has ever served, with the one that was meant or else what to do."""
    from tenuto.db import monitoring, runs
    from tenuto.sdk.misspelt import nearest

    if not await desk.pool.call(runs.unknown_types, org_id=desk.org_id, types=[type]):
        return None
    workers = await desk.pool.call(monitoring.list_workers, org_id=desk.org_id, limit=LATEST)
    near = nearest(type, {known for worker in workers for known in worker.metadata.get("types", [])})
    return f"no worker has ever served {type}; " + (f"did you mean {near}?" if near else otherwise)
