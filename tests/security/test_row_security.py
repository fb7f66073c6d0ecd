"""Tenants never meet: what each role may see and do, held by Postgres itself."""

from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest

from tests.support.database.orgs import a_busy_org, acting_for, changes, denied, tenant_tables
from tests.support.database.tasks import start_one
from tests.support.postgres.server import connect_as

ROLES = (
    "tenuto_owner", "tenuto_api", "tenuto_dispatcher", "tenuto_worker", "tenuto_client", "tenuto_readonly",
    "tenuto_query", "tenuto_backup",
)  # fmt: skip
BOUND_TO_AN_ORG = ("tenuto_api", "tenuto_readonly")


@pytest.fixture
def orgs(db: psycopg.Connection) -> tuple[UUID, UUID]:
    return a_busy_org(db, "mine"), a_busy_org(db, "theirs")


@pytest.fixture
def api(database: str) -> Iterator[psycopg.Connection]:
    with connect_as(database, "tenuto_api") as conn:
        yield conn


def org_ids(db: psycopg.Connection, table: str, column: str) -> set[UUID]:
    return {row[0] for row in db.execute(f"select distinct {column} from tenuto.{table}".encode()).fetchall()}


def test_every_tenant_table_has_rows_of_both_orgs_in_these_tests(
    db: psycopg.Connection, orgs: tuple[UUID, UUID]
) -> None:
    lacking = [table for table, column in tenant_tables(db) if not set(orgs) <= org_ids(db, table, column)]

    assert lacking == []


def test_the_roles_exist_and_none_of_them_may_log_in_or_pass_row_security(db: psycopg.Connection) -> None:
    rows = db.execute(
        "select rolname::text, rolcanlogin, rolbypassrls, rolsuper from pg_roles where rolname like 'tenuto%%'", []
    ).fetchall()

    assert sorted(rows) == sorted((role, False, False, False) for role in ROLES)


def test_row_security_is_enabled_and_forced_on_every_tenant_table(db: psycopg.Connection) -> None:
    open_tables = db.execute(
        "select relname from pg_class where relname = any (%s) and relnamespace = 'tenuto'::regnamespace"
        " and not (relrowsecurity and relforcerowsecurity)",
        [[table for table, _ in tenant_tables(db)]],
    ).fetchall()

    assert open_tables == []


@pytest.mark.parametrize("role", BOUND_TO_AN_ORG)
def test_an_org_sees_its_own_rows_in_every_table(
    db: psycopg.Connection, database: str, orgs: tuple[UUID, UUID], role: str
) -> None:
    mine, _ = orgs
    with connect_as(database, role) as conn, acting_for(conn, mine):
        seen = {table: org_ids(conn, table, column) for table, column in tenant_tables(db)}

    assert seen == {table: {mine} for table in seen}


@pytest.mark.parametrize("role", BOUND_TO_AN_ORG)
def test_without_an_org_nothing_is_seen_not_even_after_another_transaction(
    db: psycopg.Connection, database: str, orgs: tuple[UUID, UUID], role: str
) -> None:
    tables = tenant_tables(db)
    with connect_as(database, role) as conn:
        assert {table for table, column in tables if org_ids(conn, table, column)} == set()
        with acting_for(conn, orgs[0]):
            assert org_ids(conn, "tasks", "org_id") == {orgs[0]}
        assert {table for table, column in tables if org_ids(conn, table, column)} == set()


@pytest.mark.parametrize("role", BOUND_TO_AN_ORG)
def test_the_views_show_an_orgs_own_rows(database: str, orgs: tuple[UUID, UUID], role: str) -> None:
    mine, _ = orgs
    with connect_as(database, role) as conn, acting_for(conn, mine):
        assert org_ids(conn, "task_status", "org_id") == {mine}
        assert org_ids(conn, "run_status", "org_id") == {mine}
        assert len(conn.execute("select * from tenuto.run_status").fetchall()) > 5


def test_no_row_can_be_put_into_another_org(
    db: psycopg.Connection, api: psycopg.Connection, orgs: tuple[UUID, UUID]
) -> None:
    mine, theirs = orgs
    allowed = []
    for table, column in tenant_tables(db):
        with acting_for(api, mine):
            if not denied(api, f"insert into tenuto.{table} ({column}) values (%s)", theirs):
                allowed.append(f"insert into {table}")
            if not denied(api, f"update tenuto.{table} set {column} = %s", theirs):
                allowed.append(f"update {table}")

    assert allowed == []


