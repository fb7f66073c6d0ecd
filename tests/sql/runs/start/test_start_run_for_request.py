"""A run of one request that cannot share its statement: checked, started and written to the audit log together."""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import TenutoError
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, run_status
from tests.support.database.users import a_key_id, a_user, an_api_key, by_key, refused_callers

KIND = {"type": "shop.send"}


def request(db: Db, who: dict[str, Any], *inputs: Any, **more: Any) -> tuple[UUID, bool]:
    """The run and whether it is new; the request is r1 and comes from 10.0.0.1."""
    options = {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in more.items()}
    if "task_kinds" in more:
        options["task_kinds"] = more["task_kinds"]
    (started,) = call(
        db, "start_run_for_request", kinds=Jsonb([KIND]), inputs=[Jsonb(input) for input in inputs or ([1],)],
        changes=Jsonb({"runs": {"new": 1}}), actor_kind="api_key", actor_id="k", ip="10.0.0.1", user_agent="agent",
        request_id="r1", **who, **options,
    )  # fmt: skip
    return started["run_id"], started["created"]


def entries(db: Db) -> list[tuple[Any, ...]]:
    columns = "entity, entity_id, action, actor_id, ip, user_agent, request_id"
    return db.execute(f"select {columns} from tenuto.audit_log order by created_at".encode()).fetchall()


def runs(db: Db) -> list[UUID]:
    return [id for (id,) in db.execute("select id from tenuto.runs order by created_at").fetchall()]


@pytest.fixture
def key(db: Db) -> str:
    an_api_key(db, key_id := a_key_id())
    return key_id


def test_a_task_with_a_dedupe_key_is_a_run_with_an_audit_entry(db: Db, key: str) -> None:
    run_id, created = request(db, by_key(key), dedupe_key="a")

    assert created
    assert [claim.task_id for claim in a_worker(db).claim(5)] == [run_id]
    assert entries(db) == [("run", str(run_id), "start", "k", "10.0.0.1", "agent", "r1")]


def test_a_second_start_with_the_same_key_returns_the_first_run_and_writes_no_entry(db: Db, key: str) -> None:
    first, _ = request(db, by_key(key), dedupe_key="a")

    assert request(db, by_key(key), dedupe_key="a") == (first, False)
    assert (runs(db), len(entries(db))) == ([first], 1)


def test_a_graph_is_started_with_its_edges_and_its_own_dedupe_key(db: Db, key: str) -> None:
    graph = {"task_kinds": [0, 0], "edges": [{"from": 0, "to": 1}], "run": {"name": "g", "dedupe_key": "a"}}
    run_id, created = request(db, by_key(key), [1], [2], **graph)

    assert (created, run_status(db, run_id)) == (True, "pending")
    assert request(db, by_key(key), [1], [2], **graph) == (run_id, False)
    assert len(a_worker(db).claim(5)) == 1
    assert [entry[1] for entry in entries(db)] == [str(run_id)]


def test_workers_are_notified(db: Db, key: str) -> None:
    db.execute("listen tenuto_ready")
    request(db, by_key(key), dedupe_key="a")

    assert [note.payload for note in db.notifies(timeout=60, stop_after=1)] == ["default"]


def test_a_user_starts_as_a_key_does(db: Db) -> None:
    user = {"org_id": DEFAULT_ORG, "user_id": a_user(db, platform_role="writer"), "platform_role": "writer"}

    run_id, created = request(db, user, dedupe_key="a")

    assert (created, runs(db)) == (True, [run_id])


def test_the_org_is_that_of_the_key_whatever_org_is_passed(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    an_api_key(db, key_id := a_key_id(), org_id=other)

    request(db, by_key(key_id) | {"org_id": DEFAULT_ORG}, dedupe_key="a")

    assert db.execute("select org_id from tenuto.runs union all select org_id from tenuto.audit_log").fetchall() == [
        (other,),
        (other,),
    ]


def test_a_caller_that_is_refused_starts_nothing_not_even_for_a_key_that_is_taken(db: Db, key: str) -> None:
    taken, _ = request(db, by_key(key), dedupe_key="a")
    for message, who in refused_callers(db, key).items():
        with pytest.raises(TenutoError, match=message):
            request(db, who, dedupe_key="a")

    assert (runs(db), len(entries(db))) == ([taken], 1)


def test_an_invalid_start_leaves_nothing(db: Db, key: str) -> None:
    for message, options in {
        "nobody": {"group": "nobody"},
        "the dedupe key of task 0": {"dedupe_key": "x" * 1025},
        "a run of one task cannot have slots": {"details": [{"task": 0, "slots": []}]},
        "has kind 7": {"run": {}, "task_kinds": [7]},
    }.items():
        with pytest.raises(TenutoError, match=message):
            request(db, by_key(key), **options)

    assert (runs(db), entries(db)) == ([], [])


def test_it_is_rolled_back_with_its_transaction(db: Db, key: str) -> None:
    with db.transaction() as transaction:
        request(db, by_key(key), dedupe_key="a")
        raise psycopg.Rollback(transaction)

    assert (runs(db), entries(db)) == ([], [])
