"""Logins that may do only some of it, and what they are told."""

from collections.abc import Iterator

import pytest
from psycopg.conninfo import make_conninfo

from tests.support.database.loops import count
from tests.support.database.tasks import Db
from tests.support.processes.command_line import running, tenuto

APP = "tests.support.processes.shop:app"


@pytest.fixture
def login(db: Db, database: str) -> Iterator[str]:
    """The url of a login that may look at the schema and nothing else."""
    name = f"guest_of_{db.info.dbname}"
    db.execute(f"create role {name} login password 'secret'".encode())
    db.execute(f"grant usage on schema tenuto to {name}".encode())
    yield make_conninfo(database, user=name, password="secret")
    db.execute(f"drop owned by {name}".encode())
    db.execute(f"drop role {name}".encode())


def test_a_login_without_rights_is_told_so_in_one_line(login: str):
    refused = tenuto("runs", "list", TENUTO_DATABASE_URL=login)

    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "permission denied" in refused.stderr


def test_a_login_of_workers_works_and_leaves_the_loops_to_others(db: Db, login: str):
    db.execute(f"grant tenuto_worker to guest_of_{db.info.dbname}".encode())

    alone = tenuto("dispatcher", TENUTO_DATABASE_URL=login)
    with running("worker", APP, ready="tasks at once", TENUTO_DATABASE_URL=login) as worker:
        done = tenuto("start", "shop.add", "1", "2", "--wait", TENUTO_DATABASE_URL=login)
        said = worker.said()

    assert (alone.returncode, alone.stderr.count("\n")) == (1, 1)
    assert done.stdout == "3\n"
    assert "no dispatcher loops run here" in said
    assert count(db, "dispatchers") == 0
