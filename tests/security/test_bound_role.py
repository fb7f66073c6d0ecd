"""A server whose role sees every org does not serve: row security is the wall behind each query."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest

from tenuto.db import maintenance
from tenuto.db.connection.errors import MissingRight
from tenuto.db.connection.pool import open_pool
from tenuto.db.connection.process_role import check_bound, choose_role
from tests.cli.test_server import PEPPER
from tests.support.processes.command_line import tenuto

ROLES = ["tenuto_owner", "tenuto_worker", "tenuto_dispatcher", "tenuto_api, tenuto_worker"]


@contextmanager
def a_login(database: str, db: psycopg.Connection, roles: str) -> Iterator[str]:
    """The URL of a new login with these roles."""
    parts = urlsplit(database)
    name = f"{parts.path.removeprefix('/')}_login"
    db.execute(f"create role {name} login password 'secret'".encode())
    db.execute(f"grant {roles} to {name}".encode())
    try:
        yield f"postgresql://{name}:secret@{parts.hostname}:{parts.port}{parts.path}"
    finally:
        db.execute(f"drop role {name}".encode())


@pytest.mark.parametrize("roles", ROLES)
def test_a_login_that_sees_every_org_is_refused_with_what_to_run(
    database: str, db: psycopg.Connection, roles: str
) -> None:
    with a_login(database, db, roles) as url, pytest.raises(MissingRight, match="grant tenuto_api to") as refusal:
        check_bound(url, None)
    assert f"has the rights of {roles.split(', ')[-1]}" in str(refusal.value)


def test_a_superuser_is_refused_and_acts_as_a_role_that_is_bound(database: str) -> None:
    with pytest.raises(MissingRight, match="passes row security"):
        check_bound(database, None)

    role = choose_role(database, "tenuto_api")
    assert role == "tenuto_api"
    check_bound(database, role)


def test_a_login_of_the_api_alone_serves(database: str, db: psycopg.Connection) -> None:
    with a_login(database, db, "tenuto_api") as url:
        check_bound(url, None)
        check_bound(url, choose_role(url, "tenuto_api"))


def test_the_command_does_not_serve_and_doctor_says_why(database: str, db: psycopg.Connection) -> None:
    with a_login(database, db, "tenuto_owner") as url:
        where = {"TENUTO_DATABASE_URL": url, "TENUTO_PEPPER": PEPPER}
        refused = tenuto("server", "--port", "0", **where)
        told = tenuto("doctor", **where)

    assert refused.returncode != 0
    assert "would see the rows of every org" in refused.stderr
    assert re.search(r"note +row security +`tenuto server` refuses to start", told.stdout)


def test_connections_of_a_pooler_that_drops_the_role_are_not_used(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    """As if the pooler had dropped the role: the login itself is a superuser."""

    async def ask(role: str | None) -> bool:
        """Whether there was a response, not a refused connection."""
        async with open_pool(database, role=role, bound=True) as pool, asyncio.timeout(60):
            asked = asyncio.create_task(pool.call(maintenance.now))
            while not asked.done() and "would see the rows of every org" not in caplog.text:
                await asyncio.sleep(0.01)
            return asked.done() or not asked.cancel()

    assert asyncio.run(ask("tenuto_api"))
    assert not asyncio.run(ask(None))
