"""Who may do what: nothing is open to the public, and every function and table is given to those who need it."""

import psycopg

CALLERS = ("tenuto_api", "tenuto_dispatcher", "tenuto_worker")
FUNCTIONS = "from pg_proc p where p.pronamespace = 'tenuto'::regnamespace"
PARTITIONS_OF_PARTITIONED = """
select i.inhparent::regclass::text, count(*)
from pg_inherits i
join pg_class c on c.oid = i.inhparent and c.relkind = 'p' and c.relnamespace = 'tenuto'::regnamespace
group by 1
"""
TESTING = ("_note_moves", "_note_leaves", "_check_places", "_check_status", "_forget_moves")  # triggers, not called
SIGNING = {"find_signing_key", "list_signing_keys", "add_signing_key"}
OF_STARTS = {"_refuse_used_ids"}
OF_DEPLOYS = {"_create_data_tables"}  # for dataset versions that are registered already
AS_THE_OWNER = {
    "tenuto_worker": OF_STARTS | OF_DEPLOYS,
    "tenuto_client": OF_STARTS,
    "tenuto_api": SIGNING | OF_STARTS | OF_DEPLOYS | {
        "find_api_key", "find_imported_keys", "find_worker_key", "find_user", "find_login", "close_login",
        "use_login_token", "get_change_horizon", "index_recent_changes", "_find_as_owner",
    },
    "tenuto_dispatcher": SIGNING | OF_STARTS | OF_DEPLOYS | {
        "create_partitions", "drop_partitions", "prune_runs", "_rows_to_prune", "prune_events", "_old_events",
        "seal_audit", "prune_audit",
        "retire_signing_key", "list_due_heads", "record_head", "drop_data_table", "get_change_horizon",
        "record_store",
    },
}  # fmt: skip
OF_TRIGGERS = {"_cancel_requested", "_close_requested", "_release_requested", "_wake_signalled"}  # nobody may call them
HOT = (
    "ready_tasks",
    "ready_lanes",
    "pending_tasks",
    "waiting_tasks",
    "delayed_tasks",
    "running_tasks",
    "run_counts",
    "arrivals",
)


def names(db: psycopg.Connection, query: str, *params: object) -> list[str]:
    return [row[0] for row in db.execute(query.encode(), params or None).fetchall()]


def test_no_function_is_open_to_the_public(db: psycopg.Connection) -> None:
    # No list of rights at all means the default ones, which let everybody in.
    open_to_all = names(
        db,
        f"select p.proname::text {FUNCTIONS} and exists ("
        "select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)",
    )

    assert open_to_all == []


def test_every_function_is_granted_to_those_who_call_it(db: psycopg.Connection) -> None:
    for role in CALLERS:
        closed = names(
            db,
            f"select p.proname::text {FUNCTIONS} and not has_function_privilege(%s, p.oid, 'execute')"
            " and not p.prosecdef",
            role,
        )
        assert closed == [], role


def test_what_runs_as_the_owner_is_given_to_those_who_need_it_and_to_nobody_else(db: psycopg.Connection) -> None:
    given = db.execute(
        f"select p.proname::text, r.rolname::text {FUNCTIONS.replace('pg_proc p', 'pg_proc p, pg_roles r')}"
        " and p.prosecdef and p.proname <> all (%s) and r.rolname like 'tenuto%%' and r.rolname <> 'tenuto_owner'"
        " and has_function_privilege(r.rolname, p.oid, 'execute')".encode(),
        [list(TESTING)],
    ).fetchall()

    assert sorted(given) == sorted(
        (function, role) for role, functions in AS_THE_OWNER.items() for function in functions
    )


def test_those_who_only_read_can_run_nothing_that_writes(db: psycopg.Connection) -> None:
    for role in ("tenuto_readonly", "tenuto_query"):
        open_to_it = names(
            db,
            f"select p.proname::text {FUNCTIONS} and p.provolatile = 'v' and p.proname <> '_raise'"
            " and has_function_privilege(%s, p.oid, 'execute')",
            role,
        )
        assert open_to_it == [], role


def test_backups_read_everything_and_write_nothing(db: psycopg.Connection) -> None:
    db.execute("select tenuto.create_partitions()")
    tables = "from pg_class c where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p', 'S')"
    unread = names(db, f"select c.relname::text {tables} and not has_table_privilege('tenuto_backup', c.oid, 'select')")
    written = names(
        db, f"select c.relname::text {tables} and has_table_privilege('tenuto_backup', c.oid, 'insert, update, delete')"
    )

    assert (unread, written) == ([], [])


