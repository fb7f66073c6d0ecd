"""Pages of runs."""

from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tenuto.db import monitoring
from tenuto.model.errors import InvalidInput
from tests.support.database.loops import an_org, cancel_run, settle
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start, start_graph, start_one
from tests.support.database.wrappers import call_wrapper


def listed(db: Db, **filters: Any) -> list[UUID]:
    return [row["id"] for row in call(db, "list_runs", org_id=DEFAULT_ORG, **filters)]


def one_of_each(db: Db) -> dict[str, list[UUID]]:
    """Runs of one and graphs in every status, oldest first."""
    worker = a_worker(db)
    done, failed = start_one(db), start_one(db)
    claims = {claim.task_id: claim for claim in worker.claim(2)}
    worker.complete(claims[done])
    worker.fail(claims[failed], final=True)
    graph, _ = start_graph(db, 2)
    drain(db, worker)
    stopped, _ = start_graph(db, 2)
    cancel_run(db, stopped)
    again, _ = start_graph(db, 1, run={"name": "again", "max_attempts": 2})
    worker.fail(worker.claim_one(), final=True)
    settle(db)
    running = start_one(db)
    worker.claim_one()
    tried = start_one(db)
    worker.snooze(worker.claim_one())
    pending, _ = start_graph(db, 2)
    delayed = start_one(db)
    return {
        "completed": [done, graph],
        "failed": [failed],
        "cancelled": [stopped],
        "retrying": [again],
        "running": [running, tried],
        "pending": [pending, delayed],
    }


def test_cancelled_runs_are_found_behind_many_cancelled_tasks_of_a_graph(db: Db) -> None:
    alone = start_one(db)
    graph, _ = start_graph(db, 30)
    for run in (alone, graph):
        cancel_run(db, run)
    settle(db)

    assert listed(db, status="cancelled", limit=2) == [graph, alone]


def test_runs_come_newest_first_and_page_by_page(db: Db) -> None:
    runs = sorted(start(db, *range(7)), reverse=True)

    first = listed(db, limit=3)
    second = listed(db, limit=3, before=first[-1])
    third = listed(db, limit=3, before=second[-1])

    assert [first, second, third] == [runs[:3], runs[3:6], runs[6:]]
    assert listed(db, before=third[-1]) == []


@pytest.mark.parametrize("status", ["pending", "running", "retrying", "completed", "failed", "cancelled"])
def test_runs_are_found_by_their_status(db: Db, status: str) -> None:
    runs = one_of_each(db)

    assert listed(db, status=status) == sorted(runs[status], reverse=True)


def test_pages_of_one_status_go_on_where_they_ended(db: Db) -> None:
    runs = sorted(one_of_each(db)["running"], reverse=True)

    assert [listed(db, status="running", limit=1), listed(db, status="running", limit=1, before=runs[0])] == [
        runs[:1],
        runs[1:],
    ]


def test_runs_are_found_by_name_and_by_the_type_they_began_with(db: Db) -> None:
    mail = start_one(db, kind={"type": "app.mail"})
    report, _ = start_graph(db, 2, run={"name": "report"})
    start_one(db)

    assert listed(db, name="report") == [report]
    assert listed(db, type="app.mail") == [mail]
    assert listed(db, type="app.mail", name="report") == []


def test_a_line_says_what_a_run_is_and_how_far_it_is(db: Db, database: str) -> None:
    run_id, _ = start_graph(db, 3, [(0, 1)])
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    settle(db)

    (line,) = call_wrapper(database, monitoring.list_runs, org_id=DEFAULT_ORG, name="graph")

    assert (line.id, line.status, line.total_tasks, line.completed_tasks) == (run_id, "running", 3, 1)
    assert line.started_at is not None


def test_runs_of_other_orgs_are_not_listed(db: Db) -> None:
    start_one(db, org_id=an_org(db, "other"))

    assert listed(db) == listed(db, status="pending") == []


@pytest.mark.parametrize("limit", [0, -1, 201])
def test_a_page_is_one_to_200_long(db: Db, limit: int) -> None:
    with pytest.raises(InvalidInput, match=f"a page size of {limit} is not between 1 and 200"):
        listed(db, limit=limit)


def test_a_status_that_no_run_has_is_refused(db: Db) -> None:
    with pytest.raises(InvalidInput, match="'queued' is not a status of a run"):
        listed(db, status="queued")


def test_with_a_place_to_go_on_after_they_come_oldest_first(db: Db) -> None:
    each = one_of_each(db)
    every = sorted(id for ids in each.values() for id in ids)
    first = listed(db, after=UUID(int=0), limit=3)

    assert first + listed(db, after=first[-1]) == every
    for status, ids in each.items():
        assert listed(db, after=UUID(int=0), status=status) == sorted(ids), status
    assert listed(db, after=UUID(int=0), name="again") == [id for id in every if id in listed(db, name="again")]


def test_a_run_is_found_by_its_dedupe_key_in_the_scope_of_its_type_or_name(db):
    kinds = Jsonb([{"type": "a.b"}])
    (one,) = call(db, "start_many", org_id=DEFAULT_ORG, kinds=kinds, inputs=[Jsonb(1)], dedupe_keys=["k"])
    named, _ = start_graph(db, 2, run={"name": "n", "dedupe_key": "k"})

    assert listed(db, type="a.b", dedupe_key="k") == [one["run_id"]]
    assert listed(db, name="n", dedupe_key="k") == [named]
    assert listed(db, type="a.b", dedupe_key="other") == listed(db, type="a.c", dedupe_key="k") == []
    assert call(db, "list_runs", org_id=an_org(db, "other"), type="a.b", dedupe_key="k") == []
    with pytest.raises(InvalidInput, match="dedupe_key is set without type or name; a dedupe key belongs"):
        listed(db, dedupe_key="k")
