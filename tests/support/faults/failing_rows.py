"""Rows that make a dispatcher loop raise, and single steps of the loops."""

import asyncio
from typing import Any
from uuid import UUID

from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.dispatcher.dispatcher import Dispatcher
from tenuto.dispatcher.loops import LOOPS
from tenuto.model.ids import uuid7
from tenuto.model.keys import Peppers
from tenuto.model.outbox import Effect
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def poison(
    db: Db,
    table: str,
    id: UUID | int,
    *,
    on: str = "delete",
    column: str = "org_id",
    does: str = "raise exception 'poisoned row' using errcode = 'XX001'",
) -> None:
    """Whatever does this to such a row of the org raises, or does something else that cannot end well."""
    db.execute(
        "create or replace function tenuto.test_poison() returns trigger language plpgsql as"
        f" $$ begin {does}; return coalesce(new, old); end $$".encode()
    )
    row = "new" if on == "insert" else "old"
    db.execute(
        f"create trigger poison before {on} on tenuto.{table} for each row"
        f" when ({row}.{column} = '{id}') execute function tenuto.test_poison()".encode()
    )


def cure(db: Db, table: str) -> None:
    db.execute(f"drop trigger poison on tenuto.{table}".encode())


def park(db: Db, loop: str, *keys: str, run_id: UUID | None = None) -> list[dict[str, Any]]:
    """Park rows as a dispatcher does that failed on them."""
    ids = {"org_ids": [DEFAULT_ORG] * len(keys), "run_ids": [run_id] * len(keys), "task_ids": [None] * len(keys)}
    texts = {"errors": ["boom"] * len(keys), "sqlstates": ["XX000"] * len(keys)}
    return call(db, "park_rows", loop=loop, keys=list(keys), **ids, **texts)


async def ignore(_: ConnectionPool, __: Effect) -> None:
    """An effect that is done at once."""


def turn(database: str, *loops: str, limit: int = 100) -> list[int]:
    """One turn of each of these loops, as a dispatcher does it."""

    async def main() -> list[int]:
        async with open_pool(database, role="tenuto_dispatcher") as pool, open_pool(database, size=1) as owner_pool:
            handlers = {"deliver": ignore}
            dispatcher = Dispatcher(
                UUID(uuid7()), pool, owner_pool, "here", 0, peppers=Peppers((b"p" * 32,)), handlers=handlers
            )
            steps = {loop.name: loop.step for loop in LOOPS}
            moved = [await steps[name](dispatcher, limit) for name in loops]
            await dispatcher.effects.finish()
            return moved

    return asyncio.run(main())