def test_functions_that_run_as_the_owner_are_few_and_fix_their_search_path(db: psycopg.Connection) -> None:
    definers = db.execute(
        f"select p.proname::text, coalesce(p.proconfig::text, '') {FUNCTIONS} and p.prosecdef"
        " and p.proname <> all (%s)".encode(),
        [list(TESTING)],
    ).fetchall()

    assert {name for name, _ in definers} == OF_TRIGGERS.union(*AS_THE_OWNER.values())
    assert [name for name, settings in definers if "search_path=" not in settings] == []


def test_nobody_reads_what_proves_a_key(db: psycopg.Connection) -> None:
    secret = [("api_keys", "hash"), ("api_keys", "bcrypt"), ("worker_keys", "hash"), ("signing_keys", "private_key")]
    readers = [
        (table, column, role)
        for table, column in secret
        for role in (*CALLERS, "tenuto_readonly", "tenuto_query")
        if db.execute("select has_column_privilege(%s, %s, %s, 'select')", [role, f"tenuto.{table}", column]).fetchone()
        == (True,)
    ]

    assert readers == []


def test_the_audit_log_is_only_added_to_and_its_chain_is_written_by_nobody(db: psycopg.Connection) -> None:
    rights = {
        (table, right)
        for table in ("audit_log", "audit_arrivals", "audit_unsealed", "audit_chains", "audit_heads")
        for right in ("insert", "update", "delete", "truncate")
        for role in (*CALLERS, "tenuto_readonly", "tenuto_query")
        if db.execute("select has_table_privilege(%s, %s, %s)", [role, f"tenuto.{table}", right]).fetchone() == (True,)
    }

    assert rights == {("audit_log", "insert"), ("audit_unsealed", "insert")}


def test_every_tenant_table_has_forced_row_security_and_its_three_policies(db: psycopg.Connection) -> None:
    open_tables = names(
        db,
        """
        select c.relname::text
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid
         and a.attname = case when c.relname = 'orgs' then 'id' else 'org_id' end
        where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and (not c.relrowsecurity or not c.relforcerowsecurity
               or (select count(*) from pg_policy p where p.polrelid = c.oid) <> 3)
        """,
    )

    assert open_tables == []


def test_views_show_what_their_reader_may_see(db: psycopg.Connection) -> None:
    owners_views = names(
        db,
        "select relname::text from pg_class where relnamespace = 'tenuto'::regnamespace and relkind in ('v', 'm')"
        " and not coalesce('security_invoker=true' = any (reloptions), false)",
    )

    assert owners_views == []


def test_no_foreign_key_touches_a_hot_or_partitioned_table(db: psycopg.Connection) -> None:
    db.execute("select tenuto.create_partitions()")
    hot = db.execute("select count(*) from pg_class where relname = any (%s) and relkind = 'r'", [list(HOT)]).fetchone()
    assert hot == (len(HOT),), "a hot table has another name"
    touched = names(
        db,
        """
        select k.conrelid::regclass::text || ' -> ' || k.confrelid::regclass::text
        from pg_constraint k
        join pg_class c on c.oid in (k.conrelid, k.confrelid)
        where k.contype = 'f' and k.connamespace = 'tenuto'::regnamespace
          and (c.relname = any (%s) or c.relkind = 'p' or c.relispartition)
        """,
        list(HOT),
    )

    assert touched == []


def test_hot_tables_are_not_partitioned_and_the_others_stay_under_30_partitions(db: psycopg.Connection) -> None:
    db.execute("select tenuto.create_partitions()")
    counts = dict(db.execute(PARTITIONS_OF_PARTITIONED).fetchall())

    assert sorted(counts) == [
        f"tenuto.{name}" for name in names(db, "select table_name from tenuto.partitioned_tables order by 1")
    ]
    assert {table: count for table, count in counts.items() if not 2 <= count <= 30} == {}


def test_partitions_are_reached_through_their_parents_only(db: psycopg.Connection) -> None:
    db.execute("select tenuto.create_partitions()")
    reached = names(
        db,
        """
        select c.relname::text || ' by ' || r.rolname
        from pg_class c
        cross join pg_roles r
        where c.relnamespace = 'tenuto'::regnamespace and c.relispartition and c.relkind = 'r'
          and r.rolname = any (%s)
          and has_table_privilege(r.rolname, c.oid, 'select, insert, update, delete')
        """,
        [*CALLERS, "tenuto_readonly", "tenuto_query"],
    )

    assert reached == []
