"""Finding the way to Tenuto, and saying in one line why it was not found."""

import asyncio
import traceback
from pathlib import Path

import pytest

from tenuto import App
from tenuto.db.connection.errors import BadAddress, DatabaseProblem, OtherFunctions, Unreachable
from tenuto.model.errors import NotFound
from tenuto.model.keys import WORKER, make_key
from tenuto.sdk.connect import find_address

app = App("shop")


@app.task
def add(x: int, y: int) -> int:
    return x + y


async def enter(url: str | None = None, **said: str) -> str:
    async with app.connect(url, **said) as tn:
        return str(tn.direct.org_id)


def test_the_environment_says_where_tenuto_is(tmp_path: Path):
    said = find_address({"TENUTO_DATABASE_URL": "postgresql://x", "TENUTO_HOME": str(tmp_path), "TENUTO_ORG": "acme"})
    nothing = find_address({"XDG_DATA_HOME": str(tmp_path)})

    assert (said.database_url, said.home, said.org) == ("postgresql://x", tmp_path, "acme")
    assert (nothing.database_url, nothing.home.parent, nothing.org) == (None, tmp_path / "tenuto", "default")


def test_a_database_that_is_named_comes_before_a_server():
    said = {"TENUTO_URL": "https://tenuto.example", "TENUTO_API_KEY": "tn_x"}

    assert find_address(said).server_url == "https://tenuto.example"
    assert find_address({**said, "TENUTO_DATABASE_URL": "postgresql://x"}).server_url is None
    assert "tn_x" not in repr(find_address(said))


def test_a_server_without_an_api_key_or_with_an_org_is_refused_with_what_to_set(monkeypatch):
    monkeypatch.delenv("TENUTO_API_KEY", raising=False)

    with pytest.raises(BadAddress, match="requires an API key: set TENUTO_API_KEY"):
        asyncio.run(enter("https://tenuto.example"))
    with pytest.raises(BadAddress, match=r"is a worker key \(tnw_…\); .* an API key \(tn_…\): set TENUTO_API_KEY"):
        asyncio.run(enter("https://tenuto.example", key=make_key(WORKER, "test").text))
    with pytest.raises(BadAddress, match="the API key determines the org"):
        asyncio.run(enter("https://tenuto.example", key="tn_x", org="acme"))


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("localhost:8080", "cannot be localhost:8080; write TENUTO_URL=http://localhost:8080 or https://"),
        ("localhost", "cannot be localhost; write TENUTO_URL=http://localhost or"),
        ("http://[::1", "cannot be http://[::1; write TENUTO_URL=https://"),
        ("https://me:secret@tenuto.example", "is invalid; write TENUTO_URL=https://"),
        ("http://127.0.0.1:1/v1/", "cannot be http://127.0.0.1:1/v1/; leave out /v1"),
    ],
)
def test_what_cannot_be_a_server_is_refused_at_once_with_what_to_write(url: str, says: str, monkeypatch):
    monkeypatch.delenv("TENUTO_DATABASE_URL", raising=False)
    monkeypatch.setenv("TENUTO_URL", url)
    monkeypatch.setenv("TENUTO_API_KEY", "tn_x")

    with pytest.raises(BadAddress) as refused:
        asyncio.run(enter())

    assert says in str(refused.value)
    assert "secret" not in str(refused.value)


def test_the_embedded_database_is_started_and_filled_where_none_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("TENUTO_DATABASE_URL", raising=False)
    monkeypatch.setenv("TENUTO_HOME", str(tmp_path))

    async def steps() -> str:
        async with app.connect() as tn:
            run = await tn.start(add, 1, 2)
            return await run.status()

    assert asyncio.run(steps()) == "pending"


def test_a_database_without_tenuto_is_not_touched(empty_database):
    with pytest.raises(OtherFunctions, match="has no Tenuto schema; run `tenuto db migrate`"):
        asyncio.run(enter(empty_database))


def test_a_database_that_does_not_answer_is_named():
    with pytest.raises(Unreachable, match=r"cannot reach Postgres at 127\.0\.0\.1:1 "):
        asyncio.run(enter("postgresql://127.0.0.1:1/none"))


@pytest.mark.parametrize(
    ("url", "last"),
    [
        ("postgresql://127.0.0.1:1/none", "cannot reach Postgres at 127.0.0.1:1 (Connection refused); start it or"),
        ("me:secret", "TENUTO_DATABASE_URL is not a usable address; write postgresql://user:password@host:port/name"),
    ],
)
def test_the_traceback_of_a_script_without_its_database_holds_nothing_of_the_driver(url: str, last: str):
    with pytest.raises(DatabaseProblem) as refused, app.connect_sync(url):
        pass

    shown = "".join(traceback.format_exception(refused.value))
    assert last in shown.splitlines()[-1]
    assert shown.count("Traceback (most recent call last)") == 1
    assert "secret" not in shown


def test_an_org_is_found_by_its_slug(database, db):
    db.execute("select tenuto.create_org('acme')")

    acme = asyncio.run(enter(database, org="acme"))

    assert acme == str(db.execute("select tenuto.find_org('acme')").fetchone()[0])
    with pytest.raises(NotFound, match="nobody"):
        asyncio.run(enter(database, org="nobody"))
