"""`tenuto doctor`: what it finds, and what it says to do."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tenuto.db import embedded
from tests.support.database.isolation import LEVELS, default_isolation
from tests.support.database.open_runs import open_run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, a_worker_with, call, start_one
from tests.support.faults.failing_rows import park
from tests.support.http.both_ways import run_here as tenuto
from tests.support.waiting import wait_until


def doctor(url: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """The exit code, and what each line says."""
    done = tenuto("doctor", "--json", TENUTO_DATABASE_URL=url)
    assert done.stdout, done.stderr
    return done.returncode, {
        check["name"]: (check["state"], check["says"]) for check in json.loads(done.stdout)["checks"]
    }


def test_a_database_that_is_not_migrated_is_the_one_thing_wrong(empty_database: str):
    code, checks = doctor(empty_database)

    assert code == 1
    assert [name for name in checks if name != "old data"] == ["database", "schema"]  # this machine may have some
    assert checks["schema"][0] == "wrong"
    assert "run `tenuto db migrate`" in checks["schema"][1]


def test_living_workers_and_dispatchers_are_counted_and_missing_ones_missed(db: Db, database: str):
    _, before = doctor(database)
    a_worker(db)
    call(db, "beat_dispatcher", id="00000000-0000-7000-8000-0000000000aa", address="here", port=0)
    _, after = doctor(database)

    assert (before["worker"][0], before["dispatcher"][0]) == ("note", "note")
    assert "tenuto worker module:app" in before["worker"][1]
    assert (after["worker"], after["dispatcher"]) == (("ok", "1 alive, 0 tasks running"), ("ok", "1 alive"))


def test_the_dead_are_counted_apart_in_the_word_of_the_lists(db: Db, database: str):
    start_one(db)
    a_worker(db)
    call(db, "beat_dispatcher", id="00000000-0000-7000-8000-0000000000aa", address="here", port=0)
    db.execute("update tenuto.sessions set expires_at = now() - interval '1 second'")
    db.execute("update tenuto.dispatchers set heartbeat = now() - interval '61 seconds'")

    code, checks = doctor(database)

    assert code == 1
    assert checks["worker"][1].startswith("tasks wait, and none is alive (1 dead)")
    assert checks["dispatcher"][1].startswith("none is alive (1 dead)")
    (worker,) = json.loads(tenuto("workers", "list", "--json", TENUTO_DATABASE_URL=database).stdout)["workers"]
    (dispatcher,) = json.loads(tenuto("dispatchers", "list", "--json", TENUTO_DATABASE_URL=database).stdout)[
        "dispatchers"
    ]
    assert (worker["health_status"], dispatcher["status"]) == ("dead", "dead")
    assert "workers 0  dispatchers 0  dead workers 1" in tenuto("top", "--once", TENUTO_DATABASE_URL=database).stdout


def test_workers_without_a_dispatcher_are_a_problem_since_nothing_due_goes_on(db: Db, database: str):
    a_worker(db)

    code, checks = doctor(database)

    assert (code, checks["dispatcher"][0]) == (1, "wrong")
    assert "retries, delays, waits, schedules and lost tasks do not continue" in checks["dispatcher"][1]


def test_waiting_tasks_without_any_worker_or_dispatcher_are_a_problem(db: Db, database: str):
    start_one(db)

    code, checks = doctor(database)

    assert (code, checks["worker"][0], checks["dispatcher"][0]) == (1, "wrong", "wrong")
    assert checks["worker"][1].startswith("tasks wait, and none is alive")


def test_queued_tasks_that_no_worker_alive_can_take_are_counted_with_the_reason(db: Db, database: str):
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", metadata={"types": ["mail.fetch"]})
    start_one(db, kind={"type": "mail.fetch"})
    fine = doctor(database)[1]["tasks"]
    start_one(db, kind={"type": "mail.fetchh"})
    start_one(db, kind={"type": "mail.fetchh"})
    start_one(db, kind={"type": "mail.fetch", "labels": ["gpu=1"]})

    assert fine == ("ok", "for every queued task there is a worker that can take it")
    state, says = doctor(database)[1]["tasks"]
    assert (state, says.split(";")[0]) == (
        "note",
        "queued tasks that no worker alive can take: 2 of mail.fetchh (no worker alive has task type mail.fetchh),"
        " 1 of mail.fetch (no worker alive has label gpu=1)",
    )


def test_side_effects_that_failed_for_good_are_counted(db: Db, database: str):
    fine = doctor(database)[1]["dead letters"]
    db.execute(
        "insert into tenuto.outbox (org_id, kind, payload, status, available_at, created_at)"
        " values (%s, 'deliver', '{}', 'dead', now(), now())",
        [DEFAULT_ORG],
    )

    assert fine[0] == "ok"
    state, says = doctor(database)[1]["dead letters"]
    assert (state, says.split(";")[0]) == ("note", "1 side effects failed for good and are not retried")


def test_a_worker_whose_sandbox_is_weak_is_named(db: Db, database: str):
    for name, strength in (("strong", "full"), ("frail", "weak")):
        call(db, "register_worker", org_id=DEFAULT_ORG, worker_id=name, metadata={"sandbox": strength})

    state, says = doctor(database)[1]["sandbox"]

    assert state == "note"
    assert says.startswith("WEAK, on frail: untrusted code is not fully confined; start them as root")


def test_settings_that_can_lose_work_are_wrong(database: str):
    # The tests' server has them off to be fast.
    code, checks = doctor(database)

    assert code == 1
    assert checks["durability"][0] == "wrong"
    assert "fsync" in checks["durability"][1]


def test_rows_that_nobody_vacuums_are_found(db: Db, database: str):
    db.execute("alter table tenuto.run_counts set (autovacuum_enabled = false)")
    db.execute(
        "insert into tenuto.run_counts"
        " (run_id, org_id, added, completed, failed, cancelled, skipped, untolerated_failures)"
        " select gen_random_uuid(), gen_random_uuid(), 0, 1, 0, 0, 0, 0 from generate_series(1, 100001)"
    )
    db.execute("delete from tenuto.run_counts")
    dead = "select n_dead_tup from pg_stat_user_tables where relname = 'run_counts'"
    wait_until(lambda: (db.execute(dead).fetchone() or [0])[0] > 100_000)

    _, checks = doctor(database)

    assert checks["vacuum"][0] == "wrong"
    assert "vacuum verbose tenuto.run_counts" in checks["vacuum"][1]


def test_tasks_that_wait_for_other_code_are_counted_with_the_change(db: Db, database: str):
    task_id = start_one(db)
    worker = a_worker_with(db, "new")
    worker.block(worker.claim_one())

    state, says = doctor(database)[1]["code"]

    assert state == "note"
    change = "step 2 was step 'charge' and is sleep"
    assert says.startswith(f"tasks wait for other code: 1 of app.work: {change}, as in task {task_id}")


def test_rows_that_a_loop_fails_on_are_counted_by_loop(db: Db, database: str):
    park(db, "promote_due", "a", "b")

    state, says = doctor(database)[1]["parked"]

    assert state == "note"
    assert "dispatcher loops fail on rows and retry them: promote_due 2; `tenuto why RUN` shows the error" in says


def test_runs_that_wait_to_be_closed_are_named(db: Db, database: str):
    run_id = open_run(db)
    db.execute("update tenuto.open_runs set opened_at = opened_at - interval '2 days'")
    _, checks = doctor(database)

    assert checks["open runs"][0] == "note"
    assert f"tenuto runs close {run_id}" in checks["open runs"][1]


@pytest.mark.parametrize("level", LEVELS)
def test_another_default_isolation_is_named_with_who_gets_it_and_the_cure(database: str, level: str):
    with default_isolation(database, level):
        _, checks = doctor(database)
        migrated = tenuto("db", "migrate", TENUTO_DATABASE_URL=database)
        checked = tenuto("db", "migrate", "--check", TENUTO_DATABASE_URL=database)
    _, after = doctor(database)

    name = conninfo_to_dict(database)["dbname"]
    says = f"connections of database {name} begin with default_transaction_isolation = {level}"
    assert checks["defaults"][0] == "note"
    assert checks["defaults"][1].startswith(says)
    assert f"run `alter database {name} reset default_transaction_isolation`" in checks["defaults"][1]
    assert migrated.stderr.startswith(f"warning: {says}")
    assert checked.stderr.startswith(f"warning: {says}")
    assert after["defaults"][0] == "ok"


@contextmanager
def a_role(conn: psycopg.Connection, *granted: str) -> Iterator[str]:
    """A role of the server, which other tests share, so its name is its own."""
    name = f"role_{uuid4().hex}"
    conn.execute(f"create role {name}".encode())
    for role in granted:
        conn.execute(f"grant {role} to {name}".encode())
    try:
        yield name
    finally:
        conn.execute(f"drop role {name}".encode())


def test_a_role_with_another_default_counts_if_it_has_a_role_of_tenuto(database: str):
    with (
        psycopg.connect(database, autocommit=True) as conn,
        a_role(conn, "tenuto_client") as ours,
        a_role(conn) as other,
    ):
        for role in (ours, other):
            conn.execute(f"alter role {role} set default_transaction_isolation = 'serializable'".encode())
        _, checks = doctor(database)

    found = f"connections of role {ours} begin with default_transaction_isolation = serializable"
    assert found in checks["defaults"][1]
    assert f"`alter role {ours} reset default_transaction_isolation`" in checks["defaults"][1]
    assert "more)" not in checks["defaults"][1]


@pytest.mark.parametrize(
    ("setting", "value", "found"),
    [
        ("statement_timeout", "40ms", True),
        ("statement_timeout", "5min", False),
        ("transaction_timeout", "2", True),
        ("session_replication_role", "replica", True),
        ("row_security", "off", True),
        ("jit", "off", False),
    ],
)
def test_other_settings_that_keep_calls_from_working_are_named(database: str, setting: str, value: str, found: bool):
    with psycopg.connect(database, autocommit=True) as conn:
        if setting == "transaction_timeout" and conn.info.server_version < 170_000:
            pytest.skip("this server has no transaction_timeout")
        with a_role(conn, "tenuto_client") as role:
            conn.execute(f"alter role {role} set {setting} = '{value}'".encode())
            _, checks = doctor(database)

    assert checks["defaults"][0] == ("note" if found else "ok")
    assert (f"{setting} = {value}" in checks["defaults"][1]) is found


def test_types_whose_schema_was_refused_are_named_with_the_worker_and_the_reason(db: Db, database: str):
    fence = a_worker(db, "w-7").fence
    assert doctor(database)[1]["schemas"] == ("ok", "no declared schema was refused")
    call(db, "declare_types", **fence, types={"a.b": {}, "a.c": {}}, schemas={"a.b": 5, "a.c": 5})

    _, checks = doctor(database)

    assert checks["schemas"] == (
        "note",
        "the server does not check inputs of a.b and 1 more: worker w-7 declared a schema that was refused: "
        'it is not a JSON object; write {"type": "object", "properties": {…}}',
    )


def test_an_embedded_server_that_does_not_start_is_a_problem_with_its_reason(made_home: Path):
    conf = embedded.status(made_home).data / "postgresql.conf"
    settings = conf.read_text()
    conf.write_text(settings + "\nno_such_setting = 1\n")
    for _ in range(2):
        tenuto("doctor", TENUTO_HOME=str(made_home))

    done = tenuto("doctor", "--json", TENUTO_HOME=str(made_home))

    (database, server) = json.loads(done.stdout)["checks"]
    assert done.returncode == 1
    assert (database["state"], server["state"]) == ("wrong", "wrong")
    assert 'postgresql.conf" contains errors' in database["says"]
    assert server["says"].startswith("failed 3 times within the last hour, last at ")
    conf.write_text(settings)
    started = tenuto("db", "status", TENUTO_HOME=str(made_home))
    assert "server          failed 3 times within the last hour" in started.stdout
