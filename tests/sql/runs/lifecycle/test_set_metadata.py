"""Metadata of runs and tasks is changed key by key, at any time, and tasks stay written once."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, InvalidInput, NotFound, TooLarge
from tests.support.clock import Clock
from tests.support.database.loops import an_org, count, run, settle, value
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start_graph, start_one, task


def started(db: Db, metadata: Any) -> UUID:
    return start_one(db, details=Jsonb([{"task": 0, "metadata": metadata}]))


def set_run(db: Db, run_id: UUID, changes: Any, org_id: UUID = DEFAULT_ORG) -> Any:
    return call(db, "set_run_metadata", org_id=org_id, run_id=run_id, changes=Jsonb(changes))


def set_task(db: Db, task_id: UUID, changes: Any, org_id: UUID = DEFAULT_ORG) -> Any:
    return call(db, "set_task_metadata", org_id=org_id, task_id=task_id, changes=Jsonb(changes))


@pytest.mark.parametrize("set_metadata", [set_run, set_task])
def test_named_keys_are_set_or_removed_and_others_stay(db: psycopg.Connection, set_metadata: Any) -> None:
    id = started(db, {"team": "eu", "order": {"id": 7, "paid": False}, "old": 1})

    assert set_metadata(db, id, {"team": "us", "order": {"id": 8}, "old": None, "never": None}) == {
        "team": "us",
        "order": {"id": 8},
    }
    assert set_metadata(db, id, {"more": [1]}) == {"team": "us", "order": {"id": 8}, "more": [1]}

    assert run(db, id)["metadata"] == {"team": "us", "order": {"id": 8}, "more": [1]}
    drain(db, a_worker(db))
    assert set_metadata(db, id, {"team": None, "order": None, "more": None}) == {}


def test_a_change_of_a_task_is_seen_everywhere_but_by_its_worker(db: psycopg.Connection) -> None:
    id = started(db, {"team": "eu"})
    row = value(db, "select t::text from tenuto.tasks t")

    set_task(db, id, {"team": "us"})

    assert value(db, "select t::text from tenuto.tasks t") == row
    assert task(db, id)["metadata"] == {"team": "us"}
    assert call(db, "get_task", org_id=DEFAULT_ORG, task_id=id)[0]["metadata"] == {"team": "us"}
    assert run(db, id)["metadata"] == {"team": "us"}
    set_run(db, id, {"run": 1})
    assert (run(db, id)["metadata"], task(db, id)["metadata"]) == ({"team": "us", "run": 1}, {"team": "us"})
    assert a_worker(db).claim_one().metadata == {"team": "eu"}


def test_a_run_without_metadata_gets_some_and_keeps_that_of_its_first_task(db: psycopg.Connection) -> None:
    graph, (first, _) = start_graph(db, 2)
    assert set_run(db, graph, {"a": 1}) == {"a": 1}
    assert set_task(db, first, {"b": 2}) == {"b": 2}
    assert run(db, graph)["metadata"] == {"a": 1}
    drain(db, a_worker(db))

    id = started(db, {"team": "eu"})
    worker = a_worker(db, "parent")
    worker.start_children(worker.claim_one(), 1)
    assert (run(db, id)["single_task"], run(db, id)["metadata"]) == (False, {"team": "eu"})


@pytest.mark.parametrize("reuse", [True, False])
def test_a_retry_has_the_changed_metadata(db: psycopg.Connection, reuse: bool) -> None:
    run_id, tasks = start_graph(db, 2, run={"metadata": {"r": 1}})
    worker = a_worker(db)
    first, second = worker.claim(2)
    worker.complete(first)
    worker.fail(second, final=True)
    settle(db)
    for id in tasks:
        set_task(db, id, {"t": 2})
    set_run(db, run_id, {"r": 3})

    retry = call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id, reuse=reuse)

    copies = db.execute("select metadata from tenuto.tasks where run_id = %s", [retry]).fetchall()
    assert (run(db, retry)["metadata"], copies) == ({"r": 3}, [({"t": 2},), ({"t": 2},)])


@pytest.mark.parametrize("set_metadata", [set_run, set_task])
def test_what_cannot_be_set_is_refused_and_changes_nothing(db: psycopg.Connection, set_metadata: Any) -> None:
    id = started(db, {"team": "eu"})
    for wrong in ([1], "text", None):
        with pytest.raises(InvalidInput, match=f"the changes of the metadata of .* {id} are not a JSON object"):
            set_metadata(db, id, wrong)
    with pytest.raises(TooLarge, match=f"the metadata of .* {id} has"):
        set_metadata(db, id, {"much": "x" * 1_048_576})
    for missing, org in ((uuid4(), DEFAULT_ORG), (id, an_org(db, "other"))):
        with pytest.raises(NotFound, match=f"no (run|task) {missing}"):
            set_metadata(db, missing, {"a": 1}, org)
    listed = started(db, [1])
    with pytest.raises(Conflict, match="is a JSON array, which has no keys to set"):
        set_metadata(db, listed, {"a": 1})

    assert (run(db, id)["metadata"], count(db, "task_metadata")) == ({"team": "eu"}, 0)


def test_too_much_metadata_at_the_start_does_not_forbid_changes_after_it_was_removed(db: psycopg.Connection) -> None:
    id = started(db, {"much": "x" * 1_000_000})
    set_task(db, id, {"much": None})

    assert set_task(db, id, {"other": "y" * 1_000_000}).keys() == {"other"}


def test_changed_metadata_goes_with_its_run_and_with_its_week(db: psycopg.Connection, clock: Clock) -> None:
    id, old = started(db, {}), started(db, {})
    drain(db, a_worker(db))
    for task_id in (id, old):
        set_task(db, task_id, {"a": 1})

    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=id)
    assert count(db, "task_metadata") == 1

    with db.transaction():  # as if its week were dropped
        db.execute("set local session_replication_role = replica")
        db.execute("delete from tenuto.tasks")
        db.execute("delete from tenuto.runs")
    clock.advance(days=60)
    call(db, "prune_runs")
    assert count(db, "task_metadata") == 0
