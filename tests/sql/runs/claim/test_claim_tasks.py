"""queued -> running, in batches."""

from collections import Counter
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import SessionEnded
from tests.support.clock import Clock
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Db,
    a_worker,
    call,
    history,
    start,
    start_graph,
    start_one,
    status,
    statuses,
    task,
)
from tests.support.database.workers import a_worker_that_is


def set_group(db: Db, name: str, **values: object) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id=name, **values)


def test_a_claimed_task_is_running_under_the_workers_lease(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"timeout_seconds": 30})
    worker = a_worker(db)

    claim = worker.claim_one()

    row = task(db, task_id)
    assert (claim.task_id, claim.attempt, claim.run_id) == (task_id, 1, task_id)
    assert (row["status"], row["worker_id"], row["session_id"]) == ("running", "w", worker.session_id)
    assert (row["started_at"], (row["lease_expires_at"] - clock.now).total_seconds()) == (clock.now, 60)
    assert (row["deadline_at"] - clock.now).total_seconds() == 35


def test_what_was_given_to_the_task_is_handed_to_the_worker(db: Db) -> None:
    details = Jsonb([{"task": 0, "metadata": {"team": "bi"}}])
    start(db, {"to": "a@b.c"}, kind={"timeout_seconds": 30, "heartbeat_timeout_seconds": 5}, details=details)
    worker = a_worker(db)

    (row,) = call(db, "claim_tasks", **worker.fence, claim_no=1, routes=worker.routes(), limit=5)

    assert (row["input"], row["metadata"], row["slots"]) == ({"to": "a@b.c"}, {"team": "bi"}, None)
    assert row["timeout_seconds"] == 30


def test_no_more_than_the_limit_is_claimed_and_each_task_once(db: Db) -> None:
    tasks = start(db, *range(10))
    worker = a_worker(db)

    claimed = [claim.task_id for limit in (0, -1, 3, 4, 5, 6) for claim in worker.claim(limit)]

    assert sorted(claimed) == sorted(tasks)


def test_tasks_of_one_kind_are_claimed_first_in_first_out(db: Db) -> None:
    tasks = [task_id for _ in range(3) for task_id in start(db, 1, 2)]
    worker = a_worker(db)

    assert [worker.claim_one().task_id for _ in tasks] == tasks


def test_a_higher_priority_goes_first_and_then_the_older(db: Db) -> None:
    low, high, middle, also_high = (start_one(db, kind={"priority": priority}) for priority in (-1, 5, 0, 5))
    worker = a_worker(db)

    assert [worker.claim_one().task_id for _ in range(4)] == [high, also_high, middle, low]


def test_a_task_that_is_given_back_keeps_its_place(db: Db) -> None:
    first, second = start(db, 1, 2)
    worker = a_worker(db)
    worker.interrupt(worker.claim_one())

    assert [claim.task_id for claim in (worker.claim_one(), worker.claim_one())] == [first, second]


def test_every_claim_counts_the_attempt_up(db: Db) -> None:
    start_one(db)
    worker = a_worker(db)
    assert task(db, start_one(db, kind={"type": "other"}))["attempt"] == 0

    attempts = []
    for _ in range(4):
        claim = worker.claim(routes=worker.routes(types=["app.work"]))[0]
        attempts.append(claim.attempt)
        worker.interrupt(claim)

    assert attempts == [1, 2, 3, 4]


def test_only_routes_asked_for_are_claimed_and_unserved_tasks_in_front_do_not_matter(db: Db) -> None:
    start(db, *range(50), kind={"type": "unserved", "priority": 9})
    task_id = start_one(db, kind={"type": "mine"})
    worker = a_worker(db)

    claims = worker.claim(10, routes=worker.routes(types=["mine"]))

    assert [claim.task_id for claim in claims] == [task_id]
    assert worker.claim(10, routes=[]) == []


def test_delayed_pending_and_retrying_tasks_are_not_claimed(db: Db, clock: Clock) -> None:
    start(db, 1, details=Jsonb([{"task": 0, "delay_seconds": 60}]))
    _, (first, _) = start_graph(db, 2, [(0, 1)])
    worker = a_worker(db)

    (claim,) = worker.claim(10)
    assert claim.task_id == first
    worker.fail(claim, retry=30)
    assert worker.claim(10) == []

    clock.advance(seconds=60)
    call(db, "promote_due")
    assert len(worker.claim(10)) == 2


