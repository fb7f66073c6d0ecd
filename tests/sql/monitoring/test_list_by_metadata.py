"""Runs and tasks are found by what their metadata contains, also behind thousands of others and under row security."""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.database.loops import an_org, cancel_run
from tests.support.database.orgs import acting_for
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_graph

KINDS = ("runs", "tasks")


def found(db: Db, kind: str, metadata: Any, **more: Any) -> list[UUID]:
    more.setdefault("org_id", DEFAULT_ORG)
    return [row["id"] for row in call(db, f"list_{kind}", metadata=Jsonb(metadata), **more)]


def started(db: Db, *metadata: Any, **more: Any) -> list[UUID]:
    details = Jsonb([{"task": no, "metadata": one} for no, one in enumerate(metadata)])
    return start(db, *range(len(metadata)), details=details, **more)


@pytest.mark.parametrize("kind", KINDS)
def test_a_filter_finds_what_contains_it_newest_first(db: psycopg.Connection, kind: str) -> None:
    first, second, third = started(db, {"team": "eu", "n": 1}, {"team": "us"}, {"team": "eu", "o": {"id": 7, "x": [1]}})
    start(db, 1)

    assert found(db, kind, {"team": "eu"}) == [third, first]
    assert found(db, kind, {"team": "eu"}, limit=1) == [third]
    assert found(db, kind, {"team": "eu"}, before=third) == [first]
    assert found(db, kind, {"team": "eu", "n": 1}) == [first]
    assert found(db, kind, {"o": {"id": 7}}) == found(db, kind, {"o": {"x": [1]}}) == [third]
    assert found(db, kind, {"n": "1"}) == found(db, kind, {"team": None}) == []
    assert found(db, kind, {"team": "us"}, org_id=an_org(db, "other")) == []

    (count,) = call(db, f"count_{kind}", org_id=DEFAULT_ORG, metadata=Jsonb({"team": "eu"}))
    assert count == {"count": 2, "exact": True}
    assert found(db, kind, {"team": "us"}) == [second]


def test_changed_metadata_is_found_and_the_former_is_not(db: psycopg.Connection) -> None:
    by_run, by_task = started(db, {"team": "eu"}, {"team": "eu"})
    graph, (first, _) = start_graph(db, 2, run={"metadata": {"team": "eu"}})
    call(db, "set_run_metadata", org_id=DEFAULT_ORG, run_id=by_run, changes=Jsonb({"team": "us"}))
    for task_id in (by_task, first):
        call(db, "set_task_metadata", org_id=DEFAULT_ORG, task_id=task_id, changes=Jsonb({"team": "us"}))

    assert found(db, "runs", {"team": "us"}) == [by_task, by_run]
    assert found(db, "runs", {"team": "eu"}) == [graph]
    assert found(db, "tasks", {"team": "us"}) == [first, by_task]
    assert found(db, "tasks", {"team": "us"}, run_id=graph) == [first]
    assert found(db, "tasks", {"team": "eu"}) == [by_run]


@pytest.mark.parametrize("kind", KINDS)
def test_other_filters_hold_too(db: psycopg.Connection, kind: str) -> None:
    metadata = {"team": "eu"}
    done, failed, cancelled, queued = started(db, *[metadata] * 4)
    (other,) = started(db, metadata, kind={"type": "app.other"})
    worker = a_worker(db)
    first, second = worker.claim(2)
    worker.complete(first)
    worker.fail(second, final=True)
    cancel_run(db, cancelled)
    start(db, 1)

    assert found(db, kind, metadata, status="completed") == [done]
    assert found(db, kind, metadata, statuses=["failed", "cancelled"]) == [cancelled, failed]
    assert found(db, kind, metadata, status="pending" if kind == "runs" else "queued") == [other, queued]
    assert found(db, kind, metadata, type="app.other") == [other]
    assert found(db, kind, {"team": "us"}, status="failed") == found(db, kind, {"team": "us"}, status="completed") == []
    assert found(db, kind, {"team": "us"}, status="running") == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_filter_that_makes_no_sense_is_refused(db: psycopg.Connection, kind: str) -> None:
    for wrong in ([], [1], "text", 1, {}, None):
        with pytest.raises(InvalidInput, match="not a JSON object with at least one key"):
            found(db, kind, wrong)
    with pytest.raises(InvalidInput, match="newest first"):
        found(db, kind, {"a": 1}, after=UUID(int=0))
    other = {"type": "a.b", "dedupe_key": "k"} if kind == "runs" else {"external_id": "x"}
    with pytest.raises(InvalidInput, match="metadata cannot be combined with"):
        found(db, kind, {"a": 1}, **other)


