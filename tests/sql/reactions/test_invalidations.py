"""Invalidations: the jobs that read a partition compute their data again, even if it is the same, and so on down."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import Rollback

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.database.builds import compute
from tests.support.database.events import RAW, a_reader, commit, queued, readers, route
from tests.support.database.jobs import by_day, deployed, publication
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call

LAST = a_reader("last", inputs=[{"from": {"dataset": "out_daily"}}])
ME = {"org_id": DEFAULT_ORG, "dag": "sales"}


def invalidate(db: Db, *partitions: str, **options: Any) -> UUID:
    keys = {"partitions": list(partitions)} if partitions else {}
    return call(db, "invalidate_dataset", **{"org_id": DEFAULT_ORG, "dataset": "raw", "reason": "x", **keys, **options})


def go_on(db: Db, turns: int = 3) -> None:
    for _ in range(turns):
        route(db)
        db.execute("update tenuto.data_invalidations set due_at = tenuto.now() where due_at is not null")
        call(db, "advance_invalidations", limit=100)


def get(db: Db, id: UUID) -> dict[str, Any]:
    (row,) = call(db, "list_invalidations", org_id=DEFAULT_ORG, id=id)
    return row


def consumers(db: Db, id: UUID) -> dict[str, tuple[bool, int, int, bool]]:
    """By job: whether it reads the data itself, how many tasks completed and failed, whether it is done."""
    rows = get(db, id)["consumers"]
    return {row["job"]: (row["direct"], row["completed"], row["failed"], row["done_at"] is not None) for row in rows}


def computed(db: Db, *days: str) -> Worker:
    """Days of `raw`, of `daily` that reads it, and of `last` that reads that."""
    deployed(db, by_day(readers(a_reader(), LAST)))
    worker = a_worker(db)
    commit(worker, *days)
    for _ in range(2):
        route(db)
        compute(worker)
    route(db)
    return worker


def test_direct_consumers_get_a_task_with_the_filter_and_the_others_follow(db: Db):
    worker = computed(db, "2026-11-01", "2026-11-02")
    rows = {"block": {"gte": 995, "lt": 1006}}
    id = invalidate(db, "2026-11-01", "2026-11-09", row_filter=rows, reason="reorg")
    go_on(db)

    (claim,) = worker.claim(10)
    assert (claim.input["job"]["job"], claim.input["job"]["partition"]) == ("daily", "2026-11-01")
    expected = {"invalidation": {"id": str(id), "reason": "reorg", "filter": rows}}
    assert claim.input["job"]["event"]["data"] == expected
    assert consumers(db, id) == {"sales/daily": (True, 0, 0, False)}
    worker.complete(claim, published=[[publication(claim, "2026-11-01")]])
    go_on(db)
    assert consumers(db, id) == {"sales/daily": (True, 1, 0, True)}
    assert get(db, id)["status"] == "running"  # `last` follows
    assert compute(worker) == ["2026-11-01"]
    go_on(db)
    assert consumers(db, id) == {"sales/daily": (True, 1, 0, True), "sales/last": (False, 1, 0, True)}
    row = get(db, id)
    assert (row["status"], row["total"], row["invalidated"], row["error"]) == ("completed", 1, 1, None)
    assert call(db, "advance_invalidations") == 0


def test_what_comes_out_the_same_does_not_cascade(db: Db):
    worker = computed(db, "2026-11-01")
    print_ = db.execute("select fingerprint from tenuto.partition_versions order by id").fetchall()[1][0]
    id = invalidate(db, first="2026-11-01", last="2026-11-03")
    go_on(db)
    claim = worker.claim_one()
    worker.complete(claim, published=[[publication(claim, "2026-11-01", fingerprint=print_)]])
    go_on(db)

    assert (get(db, id)["status"], queued(db)) == ("completed", [])
    assert (get(db, id)["planned"], get(db, id)["invalidated"]) == (3, 1)


def test_a_task_that_fails_fails_the_invalidation(db: Db):
    worker = computed(db, "2026-11-01")
    id = invalidate(db, "2026-11-01")
    go_on(db)
    worker.fail(worker.claim_one(), final=True)
    go_on(db)

    assert consumers(db, id) == {"sales/daily": (True, 0, 1, False)}
    assert get(db, id)["status"] == "failed"
    assert "of job daily for 2026-11-01: boom" in get(db, id)["error"]


def test_a_paused_consumer_is_waited_for(db: Db):
    worker = computed(db, "2026-11-01")
    call(db, "pause_job", name="daily", **ME)
    id = invalidate(db, "2026-11-01")
    go_on(db)

    assert (get(db, id)["status"], get(db, id)["error"]) == ("running", "job daily is paused")
    call(db, "resume_job", name="daily", **ME)
    go_on(db)
    compute(worker)
    go_on(db)
    compute(worker)
    go_on(db)
    assert get(db, id)["status"] == "completed"


def test_a_consumer_that_is_held_is_waited_for(db: Db):
    computed(db, "2026-11-01")
    db.execute(
        "update tenuto.job_controls set held_at = tenuto.now(), hold_reason = 'report is behind'"
        " where job_key = (select job_key from tenuto.jobs where name = 'daily' limit 1)"
    )
    id = invalidate(db, "2026-11-01")
    go_on(db)

    assert (get(db, id)["status"], get(db, id)["error"]) == ("running", "job daily is held: report is behind")


def test_no_partition_is_lost_or_passed_on_twice_if_a_dispatcher_dies(db: Db):
    computed(db, "2026-11-01")
    id = invalidate(db, "2026-11-01")
    with db.transaction():
        call(db, "advance_invalidations")
        assert get(db, id)["planned"] == 1
        raise Rollback
    assert get(db, id)["planned"] == 0
    call(db, "advance_invalidations")  # its dispatcher dies before the events are routed
    for _ in range(2):
        go_on(db)

    assert queued(db) == [("daily", "2026-11-01", False)]
    assert get(db, id)["invalidated"] == 1


def test_events_that_cannot_be_routed_fail_the_invalidation(db: Db):
    computed(db, "2026-11-01")
    id = invalidate(db, "2026-11-01")
    call(db, "advance_invalidations")
    db.execute("update tenuto.outbox set status = 'dead', last_error = 'x' where key like 'invalidation:%'")
    go_on(db)

    assert (get(db, id)["status"], get(db, id)["error"]) == ("failed", "its events cannot be routed")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reason": ""}, "the reason of an invalidation is missing or empty"),
        ({"first": "2026-11-01"}, "both ends"),
        ({"first": "mon", "last": "tue"}, "'mon' is not a partition"),
        ({}, "dataset raw has partitions"),
        ({"partitions": ["a"], "row_filter": {"x": "y" * 20_000}}, "up to 16 KB"),
    ],
)
def test_wrong_options_are_refused(db: Db, options: dict[str, Any], message: str):
    deployed(db, by_day(readers()))
    with pytest.raises(InvalidInput, match=message):
        invalidate(db, **options)


def test_partitions_of_a_list_that_are_not_committed_are_left_out(db: Db):
    computed(db, "2026-11-01")
    row = get(db, invalidate(db, partitions=["2026-11-02", "2026-11-01"]))

    assert (row["total"], row["partitions"]) == (1, ["2026-11-01"])
    with pytest.raises(
        Conflict, match="none of these partitions of raw is committed: 2026-11-02, banana; list its partitions"
    ):
        invalidate(db, partitions=["2026-11-02", "banana"])


def test_another_org_does_not_see_it(db: Db):
    deployed(db, readers(source={**RAW, "outputs": [{"dataset": "raw"}]}))
    id, other = invalidate(db), call(db, "create_org", slug="other")

    assert [row["id"] for row in call(db, "list_invalidations", org_id=DEFAULT_ORG, dataset="raw")] == [id]
    assert call(db, "list_invalidations", org_id=other) == []
    for unknown in ({"org_id": other, "id": id}, {"org_id": DEFAULT_ORG, "id": uuid4()}):
        with pytest.raises(NotFound, match="no invalidation"):
            call(db, "list_invalidations", **unknown)
    with pytest.raises(NotFound, match="no dataset"):
        invalidate(db, dataset="nothing")