def test_a_paused_queue_gives_nothing_until_it_is_resumed(db: Db) -> None:
    start(db, 1, kind={"queue": "mail"})
    other = start_one(db)
    worker = a_worker(db)
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="mail")
    late = start_one(db, kind={"queue": "mail", "type": "new"})

    assert [claim.task_id for claim in worker.claim(10)] == [other]

    call(db, "resume_queue", org_id=DEFAULT_ORG, queue="mail")
    assert late in [claim.task_id for claim in worker.claim(10)]


def test_a_queue_of_the_same_name_in_another_org_is_not_paused(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    start_one(db, org_id=other)

    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="default")

    assert len(a_worker(db, org_id=other).claim()) == 1


@pytest.mark.parametrize("state", ["draining", "error", "terminated"])
def test_a_worker_that_may_take_no_more_gets_nothing(db: Db, state: str) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    end = {"draining": "drain_worker", "error": "fail_worker", "terminated": "terminate_worker"}[state]
    call(db, end, org_id=DEFAULT_ORG, worker_id="w", **({"error": "x"} if state == "error" else {}))

    if state == "draining":
        assert worker.claim() == []
    else:
        with pytest.raises(SessionEnded):
            worker.claim()

    assert status(db, task_id) == "queued"


def test_a_wrong_token_or_an_expired_session_claims_nothing(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    worker, forger = a_worker(db), a_worker(db, "forger")
    forger.fence["token"] = uuid4()
    clock.advance(minutes=5)
    call(db, "expire_sessions")

    for refused in (worker, forger):
        with pytest.raises(SessionEnded):
            refused.claim()

    assert status(db, task_id) == "queued"
    a_worker_that_is(db, "starting", "v")
    assert len(a_worker(db, "v").claim()) == 1


def test_a_quota_is_never_exceeded_and_frees_with_every_end(db: Db) -> None:
    set_group(db, "small", quota=3)
    start(db, *range(10), group="small")
    one, two = a_worker(db, "one"), a_worker(db, "two")

    held = [*one.claim(2), *two.claim(10)]

    assert len(held) == 3
    assert one.claim(10) == []
    one.complete(held[0])
    two.fail(held[2], retry=60)
    assert len(one.claim(10)) == 2


def test_the_default_group_and_the_others_are_held_to_their_quotas_alike(db: Db) -> None:
    ids: list[UUID] = []
    for group in ("default", "small"):
        set_group(db, group, quota=3)
        ids += start(db, *range(10), group=group)
    worker = a_worker(db)
    answers = [call(db, "claim_task", **worker.fence, claim_no=9, task_id=ids[no])[0]["result"] for no in (0, 10)]
    held = worker.claim(10)

    assert answers == ["claimed", "claimed"]
    assert len(held) == 4
    assert worker.claim(10) == []
    worker.complete(*held)
    assert len(worker.claim(10)) == 4


def test_a_quota_of_zero_stops_a_group_and_none_of_the_others(db: Db) -> None:
    set_group(db, "stopped", quota=0)
    stopped = start(db, *range(5), group="stopped")
    start(db, *range(5))

    assert len(a_worker(db).claim(10)) == 5

    assert statuses(db, stopped) == ["queued"] * 5


def test_a_waiting_task_gives_its_place_in_the_quota_back(db: Db) -> None:
    set_group(db, "small", quota=1)
    start(db, 1, 2, group="small")
    worker = a_worker(db)

    worker.wait(worker.claim_one(), **{"for": "time", "seconds": 60})

    assert len(worker.claim(5)) == 1


def test_a_group_with_nothing_ready_leaves_its_share_to_the_others(db: Db) -> None:
    set_group(db, "idle", weight=3)
    worker = a_worker(db)
    start_one(db, group="idle")
    worker.complete(worker.claim_one())
    start(db, *range(25))

    assert [len(worker.claim(1)) for _ in range(15)] == [1] * 15
    assert len(worker.claim(10)) == 10


def test_groups_share_by_weight_while_both_have_work(db: Db) -> None:
    set_group(db, "heavy", weight=3)
    start(db, *range(300), group="heavy")
    start(db, *range(300))
    worker = a_worker(db)

    groups = Counter(claim.group_no for _ in range(10) for claim in worker.claim(20))

    assert sorted(groups.values()) == [50, 150]


def test_a_group_that_arrives_is_served_within_one_batch(db: Db) -> None:
    set_group(db, "new")
    start(db, *range(100))
    worker = a_worker(db)
    worker.claim(10)
    arrived = start_one(db, group="new")

    assert arrived in [claim.task_id for claim in worker.claim(10)]


def test_a_claim_leaves_no_history_before_its_end(db: Db) -> None:
    task_id = start_one(db)

    a_worker(db).claim_one()

    assert history(db, task_id) == []
