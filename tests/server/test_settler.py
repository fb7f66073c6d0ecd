"""What a request started is told to workers and on disk when it is answered, several starts at once."""

import asyncio

import psycopg
from psycopg.types.json import Jsonb
from starlette.testclient import TestClient

from tenuto.db.errors import Unreachable
from tenuto.db.pool import open_pool
from tenuto.server.settler import Settler
from tests.support.kernel import Db, a_worker, call


def test_a_start_wakes_those_who_serve_its_queue(admin: TestClient, db: psycopg.Connection) -> None:
    db.execute("listen tenuto_ready")

    admin.post("/v1/runs", json={"type": "shop.send", "queue": "mail"})

    assert [note.payload for note in db.notifies(timeout=10, stop_after=1)] == ["mail"]


def test_a_start_by_type_alone_wakes_those_who_serve_the_queue_its_workers_declared(
    admin: TestClient, db: psycopg.Connection
) -> None:
    worker = a_worker(db)
    types = Jsonb({"shop.send": {"kind": {"queue": "mail"}}})
    call(db, "declare_types", session_id=worker.session_id, token=worker.token, types=types)
    db.execute("listen tenuto_ready")

    admin.post("/v1/runs", json={"type": "shop.send"})

    assert [note.payload for note in db.notifies(timeout=10, stop_after=1)] == ["mail"]


def test_a_graph_wakes_those_who_serve_any_of_its_queues(admin: TestClient, db: psycopg.Connection) -> None:
    db.execute("listen tenuto_ready")
    tasks = {"a": {"type": "shop.send", "queue": "mail"}, "b": {"type": "shop.pay"}}

    admin.post("/v1/runs", json={"graph": {"tasks": tasks}})

    assert sorted(note.payload for note in db.notifies(timeout=10, stop_after=2)) == ["default", "mail"]


def test_each_queue_is_told_of_once_and_none_is_forgotten_at_the_end(database: str, db: Db) -> None:
    db.execute("listen tenuto_ready")
    everything = [f"q{no}" for no in range(50)]

    async def story() -> None:
        async with open_pool(database, role="tenuto_api", size=2) as pool:
            settler = Settler(pool)
            await asyncio.gather(*(settler.settle(queue) for queue in everything for _ in range(2)))
            await settler.close()

    asyncio.run(story())

    notes = [note.payload for note in db.notifies(timeout=10, stop_after=50)]
    assert sorted(notes) == sorted(everything)


def test_who_cannot_be_settled_is_told_so_and_the_next_ones_are_settled(database: str, db: Db) -> None:
    async def story() -> list[object]:
        async with open_pool(database, role="tenuto_api", size=1) as pool:
            settler = Settler(pool)
            await settler.settle("first")
            db.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tenuto'")
            told = await asyncio.gather(settler.settle("a"), settler.settle("b"), return_exceptions=True)
            await settler.settle("last")
            return list(told)

    assert {type(one) for one in asyncio.run(story())} == {Unreachable}
