"""Migrations: forward only, each once, all or nothing."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tenuto.db.connection.errors import BrokenMigrations, NewerSchema, ServerTooOld
from tenuto.db.install import install
from tests.support.postgres.sql_trees import function


def test_an_empty_database_gets_every_migration_in_order(tree, empty):
    tree.write("migrations/0002_runs_more.sql", "alter table tenuto.things add column name text;")

    report = install.migrate(empty, root=tree.root)

    assert report.applied == ["0001_shared_first.sql", "0002_runs_more.sql"]
    assert report.schema_version == 2
    assert empty.execute("select number from tenuto.migrations order by number").fetchall() == [(1,), (2,)]


def test_migrating_again_changes_nothing(tree, empty):
    install.migrate(empty, root=tree.root)
    before = empty.execute("select xmin::text from pg_proc where proname = 'one'").fetchone()

    report = install.migrate(empty, root=tree.root)

    assert report.applied == []
    assert not report.objects_applied
    assert empty.execute("select xmin::text from pg_proc where proname = 'one'").fetchone() == before


def test_a_migration_changed_after_the_fact_is_named(tree, empty):
    install.migrate(empty, root=tree.root)
    tree.write("migrations/0001_shared_first.sql", "create table tenuto.other ();")

    with pytest.raises(BrokenMigrations, match=r"0001_shared_first\.sql has changed since it was applied"):
        install.migrate(empty, root=tree.root)


def test_a_database_from_the_future_is_left_as_it_is_or_refused_if_a_function_is_missing(tree, empty):
    tree.write("migrations/0002_shared_more.sql", "select 1;")
    install.migrate(empty, root=tree.root)
    tree.remove("migrations/0002_shared_more.sql")

    assert install.migrate(empty, root=tree.root).schema_version == 2
    tree.write("shared/two.sql", function("two", body="select 2"))
    with pytest.raises(NewerSchema, match=r"has migration 0002, this Tenuto ends at 0001 .*\(two is missing\)"):
        install.migrate(empty, root=tree.root)


def test_a_failing_migration_changes_nothing(tree, empty):
    install.migrate(empty, root=tree.root)
    tree.write("migrations/0002_shared_good.sql", "create table tenuto.made ();")
    tree.write("migrations/0003_shared_bad.sql", "create table tenuto.half (); select 1 / 0;")

    with pytest.raises(
        BrokenMigrations, match=r"0003_shared_bad\.sql failed and nothing was changed: division by zero"
    ):
        install.migrate(empty, root=tree.root)

    assert empty.execute("select to_regclass('tenuto.made'), to_regclass('tenuto.half')").fetchone() == (None, None)
    assert install.status(empty, root=tree.root).schema_version == 1


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("0003_shared_gap.sql", r"0003_shared_gap\.sql should have number 0002"),
        ("0001_runs_twice.sql", r"0001_shared_first\.sql should have number 0002"),
        ("0002_nowhere_change.sql", r"0002_nowhere_change\.sql must be named NNNN_<context>_<change>\.sql"),
        ("more.sql", r"more\.sql must be named"),
    ],
)
def test_a_file_out_of_line_is_named(tree, empty, name, complaint):
    tree.write(f"migrations/{name}", "select 1;")

    with pytest.raises(BrokenMigrations, match=complaint):
        install.migrate(empty, root=tree.root)


def test_four_migrating_at_once_apply_everything_once(tree, empty_database):
    tree.write("migrations/0002_shared_slow.sql", "select pg_sleep(0.2); create table tenuto.made ();")

    with ThreadPoolExecutor(4) as threads:
        reports = list(threads.map(lambda _: install.migrate(empty_database, root=tree.root), range(4)))

    assert sorted(len(report.applied) for report in reports) == [0, 0, 0, 2]


def test_status_tells_what_is_pending(tree, empty):
    before = install.status(empty, root=tree.root)
    install.migrate(empty, root=tree.root)
    after = install.status(empty, root=tree.root)

    assert (before.schema_version, before.pending, before.current) == (0, ["0001_shared_first.sql"], False)
    assert (after.schema_version, after.pending, after.current) == (1, [], True)
    assert int(after.server_version.split(".")[0]) >= 15


def test_a_server_before_15_is_refused():
    with pytest.raises(ServerTooOld, match="the server is Postgres 14, Tenuto needs 15 or newer"):
        install.refuse_old_server(140_012)
    install.refuse_old_server(150_000)
