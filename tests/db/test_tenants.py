"""Work for one org at a time: all or none of it, and the connection it had is as good as new."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tenuto.db import audit, runs
from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import TimedOut, Unreachable
from tenuto.db.connection.pool import ConnectionPool, open_pool, transaction_for
from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.tasks import DEFAULT_ORG, start_one, status

LEFT = """
select current_setting('tenuto.org_id', true), current_setting('statement_timeout'),
       pg_current_xact_id_if_assigned() is not null, pg_backend_pid()
"""
Work = Callable[[Conn], Awaitable[Any]]


async def left_in(pool: ConnectionPool) -> tuple[Any, ...]:
    """What the next one finds in the only connection: the org that is set, the timeout, whether work is open."""
    async with pool.connection() as conn:
        ((org_id, *others),) = await (await conn.execute(LEFT)).fetchall()
        return (org_id or None, *others)


async def cancel_and(pool: ConnectionPool, run_id: UUID, work: Work) -> None:
    async with transaction_for(pool, DEFAULT_ORG, timeout=2 if work is takes_too_long else 60) as conn:
        await runs.cancel_run(conn, org_id=DEFAULT_ORG, run_id=run_id)
        await work(conn)


async def gives_up(conn: Conn) -> None:
    raise KeyError("a mistake of ours")


async def notes_nonsense(conn: Conn) -> None:
    nonsense: Any = {"reason": "no old, no new"}
    who = {"entity": "run", "entity_id": "x", "action": "cancel", "actor_kind": "user", "actor_id": "ann"}
    await audit.write_audit(conn, org_id=DEFAULT_ORG, **who, changes=nonsense)


async def goes_on_after_an_error(conn: Conn) -> None:
    with pytest.raises(NotFound):
        await runs.cancel_run(conn, org_id=DEFAULT_ORG, run_id=UUID(int=5))


async def takes_too_long(conn: Conn) -> None:
    await (await conn.execute("select pg_sleep(60)")).fetchone()


async def is_cancelled(conn: Conn) -> None:
    asyncio.get_running_loop().call_later(0.1, asyncio.current_task().cancel)  # pyright: ignore[reportOptionalMemberAccess]
    await takes_too_long(conn)


@pytest.mark.parametrize(
    ("work", "raised"),
    [
        (gives_up, KeyError),
        (notes_nonsense, InvalidInput),
        (goes_on_after_an_error, Unreachable),
        (takes_too_long, TimedOut),
        (is_cancelled, asyncio.CancelledError),
    ],
)
def test_what_ends_badly_changed_nothing_and_leaves_nothing(
    database: str, db: psycopg.Connection, work: Work, raised: type[BaseException]
) -> None:
    task_id = start_one(db)

    async def scenario() -> list[tuple[Any, ...]]:
        async with open_pool(database, role="tenuto_api", size=1) as pool:
            before = await left_in(pool)
            with pytest.raises(raised):
                await cancel_and(pool, task_id, work)
            return [before, await left_in(pool)]

    before, after = asyncio.run(scenario())
    assert (after, status(db, task_id)) == (before, "queued")
    assert db.execute("select count(*) from tenuto.audit_log").fetchone() == (0,)


def test_work_that_may_take_long_is_not_cut_off_by_the_patience_of_the_pool(database: str) -> None:
    async def scenario() -> str:
        async with open_pool(database, role="tenuto_api", size=1) as pool:
            await left_in(pool)  # connecting is the pool's own time
            pool.timeout = 0.1
            async with transaction_for(pool, DEFAULT_ORG, timeout=20) as conn:
                await (await conn.execute("select pg_sleep(0.3)")).fetchone()
                return "done"

    assert asyncio.run(scenario()) == "done"
