"""Starts in the transaction of what applications have: SQLAlchemy, Django, psycopg2, asyncpg, any other driver."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast

import asyncpg
import django.conf
import psycopg
import psycopg2
import pytest
import sqlalchemy
import sqlalchemy.orm
from django.db.utils import ConnectionHandler
from django.utils.connection import ConnectionProxy
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from tenuto import App, InvalidInput, Limit, NotFound
from tenuto.db.connection.errors import BadAddress, MissingRight

app = App("bank")


@app.task(limit=Limit(2, key="x"))
def add(x: int, y: str) -> str:
    return y * x


ODD = 'a "quoted" {text}, 100%s \\ ☃'


def on(driver: str, database: str) -> str:
    return database.replace("postgresql://", f"postgresql+{driver}://")


@contextmanager
def alchemy(database: str, driver: str, kind: str) -> Iterator[Any]:
    engine = sqlalchemy.create_engine(on(driver, database))
    try:
        if kind == "connection":
            with engine.connect() as conn:
                yield conn
        elif kind == "session":
            with sqlalchemy.orm.Session(engine) as session:
                yield session
        else:
            scoped = sqlalchemy.orm.scoped_session(sqlalchemy.orm.sessionmaker(engine))
            yield scoped
            scoped.remove()
    finally:
        engine.dispose()


@contextmanager
def raw_psycopg2(database: str) -> Iterator[Any]:
    conn = psycopg2.connect(database)
    try:
        yield conn
    finally:
        conn.close()


@contextmanager
def djangos(database: str, proxy: bool) -> Iterator[Any]:
    if not django.conf.settings.configured:
        django.conf.settings.configure(USE_TZ=True)
        django.setup()
    parts = conninfo_to_dict(database)
    settings = {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts["dbname"],
        "USER": parts["user"],
        "PASSWORD": parts["password"],
        "HOST": parts["host"],
        "PORT": parts["port"],
    }
    handler = ConnectionHandler({"default": settings})
    conn = handler["default"]
    conn.set_autocommit(False)
    try:
        yield ConnectionProxy(handler, "default") if proxy else conn
    finally:
        conn.close()


SYNC: dict[str, Callable[[str], Any]] = {
    "SQLAlchemy session, psycopg": lambda url: alchemy(url, "psycopg", "session"),
    "SQLAlchemy session, psycopg2": lambda url: alchemy(url, "psycopg2", "session"),
    "SQLAlchemy connection, psycopg": lambda url: alchemy(url, "psycopg", "connection"),
    "SQLAlchemy connection, psycopg2": lambda url: alchemy(url, "psycopg2", "connection"),
    "SQLAlchemy scoped session": lambda url: alchemy(url, "psycopg", "scoped"),
    "psycopg": psycopg.connect,
    "psycopg2": raw_psycopg2,
    "Django": lambda url: djangos(url, proxy=True),
    "Django's connections[…]": lambda url: djangos(url, proxy=False),
}


@asynccontextmanager
async def async_alchemy(database: str, driver: str, session: bool) -> AsyncIterator[Any]:
    engine = create_async_engine(on(driver, database))
    try:
        async with AsyncSession(engine) if session else engine.connect() as conn:
            yield conn
    finally:
        await engine.dispose()


class AsyncpgTransaction:
    """Gives an asyncpg connection in a transaction the calls of the others."""

    def __init__(self, conn: asyncpg.Connection) -> None:
        self.conn, self.transaction = conn, conn.transaction()

    async def commit(self) -> None:
        await self.transaction.commit()

    async def rollback(self) -> None:
        await self.transaction.rollback()
        self.transaction = self.conn.transaction()
        await self.transaction.start()


@asynccontextmanager
async def raw_asyncpg(database: str) -> AsyncIterator[Any]:
    conn = await asyncpg.connect(database)
    try:
        own = AsyncpgTransaction(conn)
        await own.transaction.start()
        yield own
    finally:
        await conn.close()


@asynccontextmanager
async def async_psycopg(database: str) -> AsyncIterator[Any]:
    async with await psycopg.AsyncConnection.connect(database) as conn:
        yield conn


ASYNC: dict[str, Callable[[str], Any]] = {
    "SQLAlchemy session, psycopg": lambda url: async_alchemy(url, "psycopg", True),
    "SQLAlchemy session, asyncpg": lambda url: async_alchemy(url, "asyncpg", True),
    "SQLAlchemy connection, psycopg": lambda url: async_alchemy(url, "psycopg", False),
    "SQLAlchemy connection, asyncpg": lambda url: async_alchemy(url, "asyncpg", False),
    "asyncpg": raw_asyncpg,
    "psycopg": async_psycopg,
}


@pytest.mark.parametrize("kind", SYNC)
def test_a_sync_start_commits_and_rolls_back_with_the_callers_transaction(kind: str, database, db):
    with app.connect_sync(database) as tn, SYNC[kind](database) as conn:
        tn.start(add, 1, "lost", connection=conn)
        (lost,) = tn.start_many(add, [(1, "lost")], connection=conn)
        conn.rollback()
        kept = tn.start(add, 2, ODD, connection=conn, dedupe_key="k")
        again = tn.start(add, 2, ODD, connection=conn, dedupe_key="k")
        many = tn.start_many(add, [(1, "a"), (2, "b")], connection=conn, dedupe_keys=["k", "l"])
        assert inputs(db) == []
        conn.commit()

        assert [run.created for run in many] == [False, True]
        with pytest.raises(NotFound):
            lost.result(timeout=60)
        assert (kept.created, again.created, again.id == kept.id, kept.status()) == (True, False, True, "pending")
        assert [run.status() for run in many] == ["pending"] * 2
    assert inputs(db) == [[2, ODD], [2, "b"]]


@pytest.mark.parametrize("kind", ASYNC)
def test_an_async_start_commits_and_rolls_back_with_the_callers_transaction(kind: str, database, db):
    async def steps() -> None:
        async with app.connect(database) as tn, ASYNC[kind](database) as transaction:
            conn = getattr(transaction, "conn", transaction) if kind == "asyncpg" else transaction
            await tn.start(add, 1, "lost", connection=conn)
            await transaction.rollback()
            kept = await tn.start(add, 2, ODD, connection=conn, dedupe_key="k")
            again = await tn.start(add, 2, ODD, connection=conn, dedupe_key="k")
            many = await tn.start_many(add, [(1, "a"), (2, "b")], connection=conn, dedupe_keys=["k", "l"])
            assert inputs(db) == []
            await transaction.commit()

            assert [run.created for run in many] == [False, True]
            assert (kept.created, again.created, again.id == kept.id) == (True, False, True)
            assert [await run.status() for run in (kept, *many)] == ["pending"] * 3

    asyncio.run(steps())
    assert inputs(db) == [[2, ODD], [2, "b"]]


@pytest.mark.parametrize("kind", SYNC)
def test_errors_of_sql_functions_and_of_other_databases_are_the_same_on_every_sync_connection(
    kind: str, database, empty_database
):
    with app.connect_sync(database) as tn:
        with SYNC[kind](database) as conn, pytest.raises(InvalidInput, match="priority"):
            tn.start(forged(), 1, "a", connection=conn)
        with (
            SYNC[kind](empty_database) as conn,
            pytest.raises(BadAddress, match="this connection has no Tenuto schema"),
        ):
            tn.start(add, 1, "a", connection=conn)


@pytest.mark.parametrize("kind", ASYNC)
def test_errors_of_sql_functions_and_of_other_databases_are_the_same_on_every_async_connection(
    kind: str, database, empty_database
):
    async def steps() -> None:
        async with app.connect(database) as tn:
            async with ASYNC[kind](database) as conn:
                with pytest.raises(InvalidInput, match="priority"):
                    await tn.start(forged(), 1, "a", connection=getattr(conn, "conn", conn))
            async with ASYNC[kind](empty_database) as conn:
                with pytest.raises(BadAddress, match="this connection has no Tenuto schema"):
                    await tn.start(add, 1, "a", connection=getattr(conn, "conn", conn))

    asyncio.run(steps())


def forged() -> Any:
    """A task with an option that only the database refuses."""
    task = add.options(queue="q")
    task.kind["priority"] = "high"
    return task


def test_a_login_of_another_library_that_may_not_start_tasks_is_told_what_it_lacks(database, db):
    db.execute("create role visitor login password 'secret'")
    try:
        engine = sqlalchemy.create_engine(
            sqlalchemy.make_url(on("psycopg2", database)).set(username="visitor", password="secret")
        )
        with (
            app.connect_sync(database) as tn,
            sqlalchemy.orm.Session(engine) as session,
            pytest.raises(
                MissingRight, match=r"the role of this connection cannot start tasks .*: grant tenuto_client"
            ),
        ):
            tn.start(add, 1, "a", connection=session)
        engine.dispose()
    finally:
        db.execute("drop role visitor")


def test_a_wrong_object_is_refused_with_what_is_accepted(database):
    with app.connect_sync(database) as tn:
        for wrong in ("postgresql://", object(), sqlalchemy.create_engine("sqlite://")):
            with pytest.raises(BadAddress, match=r"pass a psycopg Connection, a SQLAlchemy Session .*start_statement"):
                tn.start(add, 1, "a", connection=wrong)
        with sqlalchemy.create_engine("sqlite://").connect() as lite, pytest.raises(BadAddress, match="is to sqlite"):
            tn.start(add, 1, "a", connection=lite)

        async def other_kind() -> None:
            async with await psycopg.AsyncConnection.connect(database) as conn:
                with pytest.raises(BadAddress, match=r"AsyncConnection, which this .* with a client of app.open\(\)"):
                    tn.start(add, 1, "a", connection=conn)
            async with app.connect(database) as async_tn:
                with psycopg.connect(database) as conn, pytest.raises(BadAddress, match=r"client of app.open_sync\(\)"):
                    await async_tn.start(add, 1, "a", connection=conn)
                with pytest.raises(BadAddress, match="pass a psycopg AsyncConnection, a SQLAlchemy AsyncSession"):
                    await async_tn.start(add, 1, "a", connection=5)

        asyncio.run(other_kind())


def test_a_start_statement_can_be_executed_with_any_driver(database, db):
    statement = app.start_statement(add, 1, ODD, dedupe_key="k")

    with psycopg2.connect(database) as conn, conn.cursor() as cursor:
        cursor.execute(*statement)
        (id, created) = cursor.fetchone() or ("", False)
        cursor.execute(*statement.style("pyformat"))
        assert cursor.fetchone() == (id, False)
    conn.close()
    assert created
    assert inputs(db) == [[1, ODD]]

    sql, params = statement.style("named")
    engine = sqlalchemy.create_engine(on("psycopg", database))
    with engine.connect() as conn:
        assert [str(row[0]) for row in conn.execute(sqlalchemy.text(sql), cast("dict[str, str]", params))] == [id]
    engine.dispose()

    async def dollar() -> str:
        conn = await asyncpg.connect(database)
        sql, params = statement.style("numeric_dollar")
        row = await conn.fetchrow(sql, *params)
        await conn.close()
        return str(row["run_id"])

    assert asyncio.run(dollar()) == id
    assert statement.style("qmark")[0].count("?") == statement.style("numeric")[0].count(":") == len(statement.params)
    with pytest.raises(InvalidInput, match="no parameter style 'x'; write one of format, pyformat, qmark"):
        statement.style("x")


def test_a_start_statement_of_a_client_starts_in_its_org(database, db):
    db.execute("select tenuto.create_org('acme')")
    with app.connect_sync(database, org="acme") as tn:
        db.execute(*tn.start_statement(add, 1, "a"))
        assert [run.type for run in tn.runs()] == ["bank.add"]
    with app.connect_sync(database) as tn:
        assert tn.runs() == []


@pytest.mark.parametrize("scheme", ["postgres", "postgresql+psycopg", "postgresql+asyncpg", "postgresql+psycopg2"])
def test_urls_of_sqlalchemy_are_understood(scheme: str, database, monkeypatch):
    url = database.replace("postgresql://", f"{scheme}://") + ("?ssl=prefer" if "asyncpg" in scheme else "")
    with app.connect_sync(url) as tn:
        assert tn.start(add, 1, "a").created
    monkeypatch.setenv("TENUTO_DATABASE_URL", url)
    with app.connect_sync() as tn:
        assert len(tn.runs()) == 1


def inputs(db: Any) -> list[Any]:
    return sorted(row[0] for row in db.execute("select input from tenuto.tasks").fetchall())
