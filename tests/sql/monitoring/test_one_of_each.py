"""One worker, limit, type, group or value, as lists show them; none from another org."""

from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start


def only(rows: list[dict]) -> dict:
    (row,) = rows
    return row


def test_a_worker_is_found_as_listed_even_when_terminated(db: Db) -> None:
    a_worker(db)
    start(db, 1)
    listed = only(call(db, "list_workers", org_id=DEFAULT_ORG))

    assert call(db, "get_worker", org_id=DEFAULT_ORG, worker_id=listed["id"]) == [listed]
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id=listed["id"])
    assert call(db, "list_workers", org_id=DEFAULT_ORG) == []
    assert only(call(db, "get_worker", org_id=DEFAULT_ORG, worker_id=listed["id"]))["status"] == "terminated"
    with pytest.raises(NotFound, match="no worker"):
        call(db, "get_worker", org_id=an_org(db, "acme"), worker_id=listed["id"])


def test_a_limit_says_how_many_tasks_use_it_and_wait_for_it(db: Db) -> None:
    limits = [{"scope": "key", "key": "a", "size": 1}]
    for no in range(3):
        start(db, no, details=Jsonb([{"task": 0, "limits": limits}]))
    rate = {"scope": "rate", "key": "b", "size": 5, "seconds": 60}
    start(db, 9, details=Jsonb([{"task": 0, "limits": [rate]}]))
    call(db, "follow_arrivals")

    first = only(call(db, "list_limits", org_id=DEFAULT_ORG, limit=1))
    rest = call(db, "list_limits", org_id=DEFAULT_ORG, after_scope="key", after_key="a")
    assert (first["key"], first["size"], first["used"], first["waiting"]) == ("a", 1, 1, 2)
    assert [(row["scope"], row["key"], row["seconds"]) for row in rest] == [("rate", "b", 60)]
    assert call(db, "list_limits", org_id=DEFAULT_ORG, scope="rate") == rest
    assert call(db, "get_limit", org_id=DEFAULT_ORG, scope="key", key="a") == [first]
    with pytest.raises(NotFound, match="no limit a of scope key"):
        call(db, "get_limit", org_id=an_org(db, "acme"), scope="key", key="a")
    with pytest.raises(InvalidInput, match="not a scope"):
        call(db, "list_limits", org_id=DEFAULT_ORG, scope="speed")


def test_a_size_that_no_task_has_used_yet_is_listed_in_its_place(db: Db) -> None:
    limits = [{"scope": "key", "key": "b", "size": 1}]
    start(db, 1, details=Jsonb([{"task": 0, "limits": limits}]))
    for key in ("a", "b", "c"):
        call(db, "set_limit", org_id=DEFAULT_ORG, scope="key", key=key, size=7)
    call(db, "follow_arrivals")

    listed = call(db, "list_limits", org_id=DEFAULT_ORG)
    assert [only(call(db, "get_limit", org_id=DEFAULT_ORG, scope="key", key=row["key"])) for row in listed] == listed
    second = call(db, "list_limits", org_id=DEFAULT_ORG, after_scope="key", after_key="a", limit=1)

    assert [(row["key"], row["size"], row["used"], row["overridden"]) for row in listed] == [
        ("a", 7, 0, True), ("b", 7, 1, True), ("c", 7, 0, True),
    ]  # fmt: skip
    assert [row["key"] for row in second] == ["b"]
    assert call(db, "list_limits", org_id=an_org(db, "acme")) == []


def test_a_size_is_shown_as_soon_as_it_is_set(db: Db) -> None:
    start(db, 1, details=Jsonb([{"task": 0, "limits": [{"scope": "key", "key": "a", "size": 1}]}]))
    call(db, "follow_arrivals")
    shown = []
    for size in (7, 2):
        call(db, "set_limit", org_id=DEFAULT_ORG, scope="key", key="a", size=size)
        listed = only(call(db, "list_limits", org_id=DEFAULT_ORG))
        assert call(db, "get_limit", org_id=DEFAULT_ORG, scope="key", key="a") == [listed]
        shown.append((listed["size"], listed["overridden"]))

    assert shown == [(7, True), (2, True)]


def test_types_are_listed_by_name_with_their_options_or_their_bundle(db: Db) -> None:
    worker = a_worker(db)
    types = {"a.one": {"kind": {"queue": "mail"}}, "a.two": {}}
    schema = {"type": "object"}
    session = {"session_id": worker.session_id, "token": worker.token}
    call(db, "declare_types", **session, types=types, schemas={"a.one": schema, "other": {}})
    manifest = {"name": "b", "tasks": {"run": "m:f"}}
    hash = "0" * 64
    call(db, "put_bundle", org_id=DEFAULT_ORG, sha256=hash, manifest=manifest, size=1, created_by="ann")

    listed = call(db, "list_task_types", org_id=DEFAULT_ORG)
    assert [(row["type"], row["kind"], row["bundle"]) for row in listed] == [
        ("a.one", {"queue": "mail"}, None), ("a.two", {}, None), ("b.run", {}, hash),
    ]  # fmt: skip
    assert call(db, "list_task_types", org_id=DEFAULT_ORG, after="a.one", limit=1) == listed[1:2]
    for row in listed:
        (found,) = call(db, "get_task_type", org_id=DEFAULT_ORG, type=row["type"])
        own = schema if row["type"] == "a.one" else None
        assert found == {**row, "input_schema": own, "schema_problem": None}
    declared = call(db, "get_input_schemas", org_id=DEFAULT_ORG, types=["a.one", "a.two", "other"])
    assert declared == [{"type": "a.one", "input_schema": schema, "size": 18}]
    again = call(db, "declare_types", **session, types={"a.one": types["a.one"]})
    unset = {"type": "a.one", "changed": True, "schema_problem": None}
    assert again == [unset], "a declaration without a schema takes it back"
    with pytest.raises(NotFound, match="no worker declared the task type"):
        call(db, "get_task_type", org_id=an_org(db, "acme"), type="a.one")


def test_a_group_is_found_as_listed(db: Db) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="reports", weight=3)
    listed = {row["external_id"]: row for row in call(db, "list_groups", org_id=DEFAULT_ORG)}

    assert call(db, "get_group", org_id=DEFAULT_ORG, external_id="reports") == [listed["reports"]]
    with pytest.raises(NotFound, match="no resource group other"):
        call(db, "get_group", org_id=DEFAULT_ORG, external_id="other")


def test_a_value_of_run_data_is_found_by_its_id_or_as_the_latest_of_its_key(db: Db) -> None:
    (run,) = start(db, 1)
    ids: list[UUID] = []
    for value in (1, 2):
        ids += call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run, values={"k": value})

    def get(**by: object) -> object:
        return only(call(db, "get_run_data_value", **{"org_id": DEFAULT_ORG, **by}))["value"]

    assert (get(data_id=ids[0]), get(data_id=ids[1]), get(run_id=run, key="k")) == (1, 2, 2)
    for wrong in ({"data_id": uuid4()}, {"run_id": run, "key": "x"}, {"org_id": an_org(db, "acme"), "data_id": ids[0]}):
        with pytest.raises(NotFound):
            get(**wrong)
    for wrong in ({}, {"run_id": run}, {"key": "k"}, {"run_id": run, "key": "k", "data_id": ids[0]}):
        with pytest.raises(InvalidInput, match="either"):
            get(**wrong)
