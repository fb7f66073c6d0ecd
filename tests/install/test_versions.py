"""Processes work with the database of the next version, and of the one before, if the rule for changes is kept."""

import shutil
from pathlib import Path

import psycopg
import pytest

import tenuto
from tenuto.db.connection.errors import NewerSchema, OtherFunctions
from tenuto.db.install import install
from tenuto.db.install.interface import parse_interface
from tenuto.db.install.sql_tree import read_tree
from tests.support.processes.command_line import running
from tests.support.processes.command_line import tenuto as command

SHIPPED = Path(tenuto.__file__).parent / "sql"
APP = "tests.support.processes.shop:app"
LATEST = read_tree().latest


def changed(folder: Path, *changes: tuple[str, str, str]) -> Path:
    """The shipped SQL with changes: a file, a text in it, and the text that replaces it."""
    root = folder / "sql"
    shutil.copytree(SHIPPED, root)
    for file, old, new in changes:
        (path,) = root.rglob(file)
        assert old in path.read_text(), file
        path.write_text(path.read_text().replace(old, new, 1))
    return root


def with_migration(folder: Path, text: str, *changes: tuple[str, str, str]) -> Path:
    """The shipped SQL with one more migration, and with changes."""
    root = changed(folder, *changes)
    (root / "migrations").mkdir(exist_ok=True)
    (root / "migrations" / f"{LATEST + 1:04d}_outbox_more.sql").write_text(text)
    return root


ADDED = (
    ("count_parked.sql", "(loop text, parked bigint)", "(loop text, parked bigint, more int)"),
    ("count_parked.sql", "count(*)", "count(*), 1"),
    ("poll_runs.sql", "p_run_ids uuid[]", "p_run_ids uuid[], p_more int default 7"),
)


def later(folder: Path) -> Path:
    """The next version: it adds a migration, a function, a parameter with a default and a column of a result."""
    root = with_migration(folder, "alter table tenuto.outbox add column more int;", *ADDED)
    (root / "shared" / "one_more.sql").write_text(
        "-- Returns one.\ncreate or replace function tenuto.one_more() returns int language sql as $$ select 1 $$;\n"
    )
    return root


@pytest.mark.parametrize(
    ("change", "old_code", "new_code"),
    [
        (("poll_runs.sql", "p_run_ids uuid[]", "p_run_ids uuid[], p_more int default 7"), [], ["takes other"]),
        (("poll_runs.sql", "p_run_ids uuid[]", "p_run_ids uuid[], p_more int"), ["needs another"], ["takes other"]),
        (("poll_runs.sql", "p_run_ids uuid[]", "p_run_ids text[]"), ["takes other"], ["takes other"]),
        (("count_parked.sql", "parked bigint", "parked bigint, more int"), [], ["returns something else"]),
        (("count_parked.sql", "parked bigint", "rows bigint"), ["returns something else"], ["returns something else"]),
        (("count_parked.sql", "tenuto.count_parked", "tenuto.count_rows"), ["is missing"], ["is missing"]),
        (("tables/runs.sql", "create type tenuto.claimed as (", "create type tenuto.claimed as (\n  more int,"),
         ["type claimed changed"], ["type claimed changed"]),
    ],
)  # fmt: skip
def test_the_rule_for_changes(
    tmp_path: Path, change: tuple[str, str, str], old_code: list[str], new_code: list[str]
) -> None:
    old, new = read_tree().interface, read_tree(changed(tmp_path, change)).interface

    for mine, theirs, expected in ((old, new, old_code), (new, old, new_code)):
        found = mine.missing_in(theirs)
        assert len(found) == len(expected)
        assert all(part in line for part, line in zip(expected, found, strict=True))
    assert parse_interface(new.to_json()) == new


