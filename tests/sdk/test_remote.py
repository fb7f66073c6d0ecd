"""A client over HTTP where the way is bad: answers get lost, servers restart, keys are refused."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import psycopg
import pytest

from tenuto import App, Client
from tenuto.db.connection.errors import Unreachable
from tenuto.db.connection.pool import open_pool
from tenuto.model.errors import Forbidden, InvalidInput, RateLimited, TooLarge, Unauthorized
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_transport import HttpTransport
from tenuto.server.settings import RateLimit, ServerSettings
from tenuto.testing.inline import InlineWorker
from tests.support.faults.lossy_proxy import LossyProxy, a_lossy_proxy
from tests.support.http.loopback import PEPPERS, loopback, make_api_key

app = App("far")


@app.task
def add(x: int, y: int) -> int:
    return x + y


@pytest.fixture
def transport() -> str:
    return "http"


def count_runs(db: psycopg.Connection) -> int:
    (found,) = db.execute("select count(*) from tenuto.runs").fetchone() or (0,)
    return found


@asynccontextmanager
async def forgetful_client(way: dict[str, str]) -> AsyncIterator[tuple[LossyProxy, Client]]:
    async with a_lossy_proxy(way["url"]) as line, app.connect(line.url, key=way["key"]) as tn:
        yield line, tn


def test_a_start_whose_answer_was_lost_starts_once(way, db):
    async def steps() -> list[int]:
        async with forgetful_client(way) as (line, tn):
            line.loses = 2
            one = await tn.start(add, 1, 2)
            line.loses = 1
            many = await tn.start_many(add, [(1, 1), (2, 2)])
            line.loses = 1
            await tn.run(one.id).data.put("colour", "red")
            line.loses = 1
            again = await tn.schedules.put("n", add, 1, 2, cron="@daily")
            line.loses = 1
            photo = await tn.put(b"x" * 2_000_000)
            assert (await tn.run(one.id).data.history("colour"), again.name) == (["red"], "n")
            assert len(await tn.get(photo)) == 2_000_000
            return [line.lost, len(many)]

    assert asyncio.run(steps()) == [6, 2]
    assert count_runs(db) == 3
    assert db.execute("select count(*) from tenuto.data_objects").fetchone() == (1,)


def test_who_waits_goes_on_waiting_when_the_line_is_cut(way, database):
    async def steps() -> int:
        async with forgetful_client(way) as (line, tn), app.connect(database) as here:
            run = await tn.start(add, 1, 2)
            waiting = asyncio.create_task(run.result(timeout=60))
            for _ in range(3):
                await line.in_use()
                line.cut()
            await InlineWorker(here.direct, app).work(most=10)
            return await waiting

    assert asyncio.run(steps()) == 3


def test_a_server_that_restarts_is_waited_for(database, tmp_path):
    settings = ServerSettings(database, "tenuto_api", PEPPERS, storage=tmp_path.as_uri())

    async def steps() -> int:
        async with open_pool(database, size=1) as pool:
            key = await make_api_key(pool)
        first = loopback(settings)
        address = (await asyncio.to_thread(first.__enter__)).url
        port = int(address.rpartition(":")[2])
        async with app.connect(address, key=key) as tn, app.connect(database) as here:
            run = await tn.start(add, 1, 2)
            waiting = asyncio.create_task(run.result(timeout=60))
            await asyncio.to_thread(first.__exit__, None, None, None)
            starting = asyncio.create_task(tn.start(add, 3, 4))
            second = loopback(settings, port=port)
            await asyncio.to_thread(second.__enter__)
            other = await starting
            await InlineWorker(here.direct, app).work(most=10)
            total = await waiting + await other.result(timeout=60)
            await tn.watcher.close()
        await asyncio.to_thread(second.__exit__, None, None, None)
        return total

    assert asyncio.run(steps()) == 10


def refused(way: dict[str, str], key: str, deed: Callable[[Client], object]) -> Exception:
    async def steps() -> Exception:
        async with app.connect(way["url"], key=key) as tn:
            with pytest.raises(Exception) as caught:  # noqa: PT011 - the caller looks at it
                await deed(tn)  # type: ignore[misc]
            return caught.value

    return asyncio.run(steps())


def test_what_a_server_refuses_is_raised_as_on_the_database(way, database):
    async def reader() -> str:
        async with open_pool(database, size=1) as pool:
            return await make_api_key(pool, "runs:read")

    wrong = refused(way, way["key"] + "x", lambda tn: tn.start(add, 1, 2))
    weak = refused(way, asyncio.run(reader()), lambda tn: tn.start(add, 1, 2))
    large = refused(way, way["key"], lambda tn: tn.put(b"x" * (65 << 20)))

    assert [type(one) for one in (wrong, weak, large)] == [Unauthorized, Forbidden, TooLarge]
    assert str(wrong).endswith("; set TENUTO_API_KEY, or pass key=… in Python (`tenuto keys create` creates one)")


def test_a_pickle_is_refused_where_it_would_be_sent(way):
    pickling = App("pickle")

    @pickling.task(serializer="pickle")
    def take(value: object) -> None: ...

    said = refused(way, way["key"], lambda tn: tn.start(take, {1, 2}))

    assert isinstance(said, InvalidInput)
    assert "'$pickle' is not accepted over HTTP" in str(said)


def test_who_asks_too_often_is_made_to_wait_and_told_when_it_lasts(way, database):
    settings = ServerSettings(database, "tenuto_api", PEPPERS, key_limit=RateLimit(1, 1))

    async def steps(url: str) -> str:
        async with app.connect(url, key=way["key"]) as tn:
            runs = [await tn.start(add, no, no) for no in range(2)]
            http = Http(url, way["key"], retry_seconds=0)
            impatient = Client(HttpTransport(http), url=url)
            with pytest.raises(RateLimited):
                await asyncio.gather(*(impatient.run(runs[0].id).status() for _ in range(3)))
            await http.close()
            return await runs[0].status()

    with loopback(settings) as server:
        assert asyncio.run(steps(server.url)) == "pending"


def test_more_runs_than_one_request_takes_are_started_in_order(way, db):
    async def steps() -> list[UUID]:
        async with app.connect(**way) as tn:
            runs = await tn.start_many(add, [(no, 0) for no in range(10_003)])
            return [(await runs[no].tasks())[0].id for no in (0, 9_999, 10_000)] + list(runs.ids)

    first, last, next_one, *ids = asyncio.run(steps())

    assert (len(set(ids)), count_runs(db)) == (10_003, 10_003)
    inputs = dict(
        db.execute("select id, input from tenuto.tasks where id = any(%s)", [[first, last, next_one]]).fetchall()
    )
    assert [inputs[one] for one in (first, last, next_one)] == [[0, 0], [9_999, 0], [10_000, 0]]


def test_a_server_that_is_not_there_is_named():
    async def steps() -> None:
        http = Http("http://127.0.0.1:1", "tn_x", retry_seconds=0)
        try:
            await HttpTransport(http).get_object(uuid4())
        finally:
            await http.close()

    with pytest.raises(
        Unreachable, match=r"http://127\.0\.0\.1:1 does not respond .*; start it or correct TENUTO_URL$"
    ):
        asyncio.run(steps())


def test_a_server_that_is_not_there_is_said_once_while_it_is_waited_for(caplog):
    async def steps() -> None:
        http = Http("http://127.0.0.1:1", "tn_x", retry_seconds=2)
        asked = [HttpTransport(http).get_object(uuid4()) for _ in range(3)]
        assert {type(one) for one in await asyncio.gather(*asked, return_exceptions=True)} == {Unreachable}
        await http.close()

    asyncio.run(steps())

    (line,) = [record.getMessage() for record in caplog.records if record.name == "tenuto.client"]
    assert line.startswith("http://127.0.0.1:1 does not respond")
    assert line.endswith("; retrying for 2 s")


def test_the_environment_leads_to_a_server(way, monkeypatch):
    monkeypatch.delenv("TENUTO_DATABASE_URL", raising=False)
    monkeypatch.setenv("TENUTO_URL", way["url"])
    monkeypatch.setenv("TENUTO_API_KEY", way["key"])

    with app.connect_sync() as tn:
        assert (tn.start(add, 1, 2).status(), tn.url) == ("pending", way["url"])
