"""retry_runs, cancel_runs, delete_runs: the runs that a filter selects, in pieces, and no others."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.loops import an_org, count, run, settle
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Db,
    a_worker,
    call,
    drain,
    run_status,
    start,
    start_graph,
    start_one,
    status,
    statuses,
)

MAIL, WORK = {"type": "app.mail", "max_attempts": 1}, {"type": "app.work", "max_attempts": 1}


def fail_all(db: Db) -> None:
    worker = a_worker(db)
    while claims := worker.claim(100):
        worker.fail(*claims, final=True)
    settle(db)


def bulk(db: Db, function: str, **options: object) -> dict[str, Any]:
    (row,) = call(db, function, org_id=DEFAULT_ORG, **options)
    return row


def pieces(db: Db, function: str, **options: object) -> list[dict[str, Any]]:
    """Every piece until there is no more."""
    done, before = [], None
    while True:
        done.append(bulk(db, function, before=before, **options))
        before = done[-1]["next_before"]
        if before is None:
            return done


def test_failed_runs_of_a_type_are_retried_in_pieces_once(db: Db) -> None:
    mails, others = start(db, *range(5), kind=MAIL), start(db, 1, kind=WORK)
    graph, _ = start_graph(db, 2, kinds=[MAIL])
    fail_all(db)

    dry = pieces(db, "retry_runs", type="app.mail", limit=2, dry_run=True)
    assert [id for piece in dry for id in piece["run_ids"]] == mails[::-1]
    assert count(db, "runs", "retry_of is not null") == 0
    done = pieces(db, "retry_runs", type="app.mail", limit=2)

    assert [len(piece["run_ids"]) for piece in done] == [2, 2, 1]
    new = [id for piece in done for id in piece["new_run_ids"]]
    assert statuses(db, new) == ["queued"] * 5
    assert [run(db, old)["retried_by"] for old in mails[::-1]] == new
    assert run(db, others[0])["retried_by"] is None
    assert run(db, graph)["retried_by"] is None
    again = bulk(db, "retry_runs", type="app.mail")
    assert (again["run_ids"], again["refused"]) == ([], [])


def test_a_run_that_cannot_be_retried_is_named_and_the_others_are_retried(db: Db) -> None:
    (done,) = start(db, 1, kind=MAIL)
    drain(db, a_worker(db))
    (failed,) = start(db, 2, kind=MAIL)
    fail_all(db)

    completed = bulk(db, "retry_runs", status="completed")
    assert completed["run_ids"] == []
    assert [(item["id"], "nothing to retry" in item["reason"]) for item in completed["refused"]] == [(str(done), True)]
    assert bulk(db, "retry_runs", status="completed", reuse=False)["run_ids"] == [done]
    assert bulk(db, "retry_runs", status="failed")["run_ids"] == [failed]


def test_since_selects_by_the_time_of_the_start(db: Db) -> None:
    (old,) = start(db, 1, kind=MAIL)
    created = run(db, old)["created_at"]
    assert bulk(db, "cancel_runs", since=created + timedelta(minutes=1), dry_run=True)["run_ids"] == []
    assert bulk(db, "cancel_runs", since=created - timedelta(minutes=1), dry_run=True)["run_ids"] == [old]
    assert call(db, "list_runs", org_id=DEFAULT_ORG, since=created + timedelta(minutes=1)) == []


def test_open_runs_are_cancelled_with_their_reason_whatever_they_do(db: Db) -> None:
    queued = start_one(db, kind=MAIL)
    graph, tasks = start_graph(db, 3, [(0, 1)], kinds=[MAIL])
    held = start_one(db, kind=MAIL, details=None)
    other = start_one(db, kind=WORK)
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(10)}
    call(db, "interrupt_tasks", **worker.fence, task_ids=[queued], attempts=[1])

    done = bulk(db, "cancel_runs", type="app.mail", reason="wrong template")
    named = bulk(db, "cancel_runs", name="graph", reason="wrong graph")

    assert (done["run_ids"], done["next_before"]) == ([held, queued], None)
    assert named["run_ids"] == [graph]
    assert status(db, queued) == "cancelled"
    assert worker.fail(claims[held]) == ["accepted"]
    worker.fail(*(claims[task] for task in tasks if task in claims))
    assert [run_status(db, id) for id in (queued, held, graph)] == ["cancelled"] * 3
    assert run(db, held)["cancel_reason"] == "wrong template"
    assert run(db, graph)["cancel_reason"] == "wrong graph"
    assert run_status(db, other) == "running"
    call(db, "sweep_cancelled")
    assert count(db, "cancel_requests") == 0


def test_a_large_run_among_them_is_recorded_and_cancelled_in_pieces(db: Db) -> None:
    large, _ = start_graph(db, 1001, kinds=[MAIL])
    small, _ = start_graph(db, 1, kinds=[MAIL], run={"name": "graph", "max_attempts": 2})

    assert bulk(db, "cancel_runs", name="graph", reason="both")["run_ids"] == [small, large]
    assert run_status(db, small) == "cancelled"
    assert count(db, "run_requests") == 1
    while call(db, "advance_requests"):
        pass
    assert run_status(db, large) == "cancelled"
    assert run(db, large)["cancel_reason"] == "both"


def test_ended_runs_are_deleted_and_open_ones_stay(db: Db) -> None:
    ended = start(db, *range(3), kind=MAIL)
    fail_all(db)
    opened = start_one(db, kind=MAIL)

    done = pieces(db, "delete_runs", type="app.mail", limit=2)

    assert [id for piece in done for id in piece["run_ids"]] == ended[::-1]
    assert count(db, "runs") == 1
    assert status(db, opened) == "queued"


@pytest.mark.parametrize("function", ["retry_runs", "cancel_runs", "delete_runs"])
def test_runs_of_another_org_are_not_touched(db: Db, function: str) -> None:
    org = an_org(db, "theirs")
    theirs = start_one(db, org_id=org, kind=MAIL)
    if function != "cancel_runs":
        call(db, "cancel_run", org_id=org, run_id=theirs)

    selected = {"status": "cancelled"} if function == "retry_runs" else {}
    assert bulk(db, function, type="app.mail", **selected)["run_ids"] == []


@pytest.mark.parametrize(
    ("function", "options", "says"),
    [
        ("retry_runs", {}, "a filter without any condition"),
        ("cancel_runs", {}, "a filter without any condition"),
        ("delete_runs", {}, "a filter without any condition"),
        ("delete_runs", {"status": "running"}, "this call does not apply to runs with the status 'running'"),
        ("cancel_runs", {"status": "failed"}, "this call does not apply to runs with the status 'failed'"),
        ("retry_runs", {"status": "open"}, "this call does not apply to runs with the status 'open'"),
        ("retry_runs", {"limit": 201}, "a page size of 201 is not between 1 and 200"),
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused(db: Db, function: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        bulk(db, function, **options)


def test_a_search_that_finds_nothing_among_10_000_goes_on_behind_them(db: Db, clock: Clock) -> None:
    (old,) = start(db, 1, kind=WORK)
    db.execute("set session_replication_role = replica")  # the triggers of tests take minutes for so many
    start(db, *range(10_000), kind=MAIL)
    db.execute("set session_replication_role = default")

    first = bulk(db, "cancel_runs", type="app.work", dry_run=True)
    second = bulk(db, "cancel_runs", type="app.work", dry_run=True, before=first["next_before"])

    assert (first["run_ids"], first["next_before"] is not None) == ([], True)
    assert (second["run_ids"], second["next_before"]) == ([old], None)


def test_runs_behind_a_graph_of_10_000_tasks_are_found(db: Db, clock: Clock) -> None:
    old = start(db, 1, 2)
    db.execute("set session_replication_role = replica")
    graph, _ = start_graph(db, 10_000)
    db.execute("set session_replication_role = default")
    (new,) = start(db, 3)

    found = bulk(db, "cancel_runs", status="pending", dry_run=True)
    assert (found["run_ids"], found["next_before"]) == ([new, graph, *old[::-1]], None)


def test_a_piece_ends_at_1_000_tasks(db: Db) -> None:
    db.execute("set session_replication_role = replica")
    graphs = [start_graph(db, 400)[0] for _ in range(3)]
    large = start_graph(db, 1001)[0]

    for function, state in (("cancel_runs", "pending"), ("retry_runs", "cancelled"), ("delete_runs", "cancelled")):
        done = pieces(db, function, status=state)
        assert [piece["run_ids"] for piece in done] == [[large, *graphs[:0:-1]], graphs[:1]]
        assert [piece["next_before"] for piece in done] == [graphs[1], None]
        while call(db, "advance_requests"):
            pass
        settle(db)
    db.execute("set session_replication_role = default")


def test_a_piece_of_a_retry_counts_its_runs_too(db: Db) -> None:
    ids = start(db, *range(40), kind=MAIL)
    fail_all(db)
    done = pieces(db, "retry_runs", type="app.mail")
    assert [piece["run_ids"] for piece in done] == [ids[:1:-1], ids[1::-1]]  # 38 * (25 + 1) <= 1,000


def test_a_cancelled_run_of_one_task_has_the_reason_wherever_it_was(db: Db) -> None:
    queued, running, plain = start_one(db), start_one(db), start_one(db)
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(3)}
    worker.interrupt(claims[queued])
    for id, reason in ((queued, "left"), (running, "left too"), (plain, None)):
        call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=id, reason=reason)
    worker.fail(claims[running])
    worker.lose(claims[plain])

    reasons: list[UUID | None] = [run(db, id)["cancel_reason"] for id in (queued, running, plain)]
    assert reasons == ["left", "left too", None]
