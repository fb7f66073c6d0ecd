"""The baseline and migrations: forward only, each once, all or nothing."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tenuto.db.connection.errors import BrokenMigrations, NewerSchema, OtherTables, ServerTooOld
from tenuto.db.install import install
from tenuto.db.install.sql_tree import read_tree
from tests.support.postgres.sql_trees import function


def test_an_empty_database_gets_the_baseline_and_every_migration_in_order(tree, empty):
    tree.write("tables/runs.sql", "create table tenuto.later (id int references tenuto.things);")
    tree.write("migrations/0002_runs_more.sql", "alter table tenuto.later add column name text;")
    tree.write("migrations/0003_shared_most.sql", "alter table tenuto.later rename name to title;")

    report = install.migrate(empty, root=tree.root)

    assert report.applied == ["0001_baseline", "0002_runs_more.sql", "0003_shared_most.sql"]
    assert report.schema_version == 3
    assert empty.execute("select number from tenuto.migrations order by number").fetchall() == [(1,), (2,), (3,)]
    assert empty.execute("select title from tenuto.later").fetchall() == []


def test_a_database_with_the_baseline_gets_only_the_migrations(tree, empty):
    install.migrate(empty, root=tree.root)
    empty.execute("insert into tenuto.things values (7)")
    tree.write("migrations/0002_runs_more.sql", "alter table tenuto.things add column name text default 'seven';")

    assert install.status(empty, root=tree.root).pending == ["0002_runs_more.sql"]
    assert install.migrate(empty, root=tree.root).applied == ["0002_runs_more.sql"]
    assert empty.execute("select * from tenuto.things").fetchall() == [(7, "seven")]


def test_migrating_again_changes_nothing(tree, empty):
    install.migrate(empty, root=tree.root)
    before = empty.execute("select xmin::text from pg_proc where proname = 'one'").fetchone()

    report = install.migrate(empty, root=tree.root)

    assert report.applied == []
    assert not report.objects_applied
    assert empty.execute("select xmin::text from pg_proc where proname = 'one'").fetchone() == before


def test_a_migration_changed_after_the_fact_is_named(tree, empty):
    tree.write("migrations/0002_shared_more.sql", "create table tenuto.more ();")
    install.migrate(empty, root=tree.root)
    tree.write("migrations/0002_shared_more.sql", "create table tenuto.other ();")

    with pytest.raises(BrokenMigrations, match=r"0002_shared_more\.sql has changed since it was applied"):
        install.migrate(empty, root=tree.root)


@pytest.mark.parametrize("migrations", [0, 1], ids=["without migrations", "with a migration that this one lacks"])
def test_tables_of_another_baseline_are_left_as_they_are(tree, empty, migrations):
    if migrations:
        tree.write("migrations/0002_shared_more.sql", "select 1;")
    install.migrate(empty, root=tree.root)
    if migrations:
        tree.remove("migrations/0002_shared_more.sql")
    tree.write("tables/shared.sql", "create table tenuto.things (id bigint primary key);")
    tree.write("shared/one.sql", function("one", body="select 2"))
    status = install.status(empty, root=tree.root)

    with pytest.raises(OtherTables, match=r"another commit .* created the tables in postgresql://.*`tenuto db reset`"):
        install.migrate(empty, root=tree.root)

    assert (status.other_tables, status.current, status.newer, status.pending) == (True, False, False, [])
    assert empty.execute("select tenuto.one()").fetchone() == (1,), "the functions stay, too"


def test_a_process_works_on_tables_of_another_baseline_if_it_calls_nothing_new(
    tree, empty, empty_database, monkeypatch
):
    install.migrate(empty, root=tree.root)
    tree.write("tables/shared.sql", "create table tenuto.things (id bigint primary key);")
    monkeypatch.setattr(install, "read_tree", lambda _: read_tree(tree.root))
    install.require_fitting(empty_database)

    tree.write("shared/two.sql", function("two", body="select 2"))
    with pytest.raises(OtherTables, match="`tenuto db reset`"):
        install.require_fitting(empty_database)


def test_comments_and_line_breaks_of_the_baseline_are_not_compared_but_texts_are(tree, empty):
    install.migrate(empty, root=tree.root)
    tree.write("tables/shared.sql", "-- Another remark.\ncreate table tenuto.things\n  (id int primary key);   -- id\n")
    assert install.migrate(empty, root=tree.root).applied == []

    tree.write(
        "tables/shared.sql", "create table tenuto.things (id int primary key); comment on table tenuto.things is '--';"
    )
    with pytest.raises(OtherTables):
        install.migrate(empty, root=tree.root)


def test_functions_alone_are_updated(tree, empty):
    install.migrate(empty, root=tree.root)
    tree.write("shared/one.sql", function("one", body="select 2"))

    assert install.migrate(empty, root=tree.root).objects_applied
    assert empty.execute("select tenuto.one()").fetchone() == (2,)


def test_triggers_are_created_after_the_functions_that_they_call(tree, empty):
    tree.write("shared/keep.sql", "create or replace function tenuto.keep() returns trigger language plpgsql as"
               " $$ begin return null; end $$;")  # fmt: skip
    tree.write("triggers.sql", "create or replace trigger rows_stay before insert on tenuto.things"
               " for each row execute function tenuto.keep();")  # fmt: skip

    install.migrate(empty, root=tree.root)

    assert empty.execute("insert into tenuto.things values (1) returning id").fetchall() == []


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
        BrokenMigrations, match=r"migrations/0003_shared_bad\.sql failed and nothing was changed: division by zero"
    ):
        install.migrate(empty, root=tree.root)

    assert empty.execute("select to_regclass('tenuto.made'), to_regclass('tenuto.half')").fetchone() == (None, None)
    assert install.status(empty, root=tree.root).schema_version == 1


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("0003_shared_gap.sql", r"0003_shared_gap\.sql should have number 0002"),
        ("0001_runs_twice.sql", r"0001_runs_twice\.sql should have number 0002.*0001 is the baseline"),
        ("0002_nowhere_change.sql", r"0002_nowhere_change\.sql must be named NNNN_<context>_<change>\.sql"),
        ("more.sql", r"more\.sql must be named"),
    ],
)
def test_a_file_out_of_line_is_named(tree, empty, name, complaint):
    tree.write(f"migrations/{name}", "select 1;")

    with pytest.raises(BrokenMigrations, match=complaint):
        install.migrate(empty, root=tree.root)


def test_a_file_of_tables_is_named_after_a_context(tree, empty):
    tree.write("tables/nowhere.sql", "select 1;")

    with pytest.raises(BrokenMigrations, match=r"tables/nowhere\.sql must be named after a context: shared, "):
        install.migrate(empty, root=tree.root)


def test_a_file_of_tables_that_fails_is_named(tree, empty):
    tree.write("tables/runs.sql", "select 1 / 0;")

    with pytest.raises(BrokenMigrations, match=r"tables/runs\.sql failed and nothing was changed: division by zero"):
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

    assert (before.schema_version, before.pending, before.current) == (0, ["0001_baseline"], False)
    assert (after.schema_version, after.pending, after.current) == (1, [], True)
    assert int(after.server_version.split(".")[0]) >= 15


def test_a_server_before_15_is_refused():
    with pytest.raises(ServerTooOld, match="the server is Postgres 14, Tenuto needs 15 or newer"):
        install.refuse_old_server(140_012)
    install.refuse_old_server(150_000)


def test_template_databases_of_tests_are_made_again_if_only_a_table_changed(tree):
    before = read_tree(tree.root)
    tree.write("tables/shared.sql", "create table tenuto.things (id bigint primary key);")
    after = read_tree(tree.root)

    assert before.fingerprint(test=True) == after.fingerprint(test=True)
    assert before.digest(test=True) != after.digest(test=True)