def test_rows_of_another_org_can_be_neither_changed_nor_deleted(
    db: psycopg.Connection, api: psycopg.Connection, orgs: tuple[UUID, UUID]
) -> None:
    mine, theirs = orgs
    touched = []
    for table, column in tenant_tables(db):
        for statement in (f"update tenuto.{table} set {column} = {column}", f"delete from tenuto.{table}"):
            with acting_for(api, mine):
                if changes(api, f"{statement} where {column} = %s", theirs):
                    touched.append(statement)

    assert touched == []


def test_partitions_cannot_be_reached_around_their_parents(db: psycopg.Connection, database: str) -> None:
    with connect_as(database, "tenuto_dispatcher") as dispatcher:
        made = dispatcher.execute("select * from tenuto.create_partitions(20)").fetchall()
    start_one(db)
    reached = db.execute(
        "select c.relname, r.role from pg_class c, unnest(%s::text[]) as r(role)"
        " where c.relnamespace = 'tenuto'::regnamespace and c.relispartition and c.relkind = 'r'"
        " and has_table_privilege(r.role, c.oid, 'select, insert, update, delete, truncate')",
        [[role for role in ROLES if role not in ("tenuto_owner", "tenuto_backup")]],  # pg_dump reads each partition
    ).fetchall()

    assert len(made) > 6
    assert reached == []


def test_the_readonly_role_writes_nothing(db: psycopg.Connection, database: str) -> None:
    rights = db.execute(
        "select c.relname from pg_class c"
        " where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p', 'v')"
        " and has_table_privilege('tenuto_readonly', c.oid, 'insert, update, delete, truncate')"
    ).fetchall()
    functions = db.execute(
        "select p.proname from pg_proc p where p.pronamespace = 'tenuto'::regnamespace and p.provolatile = 'v'"
        " and p.proname <> '_raise' and has_function_privilege('tenuto_readonly', p.oid, 'execute')"
    ).fetchall()

    assert (rights, functions) == ([], [])
    with connect_as(database, "tenuto_readonly") as conn:
        assert denied(conn, "select tenuto.promote_due()")
        assert denied(conn, "delete from tenuto.tasks")


def test_the_query_role_has_no_rights_on_tables_or_functions(db: psycopg.Connection) -> None:
    tables = db.execute(
        "select c.relname from pg_class c"
        " where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p', 'v')"
        " and has_table_privilege('tenuto_query', c.oid, 'select, insert, update, delete, truncate')"
    ).fetchall()
    functions = db.execute(
        "select p.proname from pg_proc p where p.pronamespace = 'tenuto'::regnamespace"
        " and has_function_privilege('tenuto_query', p.oid, 'execute')"
    ).fetchall()

    assert (tables, functions) == ([], [])


def test_nobody_without_a_role_of_ours_may_do_anything(db: psycopg.Connection) -> None:
    functions = db.execute(
        "select p.proname from pg_proc p where p.pronamespace = 'tenuto'::regnamespace"
        " and has_function_privilege('public', p.oid, 'execute')"
    ).fetchall()
    schema = db.execute("select has_schema_privilege('public', 'tenuto', 'usage')").fetchone()

    assert (functions, schema) == ([], (False,))


def test_tables_that_belong_to_no_org_are_not_the_apis_to_write(db: psycopg.Connection) -> None:
    rights = db.execute(
        "select c.relname::text from pg_class c"
        " where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p')"
        " and not c.relispartition and c.relname <> all (%s)"
        " and has_table_privilege('tenuto_api', c.oid, 'insert, update, delete')",
        [[table for table, _ in tenant_tables(db)]],
    ).fetchall()

    assert rights == []


def test_neither_workers_nor_readers_may_call_what_runs_as_the_owner(db: psycopg.Connection) -> None:
    rows = db.execute(
        "select distinct r.role from pg_proc p, unnest(%s::text[]) as r(role)"
        " where p.pronamespace = 'tenuto'::regnamespace and p.prosecdef and p.prorettype <> 'trigger'::regtype"
        # The first raises or returns nothing, the second creates empty tables of what is registered already.
        " and p.proname not in ('_refuse_used_ids', '_create_data_tables')"
        " and has_function_privilege(r.role, p.oid, 'execute')",
        [[role for role in ROLES if role != "tenuto_owner"]],
    ).fetchall()

    assert sorted(rows) == [("tenuto_api",), ("tenuto_dispatcher",)]
