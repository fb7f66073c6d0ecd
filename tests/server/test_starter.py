"""What requests start goes together where it is alike: each is answered for itself, told to workers and on disk."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb
from starlette.testclient import TestClient

from tenuto.db import runs
from tenuto.db.connection.call import key_actor
from tenuto.db.connection.errors import TimedOut, Unreachable
from tenuto.db.connection.pool import open_pool
from tenuto.model.audit import RequestOrigin
from tenuto.model.errors import TooLarge, Unauthorized
from tenuto.server.schemas.starts import StartTaskRequest
from tenuto.server.starts.batcher import BatchKey, StartBatcher
from tenuto.server.starts.build import StartBuilder
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.database.users import a_key_id, an_api_key, hash_of
from tests.support.waiting import wait_until

LARGE = [1] * 120_000  # short as a text, over 1 MB where it is kept
calls: list[int] = []  # how many each call of the database started


@pytest.fixture(autouse=True)
def count_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    calls.clear()

    async def start_for_requests(conn: Any, **said: Any) -> None:
        calls.append(len(said["ids"]))
        await real(conn, **said)

    real: Callable[..., Awaitable[None]] = runs.start_for_requests
    monkeypatch.setattr("tenuto.db.runs.start_for_requests", start_for_requests)


@asynccontextmanager
async def opened(database: str, *, size: int = 2, seconds: float = 5) -> AsyncIterator[StartBatcher]:
    async with open_pool(database, role="tenuto_api", size=size) as pool:
        starter = StartBatcher(pool, seconds)
        yield starter
        await starter.close()


def alike(key_id: str) -> BatchKey:
    actor = key_actor(key_id, [hash_of(key_id)], "runs:write")
    return BatchKey(actor, DEFAULT_ORG, "api_key", key_id, '[{"type": "shop.send"}]', None, "{}")


def ask(starter: StartBatcher, key_id: str, input: Any = 1, *, id: str = "r", **more: Any) -> asyncio.Task[UUID]:
    request = StartBuilder().build(StartTaskRequest(type="shop.send", input=[input], **more))
    return asyncio.create_task(starter.start(alike(key_id), request, RequestOrigin(None, None, id)))


@pytest.fixture
def key(db: Db) -> str:
    an_api_key(db, key_id := a_key_id())
    return key_id


def inputs(db: Db) -> dict[UUID, Any]:
    return dict(db.execute("select id, input from tenuto.tasks").fetchall())


def test_a_start_wakes_those_who_serve_its_queue(admin: TestClient, db: psycopg.Connection) -> None:
    db.execute("listen tenuto_ready")

    admin.post("/v1/runs", json={"type": "shop.send", "queue": "mail"})

    assert [note.payload for note in db.notifies(timeout=60, stop_after=1)] == ["mail"]


def test_a_start_by_type_alone_wakes_those_who_serve_the_queue_its_workers_declared(
    admin: TestClient, db: psycopg.Connection
) -> None:
    worker = a_worker(db)
    types = Jsonb({"shop.send": {"kind": {"queue": "mail"}}})
    call(db, "declare_types", session_id=worker.session_id, token=worker.token, types=types)
    db.execute("listen tenuto_ready")

    admin.post("/v1/runs", json={"type": "shop.send"})

    assert [note.payload for note in db.notifies(timeout=60, stop_after=1)] == ["mail"]


def test_a_graph_wakes_those_who_serve_any_of_its_queues(admin: TestClient, db: psycopg.Connection) -> None:
    db.execute("listen tenuto_ready")
    tasks = {"a": {"type": "shop.send", "queue": "mail"}, "b": {"type": "shop.pay"}}

    admin.post("/v1/runs", json={"graph": {"tasks": tasks}})

    assert sorted(note.payload for note in db.notifies(timeout=60, stop_after=2)) == ["default", "mail"]


def test_who_comes_while_one_is_under_way_goes_with_the_others_and_gets_an_own_answer(
    database: str, db: Db, key: str
) -> None:
    async def story() -> list[UUID]:
        async with opened(database) as starter:
            return list(await asyncio.gather(*(ask(starter, key, no, id=f"r{no}") for no in range(250))))

    ids = asyncio.run(story())

    assert calls == [100, 100, 50]
    assert inputs(db) == {id: [no] for no, id in enumerate(ids)}
    noted = db.execute("select entity_id, request_id, actor_id from tenuto.audit_log").fetchall()
    assert sorted(noted) == sorted((str(id), f"r{no}", key) for no, id in enumerate(ids))


def test_what_is_said_of_one_task_holds_for_that_one(database: str, db: Db, key: str) -> None:
    async def story() -> list[UUID]:
        async with opened(database) as starter:
            asked = [ask(starter, key, 1), ask(starter, key, 2, name="second"), ask(starter, key, 3, delay="1h")]
            return list(await asyncio.gather(*asked))

    first, second, third = asyncio.run(story())

    assert (calls, {claim.task_id for claim in a_worker(db).claim(5)}) == ([3], {first, second})
    names = dict(db.execute("select id, name from tenuto.tasks").fetchall())
    assert names == {first: None, second: "second", third: None}


def test_nobody_is_refused_for_what_another_sent(database: str, db: Db, key: str) -> None:
    async def story() -> list[Any]:
        async with opened(database) as starter:
            asked = [ask(starter, key, 1), ask(starter, key, LARGE), ask(starter, key, 3)]
            return list(await asyncio.gather(*asked, return_exceptions=True))

    first, large, third = asyncio.run(story())

    assert calls == [3, 1, 2, 1, 1]
    assert isinstance(large, TooLarge)
    assert inputs(db) == {first: [1], third: [3]}


def test_keys_do_not_go_together_and_a_revoked_one_starts_nothing(database: str, db: Db, key: str) -> None:
    call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=an_api_key(db, revoked := a_key_id()))

    async def story() -> list[Any]:
        async with opened(database) as starter:
            asked = [ask(starter, key, 1), ask(starter, revoked, 2), ask(starter, key, 3)]
            return list(await asyncio.gather(*asked, return_exceptions=True))

    first, refused, third = asyncio.run(story())

    assert sorted(calls) == [1, 2]
    assert isinstance(refused, Unauthorized)
    assert inputs(db) == {first: [1], third: [3]}


def test_who_goes_away_before_its_turn_starts_nothing(database: str, db: Db, key: str) -> None:
    async def story() -> UUID:
        async with opened(database) as starter:
            first, second = ask(starter, key, 1), ask(starter, key, 2)
            await asyncio.sleep(0)  # both wait; nothing was sent yet
            second.cancel()
            return await first

    first = asyncio.run(story())

    assert (calls, inputs(db)) == ([1], {first: [1]})


def test_what_is_said_of_a_task_counts_as_its_input_does(database: str, db: Db, key: str) -> None:
    async def story() -> None:
        async with opened(database) as starter:
            asked = [ask(starter, key, no, metadata={"note": "x" * 400_000}) for no in range(5)]
            await asyncio.gather(*asked)

    asyncio.run(story())

    assert (calls, len(inputs(db))) == ([2, 2, 1], 5)


def test_a_task_that_goes_with_others_is_the_first_of_its_own_run(database: str, db: Db, key: str) -> None:
    async def story() -> None:
        async with opened(database) as starter:
            await asyncio.gather(*(ask(starter, key, no) for no in range(3)))
            await asyncio.gather(*(ask(starter, key, no, name=f"n{no}") for no in range(3)))

    asyncio.run(story())

    assert db.execute("select distinct place from tenuto.tasks").fetchall() == [(0,)]


def test_nobody_waits_longer_for_a_turn_than_a_statement_may_take(database: str, db: Db, key: str) -> None:
    async def story() -> list[Any]:
        async with opened(database, seconds=1) as starter:
            first = ask(starter, key, "first")
            await asyncio.to_thread(wait_until, lambda: bool(calls))
            late = [ask(starter, key, no) for no in range(250)]
            told = await asyncio.gather(first, *late, return_exceptions=True)
            db.rollback()
            return [*told, await ask(starter, key, "last")]

    db.autocommit = False
    db.execute("lock table tenuto.runs in access exclusive mode")
    *told, last = asyncio.run(story())
    db.autocommit = True

    assert {type(one) for one in told} == {TimedOut}
    assert calls[1:-1] in ([], [100])  # the others were late and not sent
    assert inputs(db) == {last: ["last"]}


def test_a_server_that_stops_leaves_nobody_waiting(database: str, db: Db, key: str) -> None:
    async def story() -> list[Any]:
        async with open_pool(database, role="tenuto_api", size=1) as pool:
            starter = StartBatcher(pool, 60)
            asked = [ask(starter, key, no) for no in range(150)]
            await asyncio.to_thread(wait_until, lambda: bool(calls))
            await starter.close()
            return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 10)

    db.autocommit = False
    db.execute("lock table tenuto.runs in access exclusive mode")
    told = asyncio.run(story())
    db.rollback()
    db.autocommit = True

    assert {type(one) for one in told} == {asyncio.CancelledError}
    assert inputs(db) == {}


def test_who_cannot_be_answered_is_told_so_and_the_next_ones_are_started(database: str, db: Db, key: str) -> None:
    async def story() -> list[Any]:
        async with opened(database, size=1) as starter:
            await ask(starter, key, "first")
            db.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where application_name = 'tenuto' and datname = current_database()"
            )
            told = await asyncio.gather(ask(starter, key, 1), ask(starter, key, 2), return_exceptions=True)
            await ask(starter, key, "last")
            return list(told)

    assert {type(one) for one in asyncio.run(story())} == {Unreachable}
    assert sorted(input for (input,) in inputs(db).values()) == ["first", "last"]
