"""`tenuto db adopt`, and what the other commands say on a copy."""

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.database.copies import an_installation, cloned
from tests.support.database.outbox import publish
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start, start_graph, status
from tests.support.processes.command_line import tenuto


@pytest.fixture
def copy(server: str, server_folder: Path) -> Iterator[tuple[str, Db]]:
    """The URL of a copy with open work, and a connection."""
    with an_installation(server, server_folder) as original:
        with psycopg.connect(original, autocommit=True) as db:
            call(db, "set_pool", org_id=DEFAULT_ORG, name="gpu", policy=Jsonb({"max_workers": 2}))
            start(db, 1, 2)
            start_graph(db, 3, [(0, 1), (1, 2)])
            publish(db, {"to": "them"})
        with cloned(server, original) as url, psycopg.connect(url, autocommit=True) as db:
            yield url, db


def test_a_copy_says_so_everywhere_and_is_adopted_after_a_choice(copy: tuple[str, Db], tmp_path: Path) -> None:
    url, _ = copy
    here = {"TENUTO_DATABASE_URL": url, "TENUTO_HOME": tmp_path / "home"}

    assert "installation" in tenuto("doctor", **here).stdout
    doctor = {check["name"]: check for check in json.loads(tenuto("doctor", "--json", **here).stdout)["checks"]}
    assert doctor["installation"]["state"] == "wrong"
    assert "tenuto db adopt" in doctor["installation"]["says"]
    assert "nothing runs here until `tenuto db adopt`" in tenuto("db", "status", **here).stdout
    assert "copy of an installation" in json.loads(tenuto("status", "--json", **here).stdout)["copy_problem"]

    shown = tenuto("db", "adopt", "--dry-run", **here)
    assert (shown.returncode, "begins: 1 pools of org default (gpu)" in shown.stdout) == (0, True), shown.stdout
    assert "5 tasks of org default (default)" in shown.stdout
    undecided = tenuto("db", "adopt", "--yes", **here)
    assert (undecided.returncode, "write --cancel" in undecided.stderr) == (2, True)
    two = tenuto("db", "adopt", "--yes", "--keep", "--cancel", **here)
    assert (two.returncode, "only one of" in two.stderr) == (2, True)
    silent = tenuto("db", "adopt", "--keep", "--json", **here)
    assert (silent.returncode, "add --yes" in silent.stderr) == (2, True)
    assert tenuto("db", "adopt", "--keep", **here).returncode == 1, "nobody confirmed"
    assert json.loads(tenuto("status", "--json", **here).stdout)["copy_problem"] is not None

    done = json.loads(tenuto("db", "adopt", "--keep", "--yes", "--json", **here).stdout)

    assert (done["discarded_effects"], [line["kind"] for line in done["begins"]]) == (0, ["effects", "pools", "tasks"])
    assert json.loads(tenuto("status", "--json", **here).stdout)["copy_problem"] is None
    again = tenuto("db", "adopt", "--keep", "--yes", **here)
    assert (again.returncode, "is no copy" in again.stderr) == (2, True)


def test_open_work_can_be_cancelled_before_anything_begins(copy: tuple[str, Db], tmp_path: Path) -> None:
    url, db = copy

    done = tenuto("db", "adopt", "--cancel", "--yes", TENUTO_DATABASE_URL=url, TENUTO_HOME=tmp_path / "home")

    assert (done.returncode, done.stderr) == (0, "")
    assert "is cancelled here: 5 tasks" in done.stdout
    tasks = [row[0] for row in db.execute("select id from tenuto.tasks").fetchall()]
    assert {status(db, task) for task in tasks} == {"cancelled"}
    assert db.execute("select status from tenuto.outbox where kind = 'deliver'").fetchall() == [("dead",)]


def test_nothing_is_cancelled_in_a_database_that_cannot_be_adopted(copy: tuple[str, Db], tmp_path: Path) -> None:
    url, db = copy
    store = (tmp_path / "objects").as_uri()
    db.execute("update tenuto.installation_marks set stores = %s", [[f"{store}/"]])
    here = {"TENUTO_DATABASE_URL": url, "TENUTO_HOME": tmp_path / "home", "TENUTO_STORAGE": store}

    refused = tenuto("db", "adopt", "--cancel", "--yes", **here)

    assert (refused.returncode, "--own-store" in refused.stderr) == (1, True)
    assert db.execute("select count(*) from tenuto.cancel_requests").fetchone() == (0,)
    assert db.execute("select count(*) from tenuto.ready_tasks").fetchone() == (3,)


def test_a_moved_installation_needs_one_command(copy: tuple[str, Db], tmp_path: Path) -> None:
    url, db = copy
    (pool,) = db.execute("select id from tenuto.pools").fetchall()
    db.execute("update tenuto.installation_marks set database_oid = 4000000000")  # of a database that is gone

    moved = tenuto("db", "adopt", "--moved", "--yes", TENUTO_DATABASE_URL=url, TENUTO_HOME=tmp_path / "home")

    assert moved.returncode == 0
    assert db.execute("select id from tenuto.pools").fetchall() == [pool]


def test_a_new_database_gets_the_name_of_its_installation(empty_database: str, tmp_path: Path) -> None:
    here = {"TENUTO_DATABASE_URL": empty_database, "TENUTO_HOME": tmp_path / "home"}
    tenuto("db", "migrate", TENUTO_INSTALLATION="production", **here)

    assert json.loads(tenuto("db", "status", "--json", **here).stdout)["copy_problem"] is None
    named = tenuto("db", "status", "--json", TENUTO_INSTALLATION="production", **here)
    assert json.loads(named.stdout)["copy_problem"] is None
    other = tenuto("db", "status", "--json", TENUTO_INSTALLATION="staging", **here)
    assert "belongs to the installation production" in json.loads(other.stdout)["copy_problem"]
