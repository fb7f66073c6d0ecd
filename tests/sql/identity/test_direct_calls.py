"""The audit log has one entry for each call of a direct client that changes something, in plain SQL too."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import json_array
from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.database.alerts import a_firing_alert
from tests.support.database.audit import deeds, direct_entries, forget_entries
from tests.support.database.dags import cutover, deploy, leave_dataset, rollback
from tests.support.database.jobs import deployed, sales
from tests.support.database.loops import an_org, count, settle, value
from tests.support.database.open_runs import open_run
from tests.support.database.orgs import acting_for
from tests.support.database.outbox import publish, wear_out
from tests.support.database.schedules import put
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_graph, start_one
from tests.support.database.users import BCRYPT, a_key_id, a_user, a_worker_key, an_api_key, hash_of
from tests.support.postgres.server import connect_as

AUDITED = """
select p.proname::text
from pg_proc p
where p.pronamespace = 'tenuto'::regnamespace and p.proname !~ '^_' and p.prosrc ~ 'tenuto\\._audit(_many)?\\('
"""
KIND = Jsonb({"type": "app.work"})
Deed = tuple[str, dict[str, Any], tuple[str, str | None, str]]  # function, parameters, (entity, id or any, action)
LATER = datetime(2035, 1, 1, tzinfo=UTC)


def an_ended_run(db: Db, **kind: Any) -> UUID:
    run = start_one(db, kind=kind)
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=run)
    return run


def do(db: Db, function: str, **params: Any) -> None:
    if function == "start_task":  # a procedure
        db.execute("call tenuto.start_task(%(org)s, %(kind)s, %(input)s, %(id)s)", {"org": DEFAULT_ORG, **params})
    else:
        call(db, function, org_id=DEFAULT_ORG, **params)


def of_runs(db: Db) -> Iterator[Deed]:
    id = value(db, "select tenuto._uuid7()")
    yield "start_task", {"kind": KIND, "input": Jsonb([]), "id": id}, ("run", str(id), "start")
    many = {"kinds": Jsonb([{"type": "app.work"}]), "inputs": json_array(range(3))}
    yield "start_many", many, ("run", None, "start")
    yield "start_run", {"run": Jsonb({}), **many}, ("run", None, "start")
    yield "open_run", {"run": Jsonb({"name": "import"})}, ("run", None, "open")
    run = open_run(db)
    yield "add_tasks", {"run_id": run, **many}, ("run", str(run), "add")
    yield "send_signal", {"run_id": run, "name": "go"}, ("run", str(run), "signal")
    yield "put_run_data", {"run_id": run, "values": Jsonb({"k": 1})}, ("run_data", str(run), "put")
    (data,) = call(db, "get_run_data", org_id=DEFAULT_ORG, run_id=run)
    yield "edit_run_data_tags", {"data_id": data["id"], "add": ["x"]}, ("run_data", str(data["id"]), "edit")
    yield "delete_run_data", {"run_id": run, "key": "k"}, ("run_data", str(run), "delete")
    yield "close_run", {"run_id": run}, ("run", str(run), "close")
    held = open_run(db, hold=True)
    yield "release_run", {"run_id": held}, ("run", str(held), "release")
    yield "cancel_run", {"run_id": run}, ("run", str(run), "cancel")
    task = start_one(db)
    yield "cancel_task", {"task_id": task}, ("task", str(task), "cancel")
    yield "set_run_metadata", {"run_id": task, "changes": Jsonb({"a": 1})}, ("run", str(task), "set")
    yield "set_task_metadata", {"task_id": task, "changes": Jsonb({"a": 1})}, ("task", str(task), "set")
    yield "retry_run", {"run_id": task}, ("run", str(task), "retry")
    yield "delete_run", {"run_id": task}, ("run", str(task), "delete")
    graph, (task, _) = start_graph(db, 2)
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=graph)
    settle(db)
    yield "delete_task", {"task_id": task}, ("task", str(task), "delete")


def of_many_runs(db: Db) -> Iterator[Deed]:
    for _ in range(2):
        an_ended_run(db, type="app.bulk")
    yield "retry_runs", {"status": "cancelled", "type": "app.bulk"}, ("run", None, "retry")
    yield "cancel_runs", {"type": "app.bulk"}, ("run", None, "cancel")
    yield "delete_runs", {"type": "app.bulk"}, ("run", None, "delete")
    start(db, 1, 2, kind={"queue": "mail"})
    yield "purge_queue", {"queue": "mail"}, ("queue", "mail", "purge")
    yield "pause_queue", {"queue": "mail"}, ("queue", "mail", "pause")
    yield "resume_queue", {"queue": "mail"}, ("queue", "mail", "resume")
    yield "set_limit", {"scope": "key", "key": "eu", "size": 2}, ("limit", "key:eu", "set")
    yield "reset_limit", {"scope": "key", "key": "eu"}, ("limit", "key:eu", "reset")
    yield "set_pool", {"name": "gpu", "policy": Jsonb({"max_workers": 2})}, ("pool", "gpu", "set")
    yield "request_machines", {"name": "gpu", "count": 1}, ("pool", "gpu", "request_machines")
    yield "delete_pool", {"name": "gpu"}, ("pool", "gpu", "delete")
    thing = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x")
    held = {"object_id": thing, "holder": "group", "group": "default"}
    yield "reference_object", held, ("object", str(thing), "reference")
    yield "release_object", held, ("object", str(thing), "release")
    yield "delete_object", {"object_id": thing}, ("object", str(thing), "delete")
    a_worker(db)
    yield "drain_worker", {"worker_id": "w"}, ("worker", "w", "drain")
    yield "terminate_worker", {"worker_id": "w"}, ("worker", "w", "terminate")


def of_schedules_and_effects(db: Db) -> Iterator[Deed]:
    cron = {"cron": "0 3 * * *", "next_at": LATER}
    yield "put_schedule", {"name": "daily", "kind": KIND, **cron}, ("schedule", "daily", "put")
    old = {"old_cron": "0 3 * * *", "old_timezone": "UTC", "next_at": LATER}
    yield "update_schedule", {"name": "daily", "catch_up": "all", **old}, ("schedule", "daily", "update")
    yield "pause_schedule", {"name": "daily"}, ("schedule", "daily", "pause")
    yield "resume_schedule", {"name": "daily", "timezone": "UTC", **cron}, ("schedule", "daily", "resume")
    yield "fire_schedule_now", {"name": "daily"}, ("schedule", "daily", "fire")
    yield "delete_schedule", {"name": "daily"}, ("schedule", "daily", "delete")
    url = {"url": "https://crm.example/", "secret": b"s"}
    yield "put_destination", {"name": "crm", **url}, ("destination", "crm", "set")
    yield "rotate_destination", {"name": "crm", "secret": b"t"}, ("destination", "crm", "rotate")
    delivery = Jsonb({"destination": "crm", "body": 1})
    yield "publish_effect", {"kind": "deliver", "payload": delivery}, ("effect", None, "publish")
    wear_out(db, *publish(db, {"a": 1}))
    yield "replay_effects", {}, ("outbox", "dead", "replay")
    yield "delete_destination", {"name": "crm"}, ("destination", "crm", "delete")


def of_keys(db: Db) -> Iterator[Deed]:
    made = {"hash": hash_of("a"), "name": "ci", "created_by": "ann"}
    yield "create_api_key", {**made, "key_id": a_key_id(), "permissions": ["*"]}, ("api_key", None, "create")
    yield "create_worker_key", {**made, "key_id": a_key_id(), "queues": ["*"]}, ("worker_key", None, "create")
    old = {"prefix": "fm_1", "bcrypt": BCRYPT, "name": "old", "permissions": ["*"], "created_by": "ann"}
    yield "import_api_key", old, ("api_key", None, "import")
    key, fleet = an_api_key(db, a_key_id()), a_worker_key(db, a_key_id())
    yield "update_api_key", {"id": key, "name": "build"}, ("api_key", str(key), "update")
    new = {"hash": hash_of("b"), "created_by": "ann"}
    yield "rotate_api_key", {"id": key, "key_id": a_key_id(), **new}, ("api_key", str(key), "rotate")
    yield "revoke_api_key", {"id": key}, ("api_key", str(key), "revoke")
    yield "rotate_worker_key", {"id": fleet, "key_id": a_key_id(), **new}, ("worker_key", str(fleet), "rotate")
    yield "revoke_worker_key", {"id": fleet}, ("worker_key", str(fleet), "revoke")


def of_people(db: Db) -> Iterator[Deed]:
    yield "put_user", {"issuer": "here", "subject": "bob"}, ("user", None, "put")
    ann = a_user(db)
    named = {"issuer": "https://id.example.com", "subject": "ann", "platform_role": "admin"}
    yield "put_user", named, ("user", str(ann), "put")
    yield "set_user_role", {"user_id": ann, "platform_role": "writer"}, ("user", str(ann), "role")
    yield "make_login_token", {"user_id": ann, "hash": hash_of("c")}, ("user", str(ann), "link")
    yield "disable_user", {"user_id": ann}, ("user", str(ann), "disable")
    yield "enable_user", {"user_id": ann}, ("user", str(ann), "enable")
    yield "create_role", {"name": "finance"}, ("role", "finance", "create")
    yield "add_member", {"role": "finance", "user_id": ann}, ("role", "finance", "add")
    yield "remove_member", {"role": "finance", "user_id": ann}, ("role", "finance", "remove")
    yield "update_org", {"name": "Ours"}, ("org", "default", "set")
    yield "set_org_settings", {"settings": Jsonb({})}, ("org", "default", "set")
    yield "set_resource_group", {"external_id": "reports"}, ("group", "reports", "set")
    yield "delete_group", {"external_id": "reports"}, ("group", "reports", "delete")


def of_deploys(db: Db) -> Iterator[Deed]:
    manifest = Jsonb({"name": "etl", "tasks": {"load": "main:load"}})
    bundle = {"sha256": "0" * 64, "manifest": manifest, "size": 3, "created_by": "ann"}
    yield "put_bundle", bundle, ("bundle", "0" * 64, "put")
    yield "delete_bundle", {"sha256": "0" * 64}, ("bundle", "0" * 64, "delete")
    deploy(db)
    cutover(db)
    (job, *_) = call(db, "list_jobs", org_id=DEFAULT_ORG, dag="orders")
    dataset = call(db, "list_datasets", org_id=DEFAULT_ORG)[0]["name"]
    yield "pause_job", {"dag": "orders", "name": job["name"]}, ("job", f"orders/{job['name']}", "pause")
    yield "resume_job", {"dag": "orders", "name": job["name"]}, ("job", f"orders/{job['name']}", "resume")
    yield "grant_dataset", {"name": dataset, "role": "finance"}, ("dataset", dataset, "grant")
    yield "revoke_dataset", {"name": dataset, "role": "finance"}, ("dataset", dataset, "revoke")
    yield "delete_role", {"name": "finance"}, ("role", "finance", "delete")
    for expected in range(3):
        deployed(db, sales(f"select {expected}"), expected=expected)
    yield "trigger_job", {"dag": "sales", "name": "extract"}, ("job", "sales/extract", "trigger")
    yield "purge_dataset", {"name": "per_day", "keep": 1}, ("dataset", "per_day", "purge")
    leave_dataset(db, "left_over")
    yield "delete_dataset", {"name": "left_over"}, ("dataset", "left_over", "delete")
    db.execute(
        "insert into tenuto.webhooks (org_id, job_key, path, created_at)"
        " select c.org_id, c.job_key, '/new', tenuto.now() from tenuto.job_controls c"
        " join tenuto.dags d on d.id = c.dag_id where d.name = 'sales'"
        " and c.job_key in (select j.job_key from tenuto.jobs j where j.name = 'extract')"
    )
    yield "rotate_webhook", {"dag": "sales", "name": "extract"}, ("job", "sales/extract", "rotate_webhook")


def of_data(db: Db) -> Iterator[Deed]:
    wrong = {"dataset": "per_day", "reason": "x", "first": "a", "last": "z"}
    yield "invalidate_dataset", wrong, ("dataset", "per_day", "invalidate")
    yield "start_backfill", {"dataset": "per_day", "partitions": ["mon"]}, ("backfill", None, "start")
    (backfill, *_) = call(db, "list_backfills", org_id=DEFAULT_ORG)
    for verb in ("pause", "resume", "cancel"):
        yield f"{verb}_backfill", {"id": backfill["id"]}, ("backfill", str(backfill["id"]), verb)
    query = {"query_id": backfill["id"], "action": "run", "shape": "select ?"}
    yield "delete_dag", {"name": "sales", "actor": "ann", "force": True}, ("dag", "sales", "delete")
    yield "record_query", query, ("query", str(backfill["id"]), "run")
    yield "put_alert_rule", {"name": "dead", "kind": "dead_effects"}, ("alert_rule", "dead", "set")
    yield "silence_alert_rule", {"name": "dead", "seconds": 60}, ("alert_rule", "dead", "silence")
    alert = a_firing_alert(db)
    yield "acknowledge_alert", {"id": alert, "actor": "ann"}, ("alert", str(alert), "acknowledge")
    yield "delete_alert_rule", {"name": "dead"}, ("alert_rule", "dead", "delete")


def test_every_call_in_plain_sql_has_one_entry_with_login_org_verb_and_target(db: Db) -> None:
    done = {"create_org", "deploy_dag", "cutover_dag", "rollback_dag"}  # below
    done |= {"adopt_database"}  # tests/sql/workers/test_adopt_database.py
    for part in (of_runs, of_many_runs, of_schedules_and_effects, of_keys, of_people, of_deploys, of_data):
        for function, params, (entity, id, action) in part(db):
            forget_entries(db)
            do(db, function, **params)
            (entry,) = direct_entries(db)
            assert (entry["entity"], entry["action"]) == (entity, action), function
            assert id is None or entry["entity_id"] == id, function
            assert (entry["actor_id"], entry["actor_name"], entry["seq"]) == (db.info.user, None, None), function
            done.add(function)

    assert done == {name for (name,) in db.execute(AUDITED)}


def test_a_new_org_begins_its_log_with_its_creation(db: Db) -> None:
    org = an_org(db, "acme")

    assert deeds(db, org) == [("org", "acme", "create")]
    assert deeds(db) == []


def test_a_deploy_that_changes_something_has_an_entry_with_the_versions(db: Db) -> None:
    deploy(db)
    deploy(db)  # the same document again
    cutover(db)
    cutover(db, 1, 1)  # is current already
    deploy(db, {**_orders(), "description": "newer"})
    cutover(db, 1)
    rollback(db, 2)

    found = [(entry["action"], entry["changes"]["version"]) for entry in direct_entries(db, entity="dag")]
    assert found == [
        ("deploy", {"new": 1}), ("cutover", {"new": 1}), ("deploy", {"new": 2}), ("cutover", {"old": 1, "new": 2}),
        ("rollback", {"old": 2, "new": 1}),
    ]  # fmt: skip


def _orders() -> dict[str, Any]:
    from tests.dag.documents import a_document

    return a_document()


def test_a_thousand_starts_in_one_call_are_one_entry_with_their_number_and_first_ids(db: Db) -> None:
    ids = start(db, *range(1000))

    (entry,) = direct_entries(db)
    assert entry["entity_id"] == f"{ids[0]} and 999 more"
    assert entry["changes"] == {
        "type": {"new": "app.work"}, "runs": {"new": 1000}, "first_ids": {"new": [str(id) for id in ids[:10]]},
    }  # fmt: skip


def test_a_start_that_finds_its_run_or_is_refused_has_no_entry(db: Db) -> None:
    (first,) = start(db, 1, dedupe_keys=["once"])
    start_graph(db, 2, run={"name": "g", "dedupe_key": "once"})
    forget_entries(db)

    assert start(db, 1, dedupe_keys=["once"]) == [first]
    start_graph(db, 2, run={"name": "g", "dedupe_key": "once"})
    with pytest.raises(InvalidInput):
        start(db, kind={"max_attempts": 0})
    with pytest.raises(NotFound):
        call(db, "cancel_run", org_id=an_org(db, "other"), run_id=first)
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=first)
    forget_entries(db)
    with pytest.raises(Conflict):
        call(db, "send_signal", org_id=DEFAULT_ORG, run_id=first, name="go")
    assert deeds(db) == []

    both = start(db, 1, 2, 3, dedupe_keys=["once", "twice", "thrice"])
    (entry,) = direct_entries(db)
    assert (entry["entity_id"], entry["changes"]["runs"]) == (f"{both[1]} and 1 more", {"new": 2})


def test_a_call_that_is_rolled_back_has_no_entry_and_one_that_commits_has_one(db: Db) -> None:
    with db.transaction(force_rollback=True):
        start(db, 1)
    assert deeds(db) == []
    with db.transaction():
        (run,) = start(db, 1)
        assert deeds(db) == [("run", str(run), "start")]  # in its own transaction

    assert deeds(db) == [("run", str(run), "start")]


def test_what_a_server_does_is_left_to_its_own_entry(db: Db, database: str) -> None:
    with connect_as(database, "tenuto_api") as api, acting_for(api, DEFAULT_ORG):
        start(api, 1)
        call(api, "pause_queue", org_id=DEFAULT_ORG, queue="mail", new=True)

    assert (deeds(db), count(db, "runs")) == ([], 1)


def test_what_workers_and_dispatchers_do_by_themselves_has_no_entry(db: Db) -> None:
    due = datetime.now(UTC) - timedelta(hours=1)
    put(db, due)
    (parent,) = start(db, 1)
    worker = a_worker(db)
    (claim,) = worker.claim()
    forget_entries(db)

    worker.start_children(claim, 1)
    worker.fail(claim)
    call(db, "fire_schedule", org_id=DEFAULT_ORG, name="nightly", expected=due, fire_times=[due], next_at=LATER)
    call(db, "declare_schedules", org_id=DEFAULT_ORG, types=["nightly"], schedules=Jsonb([]))
    db.execute("insert into tenuto.run_deadlines (run_id, org_id, kind, at) values (%s, %s, 'deadline', '2020-01-01')",
               [parent, DEFAULT_ORG])  # fmt: skip
    assert call(db, "expire_runs") == 1

    assert deeds(db) == []


def test_an_open_transaction_stops_neither_the_sealing_nor_other_starts(db: Db, database: str) -> None:
    with connect_as(database, "tenuto_client") as open_one, open_one.transaction():
        (late,) = start(open_one, 1)
        (early,) = start(db, 2)
        db.execute("update tenuto.due_floors set audit_id = tenuto._uuid7_floor(now() + interval '1 minute')")
        call(db, "move_floors", from_bottom=True)  # as dispatchers do, while the transaction stays open

        assert call(db, "seal_audit") == 1
        assert value(db, "select entity_id from tenuto.audit_log") == str(early)
        assert call(db, "seal_audit") == 0
        db.execute("update tenuto.due_floors set audit_id = tenuto._uuid7_floor(now() + interval '1 minute')")

    assert call(db, "seal_audit") == 0  # a minute later the floor is above it, until it is moved
    call(db, "move_floors", from_bottom=True)
    assert call(db, "seal_audit") == 1
    sealed = db.execute("select seq, entity_id, actor_id from tenuto.audit_log order by seq").fetchall()
    assert sealed == [(1, str(early), db.info.user), (2, str(late), db.info.user)]


def test_a_sealed_call_says_the_same_as_before(db: Db) -> None:
    call(db, "set_user_role", org_id=DEFAULT_ORG, user_id=a_user(db), platform_role="admin")
    call(db, "update_org", org_id=DEFAULT_ORG, name="password=hunter2")
    before = call(db, "list_audit", org_id=DEFAULT_ORG)

    assert call(db, "seal_audit") == 3

    after = call(db, "list_audit", org_id=DEFAULT_ORG)
    assert [entry.pop("seq") for entry in after] == [3, 2, 1]
    assert after == [{key: value for key, value in entry.items() if key != "seq"} for entry in before]
    assert (after[1]["changes"], after[0]["changes"]["name"]["new"]) == (
        {"platform_role": {"old": "reader", "new": "admin"}}, "[secret]",
    )  # fmt: skip
    (chain,) = call(db, "get_chain", org_id=DEFAULT_ORG)
    assert (chain["seq"], chain["unsealed"], chain["strays"]) == (3, 0, 0)


def test_equal_starts_of_one_transaction_are_one_entry(db: Db) -> None:
    forget_entries(db)
    many = {"run": Jsonb({}), "inputs": json_array([1])}
    with db.transaction():
        runs = [
            call(db, "start_run", org_id=DEFAULT_ORG, kinds=Jsonb([{"type": type}]), **many)[0]["run_id"]
            for type in ["app.work"] * 12 + ["app.other"]
        ]
    alone = [start_one(db) for _ in range(2)]

    call(db, "seal_audit")

    first, *rest = direct_entries(db)
    assert first["entity_id"] == f"{runs[0]} and 11 more"
    assert first["changes"]["runs"] == {"new": 12}
    assert first["changes"]["first_ids"] == {"new": [str(run) for run in runs[:10]]}
    assert [entry["entity_id"] for entry in rest] == [str(run) for run in [runs[12], *alone]]