@pytest.mark.parametrize(
    ("migration", "old_code", "new_code"),
    [
        ("alter type tenuto.claimed add attribute more int;", ["type claimed changed"], ["type claimed changed"]),
        ("alter table tenuto.outbox add column more int, add column most text;", [], ["type outbox changed"]),
        ("alter table tenuto.outbox drop column last_error;", ["type outbox changed"], ["type outbox changed"]),
        ("alter table tenuto.outbox alter column last_error type jsonb;",
         ["type outbox changed"], ["type outbox changed"]),
        ("alter table tenuto.outbox add check (id > 0); -- alter type tenuto.claimed add attribute x int;", [], []),
        ("create type tenuto.more as (id int); alter table tenuto.routes add column more int;", [], []),
    ],
)  # fmt: skip
def test_migrations_count_in_the_rule_for_changes(
    tmp_path: Path, migration: str, old_code: list[str], new_code: list[str]
) -> None:
    root = with_migration(tmp_path, migration)
    old, new = read_tree().interface, read_tree(root).interface

    assert (old.missing_in(new), new.missing_in(old)) == (old_code, new_code)


def test_a_deprecated_function_can_be_removed(tmp_path: Path) -> None:
    root = changed(tmp_path, ("count_parked.sql", "-- ", "-- Deprecated: "))
    marked = read_tree(root).interface
    next(root.rglob("count_parked.sql")).unlink()

    assert marked.missing_in(read_tree(root).interface) == []
    assert read_tree().interface.missing_in(read_tree(root).interface) == ["count_parked is missing"]


def test_processes_run_and_start_on_the_schema_of_the_next_version(database: str, tmp_path: Path) -> None:
    where = {"TENUTO_DATABASE_URL": database}
    with running("worker", APP, ready="tasks at once", **where) as before:
        install.migrate(database, test=True, root=later(tmp_path))
        assert command("start", "shop.add", "1", "2", "--wait", **where).stdout == "3\n"
        with running("worker", APP, ready="tasks at once", **where):
            assert before.stop() == 0
            assert command("start", "shop.add", "2", "2", "--wait", **where).stdout == "4\n"

    again, check = command("db", "migrate", **where), command("db", "migrate", "--check", **where)
    assert (again.returncode, check.returncode) == (0, 0)
    assert f"schema version {LATEST + 1}, a newer Tenuto migrated it" in again.stdout
    assert "of a newer Tenuto; this one works with it" in check.stdout
    assert "of a newer Tenuto; this one works with it" in command("doctor", **where).stdout
    with psycopg.connect(database) as conn:
        assert conn.execute("select tenuto.one_more()").fetchone() == (1,), "its functions stay"


def test_the_next_version_works_with_this_schema_if_it_calls_nothing_new(database: str, tmp_path: Path) -> None:
    root = with_migration(tmp_path, "create index more on tenuto.outbox (created_at);")

    status = install.status(database, root=root)

    assert (status.missing, len(status.pending), status.current) == ([], 1, False)


def test_a_database_that_does_not_fit_is_refused_with_what_is_missing(database: str, tmp_path: Path) -> None:
    change = ("poll_runs.sql", "p_run_ids uuid[]", "p_ids uuid[]")
    root = with_migration(tmp_path, "create index more on tenuto.outbox (created_at);", change)
    before = install.status(database, root=root)
    install.migrate(database, test=True, root=root)

    assert before.restarts == ["poll_runs takes other parameters"]
    with pytest.raises(OtherFunctions, match=r"a newer Tenuto migrated .*\(poll_runs takes other parameters\)"):
        install.require_fitting(database)
    with pytest.raises(NewerSchema, match="poll_runs takes other parameters"):
        install.migrate(database, test=True)


def test_check_says_what_would_be_done_and_changes_nothing(empty_database: str) -> None:
    where = {"TENUTO_DATABASE_URL": empty_database}
    before = command("db", "migrate", "--check", **where)
    install.migrate(empty_database)
    after = command("db", "migrate", "--check", **where)

    assert (before.returncode, before.stdout.count("would apply")) == (1, LATEST)
    assert (after.returncode, after.stdout) == (0, f"schema version {LATEST}, nothing to do\n")