@pytest.mark.parametrize("kind", KINDS)
def test_rare_metadata_is_found_behind_ten_thousand_others(db: psycopg.Connection, kind: str) -> None:
    rare, changed, removed = started(db, {"order": 7, "all": 1}, {"all": 1}, {"order": 7})
    for task_id, order in ((changed, 7), (removed, None)):
        call(db, "set_task_metadata", org_id=DEFAULT_ORG, task_id=task_id, changes=Jsonb({"order": order}))
    (by_run,) = started(db, {"order": 7, "all": 1})
    call(db, "set_run_metadata", org_id=DEFAULT_ORG, run_id=by_run, changes=Jsonb({"order": 8}))
    others = start(db, *range(10_000), kind={"type": "app.rest"})
    (near,) = started(db, {"order": 7, "all": 1})

    asked = {"runs": [near, changed, rare], "tasks": [near, by_run, changed, rare]}[kind]
    assert found(db, kind, {"order": 7}) == asked
    assert found(db, kind, {"order": 7}, limit=2) == asked[:2]
    assert found(db, kind, {"order": 7}, before=others[5]) == asked[1:]
    assert found(db, kind, {"order": 8}) == ([by_run] if kind == "runs" else [])

    def as_server(org_id: UUID, setting: UUID) -> list[UUID]:
        with acting_for(db, setting):
            db.execute("set local role tenuto_api")
            return found(db, kind, {"order": 7}, org_id=org_id)

    other = an_org(db, "other")
    assert as_server(DEFAULT_ORG, DEFAULT_ORG) == asked
    assert as_server(DEFAULT_ORG, other) == as_server(other, DEFAULT_ORG) == as_server(other, other) == []


def ids_before(db: Db, minutes: float, count: int = 1) -> list[UUID]:
    """Ids that were made so long ago, a millisecond after each other."""
    query = "select tenuto._uuid7_floor(now() - make_interval(secs => %s) + n * interval '1 ms')"
    rows = db.execute(query.encode() + b" from generate_series(1, %s) n", [minutes * 60, count])
    return [row[0] for row in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_pages_go_on_through_hours_and_crowds_and_ids_without_a_time(db: psycopg.Connection, kind: str) -> None:
    ids = [UUID("f0000000-0000-4000-8000-000000000000"), UUID("00000001-0000-4000-8000-000000000000")]
    for hours in range(1, 31):
        ids += ids_before(db, 60 * hours)
    ids += ids_before(db, 60 * 10 + 30, 5100)
    started(db, *[{"batch": "old"}] * len(ids), ids=ids)
    started(db, *[{"batch": "new"}] * 2001)

    pages, before = list[UUID](), None
    while page := found(db, kind, {"batch": "old"}, before=before, limit=200):
        pages, before = pages + page, page[-1]

    assert pages == sorted(ids, reverse=True)
    assert found(db, kind, {"batch": "other"}) == []


def test_the_search_as_the_owner_is_for_the_org_of_the_transaction(db: psycopg.Connection) -> None:
    (id,) = started(db, {"a": 1})
    query = "select tenuto._find_as_owner('task', %s, '{\"a\": 1}', null, null, 10)"
    assert db.execute(query, [DEFAULT_ORG]).fetchone() == ([],)
    with acting_for(db, an_org(db, "other")):
        assert db.execute(query, [DEFAULT_ORG]).fetchone() == ([],)
    with acting_for(db, DEFAULT_ORG):
        assert db.execute(query, [DEFAULT_ORG]).fetchone() == ([id],)
