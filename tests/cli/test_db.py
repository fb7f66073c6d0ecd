"""`tenuto db` as a person runs it."""

import json
import tempfile
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.support.processes.command_line import tenuto


def test_migrate_needs_nothing_leaves_a_database_to_use_and_does_nothing_again(home):
    migrated = tenuto("db", "migrate", "--json", TENUTO_HOME=home)
    status = json.loads(tenuto("db", "status", "--json", TENUTO_HOME=home).stdout)

    assert migrated.returncode == 0
    assert json.loads(migrated.stdout)["applied"] != []
    assert status["pending"] == []
    assert status["schema_version"] == len(json.loads(migrated.stdout)["applied"])
    with psycopg.connect(status["url"]) as conn:
        assert conn.execute("select max(number) from tenuto.migrations").fetchone() == (status["schema_version"],)
    assert "nothing to do" in tenuto("db", "migrate", TENUTO_HOME=home).stdout


def test_stop_stops_and_says_when_there_was_nothing_to_stop(made_home):
    url = json.loads(tenuto("db", "status", "--json", TENUTO_HOME=made_home).stdout)["url"]

    assert json.loads(tenuto("db", "stop", "--json", TENUTO_HOME=made_home).stdout) == {"stopped": True}
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)
    assert tenuto("db", "stop", TENUTO_HOME=made_home).stdout == "was not running\n"


def test_psql_runs_on_the_database_and_hands_on_its_exit_code(made_home):
    assert tenuto("db", "psql", "-Atc", "select 40 + 2", TENUTO_HOME=made_home).stdout == "42\n"
    assert tenuto("db", "psql", "-Atc", "select 1 / 0", TENUTO_HOME=made_home).returncode == 1


def test_a_server_is_no_database_and_a_database_takes_precedence(home, empty_database):
    named = {"TENUTO_HOME": home, "TENUTO_URL": "http://127.0.0.1:1"}

    assert tenuto("db", "status", **named).returncode == 2
    assert tenuto("db", "status", **named, TENUTO_DATABASE_URL=empty_database).stderr == ""


def test_a_named_server_is_used_and_nothing_is_started(home, empty_database):
    done = tenuto("db", "migrate", TENUTO_HOME=home, TENUTO_DATABASE_URL=empty_database)
    status = tenuto("db", "status", "--json", TENUTO_HOME=home, TENUTO_DATABASE_URL=empty_database)

    assert done.returncode == 0
    assert json.loads(status.stdout)["pending"] == []
    assert empty_database.split(":")[2].split("@")[0] not in status.stdout, "the password was repeated"
    assert not home.exists()


def test_a_server_that_does_not_answer_is_one_line_and_exit_code_3(home):
    failed = tenuto("db", "status", TENUTO_DATABASE_URL="postgresql://me:secret@127.0.0.1:1/mine")

    assert failed.returncode == 3
    assert failed.stderr.count("\n") == 1
    assert "127.0.0.1:1 (Connection refused)" in failed.stderr
    assert "secret" not in failed.stderr


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"password": "wrong"}, "password authentication failed"),
        ({"dbname": "nowhere"}, 'database "nowhere" does not exist'),
    ],
    ids=["a wrong password", "a database that is not there"],
)
def test_a_server_that_lets_nobody_in_is_not_called_unreachable(empty_database, change, named):
    address = make_conninfo(empty_database, **change)

    failed = tenuto("db", "status", TENUTO_DATABASE_URL=address)

    assert failed.returncode == 3
    assert failed.stderr.count("\n") == 1
    assert "refuses the connection" in failed.stderr
    assert named in failed.stderr
    assert "cannot reach" not in failed.stderr
    assert str(conninfo_to_dict(address)["password"]) not in failed.stderr


def test_psql_of_a_server_that_does_not_answer_is_exit_code_3():
    failed = tenuto("db", "psql", "-c", "select 1", TENUTO_DATABASE_URL="postgresql://me@127.0.0.1:1/mine")

    assert failed.returncode == 3
    assert "127.0.0.1:1 (Connection refused)" in failed.stderr


def test_status_tells_people_where_and_programs_how_to_get_in(made_home):
    people = tenuto("db", "status", TENUTO_HOME=made_home).stdout
    address = conninfo_to_dict(json.loads(tenuto("db", "status", "--json", TENUTO_HOME=made_home).stdout)["url"])

    assert f"{address['host']}:{address['port']}" in people
    assert str(address["password"]) not in people


def test_a_command_that_is_not_there_is_answered_with_one_that_is(home):
    assert "Did you mean 'status'?" in tenuto("db", "statsu", TENUTO_HOME=home).stderr


def test_an_option_of_a_list_that_is_said_too_early_is_answered_with_where_it_belongs():
    refused = tenuto("runs", "--limit", "2")

    assert (refused.returncode, refused.stderr) == (
        2,
        "tenuto: No such option: --limit; write `tenuto runs list --limit`\n",
    )


def test_no_postgres_to_start_is_one_line_and_exit_code_3(home, tmp_path):
    failed = tenuto("db", "migrate", TENUTO_HOME=home, TENUTO_PG_BIN=tmp_path)

    assert failed.returncode == 3
    assert failed.stderr == (
        f"tenuto: no working postgres and initdb in {tmp_path}; "
        "set TENUTO_PG_BIN to the bin folder of a Postgres 15 or newer\n"
    )


def test_a_home_that_cannot_be_is_one_line_and_exit_code_2():
    failed = tenuto("runs", "list", TENUTO_HOME="/proc/nowhere")

    assert (failed.returncode, failed.stderr.count("\n")) == (2, 1)
    assert "no database can be stored in /proc/nowhere" in failed.stderr


def test_two_homes_in_memory_at_once_one_of_them_relative_and_with_a_space(monkeypatch):
    memory = Path("/dev/shm")  # noqa: S108 - the folder made in it has a random name
    with tempfile.TemporaryDirectory(dir=memory if memory.exists() else None) as folder:
        Path(folder).chmod(0o755)
        monkeypatch.chdir(folder)
        homes = ("my home", Path(folder, "deep", "er"))
        try:
            urls = {json.loads(tenuto("db", "status", "--json", TENUTO_HOME=home).stdout)["url"] for home in homes}

            assert len(urls) == 2
            assert all(Path(home, "data").is_dir() for home in homes)
        finally:
            for home in homes:
                tenuto("db", "stop", TENUTO_HOME=home)


def test_a_database_from_the_future_is_left_as_it_is(home, empty_database):
    tenuto("db", "migrate", TENUTO_DATABASE_URL=empty_database)
    with psycopg.connect(empty_database) as conn:
        conn.execute("insert into tenuto.migrations values (9999, '9999_runs_later.sql', '', now())")

    done = tenuto("db", "migrate", TENUTO_DATABASE_URL=empty_database)

    assert done.returncode == 0
    assert "schema version 9999, a newer Tenuto migrated it and this one works with it" in done.stdout


@pytest.mark.parametrize("wrong", [("db", "explode"), ("db", "status", "--colour")])
def test_wrong_use_is_exit_code_2(wrong, home):
    assert tenuto(*wrong, TENUTO_HOME=home).returncode == 2


def test_an_address_that_is_none_is_wrong_use():
    assert tenuto("db", "status", TENUTO_DATABASE_URL="nonsense").returncode == 2


def test_stopping_a_server_that_is_not_ours_is_wrong_use(empty_database):
    assert tenuto("db", "stop", TENUTO_DATABASE_URL=empty_database).returncode == 2
