"""`tenuto db reset` as a person runs it."""

import json
import subprocess
from pathlib import Path

import psycopg
import pytest

from tenuto.db import embedded
from tests.support.processes.command_line import TENUTO, running, tenuto

APP = "tests.support.processes.shop:app"


def of_another_commit(home: Path) -> None:
    with embedded.server(home) as url, psycopg.connect(url) as conn:
        conn.execute("update tenuto.migrations set checksum = 'another' where number = 1")


def runs(home: Path) -> list[str]:
    return [run["id"] for run in json.loads(tenuto("runs", "list", "--json", TENUTO_HOME=home).stdout)["runs"]]


@pytest.mark.parametrize("command", [("db", "migrate"), ("worker", APP), ("up", APP), ("start", "shop.add", "1", "2")])
def test_tables_of_another_commit_stop_every_command_with_one_sentence(made_home, command):
    of_another_commit(made_home)

    refused = tenuto(*command, TENUTO_HOME=made_home)

    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert "another commit of Tenuto" in refused.stderr
    assert "`tenuto db reset` keeps them under another name and creates new ones" in refused.stderr


def test_check_status_and_doctor_name_the_command(made_home):
    of_another_commit(made_home)

    check = tenuto("db", "migrate", "--check", TENUTO_HOME=made_home)
    status = json.loads(tenuto("db", "status", "--json", TENUTO_HOME=made_home).stdout)

    assert (check.returncode, check.stdout.count("`tenuto db reset`")) == (1, 1)
    assert (status["current"], status["other_tables"]) == (False, True)
    assert "`tenuto db reset` creates new ones" in tenuto("doctor", TENUTO_HOME=made_home).stdout


def test_the_old_home_is_kept_inside_and_is_a_home_of_its_own(made_home):
    run_id = json.loads(tenuto("start", "shop.add", "1", "2", "--anyway", "--json", TENUTO_HOME=made_home).stdout)["id"]
    (made_home / "objects").mkdir()
    (made_home / "objects" / "one").write_text("of the old database")
    of_another_commit(made_home)

    done = json.loads(tenuto("db", "reset", "--yes", "--json", TENUTO_HOME=made_home).stdout)
    old = Path(done["folder"])

    try:
        assert old.parent == made_home
        assert runs(made_home) == []
        assert (old / "objects" / "one").read_text() == "of the old database"
        assert not (made_home / "objects" / "one").exists()
        with embedded.server(old) as url, psycopg.connect(url) as conn:
            assert conn.execute("select id::text from tenuto.runs").fetchall() == [(run_id,)]
    finally:
        tenuto("db", "stop", TENUTO_HOME=old)


def test_nothing_is_changed_while_a_worker_uses_the_home(made_home):
    with running("worker", APP, ready="tasks at once", TENUTO_HOME=made_home):
        refused = tenuto("db", "reset", "--yes", TENUTO_HOME=made_home)

    assert refused.returncode == 1
    assert "processes of Tenuto use the database" in refused.stderr
    assert list(made_home.glob("old-*")) == []


@pytest.mark.parametrize(("typed", "done"), [("home\n", True), ("other\n", False), ("", False)])
def test_the_name_has_to_be_typed(made_home, typed, done):
    environment = {"TENUTO_HOME": str(made_home), "PATH": "/usr/bin:/bin"}
    reset = subprocess.run(
        [TENUTO, "db", "reset"], input=typed, env=environment, capture_output=True, text=True, check=False
    )

    assert (reset.returncode == 0) == done
    assert "Type the name of the folder (home) to continue" in reset.stdout
    assert bool(list(made_home.glob("old-*"))) == done


def test_without_a_terminal_json_needs_yes(made_home):
    refused = tenuto("db", "reset", "--json", TENUTO_HOME=made_home)

    assert (refused.returncode, "add --yes" in refused.stderr) == (2, True)


def test_a_home_without_a_database_is_left_alone(home):
    refused = tenuto("db", "reset", "--yes", TENUTO_HOME=home)

    assert refused.returncode == 2
    assert "has no database; `tenuto db migrate` creates one" in refused.stderr
    assert not home.exists()


def test_the_schemas_of_a_named_database_are_kept(empty_database):
    where = {"TENUTO_DATABASE_URL": empty_database}
    tenuto("db", "migrate", **where)

    done = tenuto("db", "reset", "--yes", **where)

    assert done.returncode == 0
    assert "the old schemas are kept: tenuto as tenuto_old_" in done.stdout
    assert "nothing to do" in tenuto("db", "migrate", **where).stdout
