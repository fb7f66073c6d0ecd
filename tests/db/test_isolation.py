"""Every connection of Tenuto is READ COMMITTED, whatever the default of the database, and through a pooler too."""

import asyncio
import json
from collections.abc import Iterator
from datetime import datetime
from uuid import UUID, uuid4

import psycopg
import pytest

from tenuto.db import runs
from tenuto.db.connection.call import Conn
from tenuto.db.connection.claim_connection import open_claim_connection
from tenuto.db.connection.pool import call_for, open_pool, transaction_for
from tenuto.db.install.install import open_connection
from tests.support.database.isolation import LEVELS, default, default_isolation
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, status
from tests.support.postgres.pgbouncer import a_pooler

LEVEL = "select current_setting('transaction_isolation')"


async def value_of(conn: Conn, query: str) -> object:
    (row,) = await (await conn.execute(query.encode())).fetchall()
    return row[0]


async def level_of(conn: Conn, org_id: UUID | None = None) -> object:
    return await value_of(conn, LEVEL)


async def org_of(conn: Conn, org_id: UUID | None = None) -> object:
    return await value_of(conn, "select nullif(current_setting('tenuto.org_id', true), '')")


@pytest.fixture(params=["direct", "pooled"])
def address(request: pytest.FixtureRequest, database: str) -> Iterator[str]:
    """The URL of a database with another default, which the connections of its pooler have too."""
    roles = ["tenuto_owner", "tenuto_worker", "tenuto_dispatcher"]
    with default_isolation(database, "serializable"):
        if request.param == "direct":
            yield database
        else:
            with a_pooler(database, {"all": roles}) as urls:
                yield urls["all"]


def test_every_kind_of_call_is_read_committed(address: str) -> None:
    async def main() -> list[object]:
        async with open_pool(address) as pool:
            found = [await pool.call(level_of), await call_for(pool, DEFAULT_ORG, level_of, timeout=30)]
            async with transaction_for(pool, DEFAULT_ORG, timeout=30) as conn:
                found += [await level_of(conn), await level_of(conn)]
            async with pool.connection() as conn:
                found += [await level_of(conn), await level_of(conn)]
                async with conn.transaction():
                    found += [await level_of(conn)]
            return found

    assert asyncio.run(main()) == ["read committed"] * 7


def test_each_call_on_a_connection_stays_a_transaction_of_its_own(address: str) -> None:
    async def main() -> set[object]:
        async with open_pool(address) as pool, pool.connection() as conn:
            seen = {await value_of(conn, "select pg_current_xact_id()::text") for _ in range(2)}
            with pytest.raises(psycopg.Error, match="division by zero"):
                await conn.execute("select 1 / 0")
            return seen | {await value_of(conn, "select pg_current_xact_id()::text")}

    assert len(asyncio.run(main())) == 3


def test_the_settings_of_a_call_for_an_org_end_with_it(address: str) -> None:
    async def main() -> list[object]:
        async with open_pool(address, size=1) as pool:
            return [await call_for(pool, DEFAULT_ORG, org_of, timeout=30), await pool.call(org_of)]

    assert asyncio.run(main()) == [str(DEFAULT_ORG), None]


def test_a_limited_start_that_commits_by_itself_works(db: Db, address: str) -> None:
    worker = a_worker(db)
    limits = [{"scope": "key", "key": "one", "size": 1}]
    call(db, "declare_types", **worker.fence, types={"app.work": {"kind": {}, "limits": limits}})
    task_id = uuid4()

    async def main() -> None:
        async with open_pool(address) as pool:
            kind = json.dumps({"type": "app.work", "inherit": True})
            await pool.call(runs.start_task, org_id=DEFAULT_ORG, kind=kind, input="{}", id=str(task_id))
            async with pool.connection() as conn:
                await conn.execute("vacuum tenuto.ready_tasks")

    asyncio.run(main())
    assert worker.claim_one().task_id == task_id


def test_a_claimer_reports_and_claims(db: Db, address: str) -> None:
    start(db, 1, 2, 3)
    worker = a_worker(db)
    conn = open_claim_connection(address, worker.session_id, str(worker.token), worker.routes())
    try:
        first, second = [row[1] for row in conn.exchange([], [], None, claim_no=1, limit=2)]
        assert conn.complete(str(first), 1, "{}") == "accepted"
        ((_, third, *_),) = conn.exchange([str(second)], [1], None, claim_no=2, limit=5)
        assert conn.postpone_unclaimable(1) == []
        conn.fold_and_wake_runs([str(first)])
    finally:
        conn.close()
    assert [status(db, UUID(str(id))) for id in (first, second, third)] == ["completed", "completed", "running"]


def test_a_migration_is_read_committed(address: str) -> None:
    with open_connection(address) as conn, conn.transaction():
        assert conn.execute(LEVEL).fetchone() == ("read committed",)


@pytest.mark.parametrize("pooled", [False, True])
def test_times_are_read_in_every_date_style(database: str, pooled: bool) -> None:
    """A database with another style kept clients from reading any time."""

    async def main(url: str) -> set[object]:
        async with open_pool(url) as pool:
            return set(
                await asyncio.gather(*(pool.call(value_of, "select timestamptz '2026-02-01'") for _ in range(8)))
            )

    with default(database, "datestyle", "SQL, DMY"), a_pooler(database, {"all": ["tenuto_worker"]}) as urls:
        (read,) = asyncio.run(main(urls["all"] if pooled else database))
        with psycopg.connect(urls["all"], autocommit=True) as conn:
            assert conn.execute("select to_char(date '2026-02-01', 'x') || date '2026-02-01'").fetchone() == (
                "x01/02/2026",
            )
    assert isinstance(read, datetime)
    assert (read.month, read.day) == (2, 1)


@pytest.mark.parametrize("level", LEVELS)
def test_other_clients_of_a_pooler_keep_their_default(database: str, level: str) -> None:
    with default_isolation(database, level), a_pooler(database, {"all": ["tenuto_worker"]}) as urls:

        async def ours() -> None:
            async with open_pool(urls["all"]) as pool:
                await asyncio.gather(*(pool.call(level_of) for _ in range(8)))

        asyncio.run(ours())
        for _ in range(8):
            with psycopg.connect(urls["all"], autocommit=True) as conn:
                assert conn.execute(LEVEL).fetchone() == (level,)
