"""Whether anybody has ever served a type: who mistypes one hears it at once, not from a task that waits for ever."""

from tenuto.cli.session import CommandContext


async def why_unserved(desk: CommandContext, type: str, *, otherwise: str) -> str | None:
    """What to say of a type that no worker has ever served, with the one that was meant or else what to do."""
    from tenuto.db import runs
    from tenuto.sdk.suggestions import nearest

    if not await desk.pool.call(runs.list_unknown_types, org_id=desk.org_id, types=[type]):
        return None
    near = nearest(type, await desk.pool.call(runs.list_types, org_id=desk.org_id))
    return f"no worker has ever served {type}; " + (f"did you mean {near}?" if near else otherwise)
