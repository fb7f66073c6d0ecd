"""Rights: who may install, who owns the result, and what a test database is."""

import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tenuto.db import embedded
from tenuto.db.connection.errors import MissingRight, NotATestDatabase, Unreachable
from tenuto.db.install import install
from tenuto.db.install.roles import ROLES
from tests.support.postgres.server import PG_BIN, copy_home, make_folder
from tests.support.postgres.sql_trees import function


@pytest.fixture
def bare_server(bare_home: Path) -> Iterator[psycopg.Connection]:
    """A server of its own, since roles belong to a whole server and the shared one has them all."""
    parent = make_folder("tenuto-bare-")
    copy_home(bare_home, parent / "home")
    with embedded.server(parent / "home", pg_bin=PG_BIN) as url, psycopg.connect(url, autocommit=True) as conn:
        yield conn
    shutil.rmtree(parent)


def as_user(admin: psycopg.Connection, name: str) -> psycopg.Connection:
    admin.execute(f"alter role {name} password 'secret'".encode())
    return psycopg.connect(
        host=admin.info.host, port=admin.info.port, dbname=admin.info.dbname, user=name, password="secret",
        autocommit=True,
    )  # fmt: skip


def test_without_the_right_to_create_roles_the_error_holds_the_script_that_helps(tree, bare_server):
    bare_server.execute("create role plain login")
    with as_user(bare_server, "plain") as plain:
        with pytest.raises(MissingRight, match="ask a superuser to run this once") as refusal:
            install.migrate(plain, root=tree.root)
        assert bare_server.execute("select 1 from pg_roles where rolname like 'tenuto%%_%%'").fetchall() == []

        script = str(refusal.value).split("\n\n", 1)[1]
        bare_server.execute(script.encode())
        report = install.migrate(plain, root=tree.root)

    assert report.schema_version == 1


def test_a_role_that_may_create_roles_needs_nobodys_help(tree, bare_server):
    bare_server.execute("create role manager login createrole")
    bare_server.execute("grant create on database tenuto to manager")
    with as_user(bare_server, "manager") as manager:
        install.migrate(manager, root=tree.root)
        tree.write("migrations/0002_shared_later.sql", "create table tenuto.later ();")
        install.migrate(manager, root=tree.root)

    owners = bare_server.execute(
        "select distinct relowner::regrole::text from pg_class where relnamespace = 'tenuto'::regnamespace"
    ).fetchall()
    assert owners == [("tenuto_owner",)]


def test_databases_of_one_server_can_be_migrated_at_once_though_they_share_the_roles(tree, bare_server):
    names = [f"neighbour_{no}" for no in range(4)]
    for name in names:
        bare_server.execute(f"create database {name}".encode())
    url = f"host={bare_server.info.host} port={bare_server.info.port} user={bare_server.info.user}"
    urls = [f"{url} password={bare_server.info.password} dbname={name}" for name in names]

    with ThreadPoolExecutor(len(urls)) as neighbours:
        reports = list(neighbours.map(lambda url: install.migrate(url, root=tree.root), urls))

    assert [report.schema_version for report in reports] == [1] * len(urls)


def test_nobody_can_log_in_as_one_of_the_roles(tree, bare_server):
    install.migrate(bare_server, root=tree.root)

    rows = bare_server.execute(
        "select rolname, rolcanlogin, rolsuper from pg_roles where rolname = any (%s)", [list(ROLES)]
    ).fetchall()
    assert sorted(rows) == [(role, False, False) for role in sorted(ROLES)]


def test_a_test_database_gets_the_testing_objects_and_keeps_them(tree, empty):
    tree.write("testing/one.sql", function("one", body="select 100"))
    install.migrate(empty, root=tree.root, test=True)
    tree.write("shared/two.sql", function("two", body="select 2"))

    install.migrate(empty, root=tree.root)

    assert empty.execute("select tenuto.one(), tenuto.two()").fetchone() == (100, 2)
    assert install.status(empty, root=tree.root).test


def test_a_production_database_never_becomes_a_test_database(tree, empty):
    tree.write("testing/one.sql", function("one", body="select 100"))
    install.migrate(empty, root=tree.root)

    with pytest.raises(NotATestDatabase, match="holds a production installation"):
        install.migrate(empty, root=tree.root, test=True)
    assert empty.execute("select tenuto.one()").fetchone() == (1,)


def test_a_server_that_does_not_answer_is_named_by_host_and_port():
    with pytest.raises(Unreachable, match=r"cannot reach Postgres at 127\.0\.0\.1:1 .*start it or correct"):
        install.status(f"postgresql://nobody@127.0.0.1:1/{os.getpid()}")
