"""The schemas with the names of other systems open no way around rights and row security."""

from uuid import UUID

import psycopg
import pytest

from tests.support.database.compat import claim_wgp, insert_wgp, rows
from tests.support.database.tasks import Db, call
from tests.support.postgres.server import connect_as

OURS = "select oid from pg_namespace where nspname ~ '^tenuto_compat'"


def names(db: Db, query: str, *params: object) -> list[str]:
    return [row[0] for row in db.execute(query.encode(), params or None).fetchall()]


def test_there_is_something_to_check(db: Db) -> None:
    assert "tenuto_compat_wgp" in names(db, "select nspname::text from pg_namespace where nspname ~ '^tenuto_compat'")


def test_nothing_is_open_to_the_public_and_nothing_runs_as_the_owner(db: Db) -> None:
    opened = f"""
      select p.proname::text from pg_proc p
      where p.pronamespace in ({OURS})
        and (p.prosecdef or exists (
          select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0))
      union all
      select c.relname::text from pg_class c
      where c.relnamespace in ({OURS})
        and (not coalesce('security_invoker=true' = any (c.reloptions), false)
             or exists (select from aclexplode(c.relacl) a where a.grantee = 0))
      union all
      select nspname::text from pg_namespace where oid in ({OURS}) and has_schema_privilege('public', oid, 'usage')"""

    assert names(db, opened) == []


def test_everything_belongs_to_the_owner_role_and_has_a_comment(db: Db) -> None:
    strange = f"""
      select p.proname::text from pg_proc p
      where p.pronamespace in ({OURS})
        and (p.proowner <> 'tenuto_owner'::regrole or obj_description(p.oid, 'pg_proc') is null)
      union all
      select c.relname::text from pg_class c
      where c.relnamespace in ({OURS})
        and (c.relowner <> 'tenuto_owner'::regrole or obj_description(c.oid, 'pg_class') is null)"""

    assert names(db, strange) == []


@pytest.mark.parametrize("role", ["tenuto_readonly", "tenuto_client"])
def test_readers_and_clients_call_nothing_that_writes(db: Db, role: str) -> None:
    writing = f"""
      select p.proname::text from pg_proc p
      where p.pronamespace in ({OURS}) and p.provolatile = 'v' and has_function_privilege(%s, p.oid, 'execute')"""

    assert names(db, writing, role) == []


def test_views_are_written_by_trusted_roles_and_only_where_a_trigger_does_it(db: Db) -> None:
    rights = db.execute(
        f"""
      select c.oid::regclass::text, r.rolname::text, p.privilege,
             exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgtype & p.bit > 0 and t.tgtype & 64 > 0)
      from pg_class c
      cross join pg_roles r
      cross join (values ('insert', 4), ('update', 16), ('delete', 8)) p(privilege, bit)
      where c.relnamespace in ({OURS}) and r.rolname ~ '^tenuto_' and r.rolname <> 'tenuto_owner'
        and has_table_privilege(r.rolname, c.oid, p.privilege)""".encode()
    ).fetchall()

    assert [right for right in rights if not right[3]] == []
    assert {(role, right) for _, role, right, _ in rights} == {
        ("tenuto_client", "insert"),
        *((role, right) for role in ("tenuto_worker", "tenuto_dispatcher") for right in ("insert", "update", "delete")),
    }


def test_servers_do_not_use_them(db: Db) -> None:
    used = f"select nspname::text from pg_namespace where oid in ({OURS}) and has_schema_privilege(%s, oid, 'usage')"

    assert [role for role in ("tenuto_api", "tenuto_query") if names(db, used, role)] == []


def test_a_web_login_inserts_and_reads_and_can_neither_claim_nor_cancel(db: Db, database: str) -> None:
    with connect_as(database, "tenuto_client") as web:
        task_id = insert_wgp(web)
        assert [task["id"] for task in rows(web, "select * from tenuto_compat_wgp.tasks")] == [task_id]
        for statement in (
            "select * from tenuto_compat.func_claim_available_task('gpu-1')",
            "update tenuto_compat_wgp.tasks set status = 'Cancelled'",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                web.execute(statement.encode())
    with connect_as(database, "tenuto_worker") as worker:
        assert claim_wgp(worker)["id"] == task_id
        worker.execute("update tenuto_compat_wgp.tasks set status = 'Cancelled'")


def another_org(db: Db) -> UUID:
    org = call(db, "create_org", slug="theirs")
    with db.transaction():
        db.execute("select set_config('tenuto.org_id', %s, true)", [str(org)])
        insert_wgp(db, "theirs")
    return org


def test_a_reader_sees_the_org_of_its_login_and_nothing_without_one(db: Db, database: str) -> None:
    insert_wgp(db, "mine")
    org = another_org(db)
    with connect_as(database, "tenuto_readonly") as reader:
        assert rows(reader, "select * from tenuto_compat_wgp.tasks") == []
        reader.execute("select set_config('tenuto.org_id', %s, false)", [str(org)])
        assert [task["task_type"] for task in rows(reader, "select * from tenuto_compat_wgp.tasks")] == ["theirs"]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            insert_wgp(reader)


def test_the_org_of_a_worker_is_a_setting_of_its_login(db: Db, database: str) -> None:
    insert_wgp(db, "mine")
    org = another_org(db)
    name = f"wgp_{db.info.dbname}"
    db.execute(f"create role {name} login password 'secret' in role tenuto_worker".encode())
    db.execute(f"alter role {name} set tenuto.org_id = '{org}'".encode())
    try:
        with psycopg.connect(database, user=name, password="secret", autocommit=True) as worker:
            assert claim_wgp(worker)["task_type"] == "theirs"
            assert claim_wgp(worker) == {}
    finally:
        db.execute(f"drop role {name}".encode())
