"""What every table must have, whatever it is for."""

import pytest

from tests.support.database.invariants import assert_rows_are_right
from tests.support.database.tasks import start

# A partial index serves if all it leaves out are rows that refer to nothing.
UNINDEXED_FOREIGN_KEYS = """
select k.conrelid::regclass::text || ': ' || k.conname
from pg_constraint k
where k.contype = 'f'
  and k.conparentid = 0
  and k.connamespace = 'tenuto'::regnamespace
  and not exists (
    select 1
    from pg_index i
    where i.indrelid = k.conrelid
      and (select array_agg(key order by key) from unnest((i.indkey::int2[])[0:cardinality(k.conkey) - 1]) key)
          = (select array_agg(key order by key) from unnest(k.conkey) key)
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$')
  )
"""

# Between tables that belong to orgs, the org is part of the key on both sides.
CROSSING_FOREIGN_KEYS = """
select k.conrelid::regclass::text || ': ' || k.conname
from pg_constraint k
join pg_attribute here on here.attrelid = k.conrelid and here.attname = 'org_id'
join pg_attribute there on there.attrelid = k.confrelid
 and there.attname = case when k.confrelid = 'tenuto.orgs'::regclass then 'id' else 'org_id' end
where k.contype = 'f'
  and k.connamespace = 'tenuto'::regnamespace
  and not exists (
    select 1 from unnest(k.conkey, k.confkey) c(near, far) where c.near = here.attnum and c.far = there.attnum
  )
"""


def test_no_foreign_key_can_cross_orgs(db):
    assert db.execute(CROSSING_FOREIGN_KEYS).fetchall() == []


def test_the_search_for_foreign_keys_that_cross_orgs_finds_one(db):
    db.execute("create table tenuto.notes (org_id uuid, user_id uuid references tenuto.users (id))")
    assert db.execute(CROSSING_FOREIGN_KEYS).fetchall() == [("tenuto.notes: notes_user_id_fkey",)]


def test_every_foreign_key_has_an_index(db):
    assert db.execute(UNINDEXED_FOREIGN_KEYS).fetchall() == []


def test_the_search_for_foreign_keys_without_an_index_finds_one(db):
    db.execute("create table tenuto.parents (id int primary key)")
    db.execute("create table tenuto.children (parent_id int references tenuto.parents, x int)")
    db.execute("create index on tenuto.children (x, parent_id)")
    assert db.execute(UNINDEXED_FOREIGN_KEYS).fetchall() == [("tenuto.children: children_parent_id_fkey",)]

    db.execute("create index on tenuto.children (parent_id) where parent_id is not null")
    assert db.execute(UNINDEXED_FOREIGN_KEYS).fetchall() == []


def test_every_table_says_what_it_is_for(db):
    silent = db.execute(
        "select relname::text from pg_class where relnamespace = 'tenuto'::regnamespace and relkind in ('r', 'p')"
        " and not relispartition and obj_description(oid, 'pg_class') is null and relname not like 'test\\_%'"
    ).fetchall()
    assert silent == []


def test_every_time_has_a_time_zone(db):
    columns = db.execute(
        "select attrelid::regclass::text, attname from pg_attribute join pg_class c on c.oid = attrelid"
        " where c.relnamespace = 'tenuto'::regnamespace and atttypid = 'timestamp'::regtype"
    ).fetchall()
    assert columns == []


def test_tables_that_every_task_writes_have_no_check_constraints(db):
    """Postgres reads them again for every statement (docs/adr/0087)."""
    records = ["runs", "tasks", "task_attempts", "task_dependencies", "run_counts"]
    hot = [*records, "ready_tasks", "running_tasks", "audit_arrivals"]
    found = db.execute(
        "select conrelid::regclass::text, conname from pg_constraint"
        " where contype = 'c' and conrelid = any (%s::regclass[])",
        [[f"tenuto.{table}" for table in hot]],
    ).fetchall()
    assert found == []


@pytest.mark.parametrize(
    "change",
    [
        "runs set status = 'odd'",
        "runs set single_task = false",
        "runs set attempt = 2",
        "tasks set max_attempts = 101",
        "tasks set timeout_seconds = 0",
    ],
)
def test_the_search_for_wrong_rows_finds_one(db, change):
    start(db, [1])
    with db.transaction(force_rollback=True):
        db.execute(f"update tenuto.{change}")
        with pytest.raises(AssertionError):
            assert_rows_are_right(db)
