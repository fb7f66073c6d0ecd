"""A session says that it lives and what it holds."""

from dataclasses import replace
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput, SessionEnded
from tests.support.clock import Clock
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Db,
    a_worker,
    call,
    history,
    start,
    start_one,
    status,
    statuses,
    task,
)
from tests.support.database.workers import worker_row


def test_a_beat_renews_the_lease_of_everything_held(db: Db, clock: Clock) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    held = worker.claim(2)
    clock.advance(seconds=50)

    answer = worker.beat(*held)

    assert (answer["lost"], answer["cancelled"]) == ([], [])
    for claim in held:
        assert (task(db, claim.task_id)["lease_expires_at"] - clock.now).total_seconds() == 60
    clock.advance(seconds=50)
    assert call(db, "expire_sessions") == 0
    assert worker_row(db)["last_heartbeat"] < clock.now


def test_metrics_of_beats_are_merged(db: Db) -> None:
    worker = a_worker(db, metadata={"rack": 3})

    worker.beat(metrics={"vram": 80, "load": 0.1})
    worker.beat(metrics={"load": 0.9})
    worker.beat()

    assert worker_row(db)["metadata"] == {"rack": 3, "vram": 80, "load": 0.9}


def test_an_attempt_that_was_taken_back_is_lost(db: Db, clock: Clock) -> None:
    start(db, 1, kind={"timeout_seconds": 10})
    kept = start_one(db)
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(2)}
    clock.advance(seconds=16)
    call(db, "expire_deadlines")

    answer = worker.beat(*claims.values())

    assert answer["lost"] == [task_id for task_id in claims if task_id != kept]


def test_what_was_never_held_is_lost(db: Db) -> None:
    task_id = start_one(db)
    worker, other = a_worker(db), a_worker(db, "other")
    theirs = other.claim_one()

    forged = [theirs, replace(theirs, task_id=uuid4())]

    assert worker.beat(*forged)["lost"] == [claim.task_id for claim in forged]
    assert other.beat(replace(theirs, attempt=2), theirs)["lost"] == [task_id]
    assert status(db, task_id) == "running"


def test_an_attempt_asked_to_stop_is_told_so_until_it_ends(db: Db) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    one, two = worker.claim(2)
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=one.run_id)

    for _ in range(2):
        assert worker.beat(one, two)["cancelled"] == [one.task_id]

    worker.fail(one)
    assert (status(db, one.task_id), worker.beat(two)["cancelled"]) == ("cancelled", [])


def test_a_forgotten_attempt_is_queued_again_and_charged_nothing(db: Db) -> None:
    task_id = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db)
    forgotten = worker.claim_one()

    worker.beat()

    assert status(db, task_id) == "queued"
    assert (task(db, task_id)["failures"], task(db, task_id)["losses"]) == (0, 0)
    assert history(db, task_id) == [(1, "forgotten")]
    assert worker.complete(forgotten) == ["stale_lease"]
    assert worker.claim_one().attempt == 2


def test_what_is_listed_is_not_forgotten(db: Db) -> None:
    tasks = start(db, 1, 2, 3)
    worker = a_worker(db)
    held = worker.claim(3)

    worker.beat(held[0], held[2])

    running = {task_id for task_id in tasks if status(db, task_id) == "running"}
    assert running == {held[0].task_id, held[2].task_id}


def test_an_attempt_claimed_while_the_beat_was_on_its_way_stays(db: Db) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    first = worker.claim_one()
    settled = worker.claim_no
    on_its_way = worker.claim_one()

    answer = worker.beat(first, settled=settled)

    assert answer["lost"] == []
    assert status(db, on_its_way.task_id) == "running"
    assert worker.complete(first, on_its_way) == ["accepted", "accepted"]


def test_once_its_claim_is_settled_an_unlisted_attempt_is_forgotten(db: Db) -> None:
    start(db, 1)
    worker = a_worker(db)
    claim = worker.claim_one()
    worker.beat(settled=worker.claim_no - 1)
    assert status(db, claim.task_id) == "running"

    worker.beat(settled=worker.claim_no)

    assert status(db, claim.task_id) == "queued"


def test_a_beat_without_settled_claims_forgets_nothing_and_still_tells_what_is_lost(db: Db) -> None:
    start(db, 1)
    worker = a_worker(db)
    claim = worker.claim_one()
    unknown = start_one(db)

    (beat,) = call(db, "heartbeat", **worker.fence, task_ids=[unknown], attempts=[1])

    assert beat["lost"] == [unknown]
    assert status(db, claim.task_id) == "running"


def test_another_sessions_attempts_are_not_forgotten_by_this_beat(db: Db) -> None:
    start(db, 1)
    other = a_worker(db, "other")
    theirs = other.claim_one()

    a_worker(db).beat(settled=1000)

    assert status(db, theirs.task_id) == "running"


def test_a_forgotten_attempt_that_was_asked_to_stop_is_cancelled(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=task_id)

    worker.beat()

    assert status(db, task_id) == "cancelled"


@pytest.mark.parametrize("end", ["terminate_worker", "fail_worker", "register", "expire", "close", "token"])
def test_an_ended_session_is_refused_and_never_revives(db: Db, clock: Clock, end: str) -> None:
    worker = a_worker(db)
    if end == "register":
        a_worker(db)
    elif end == "expire":
        clock.advance(minutes=5)
        call(db, "expire_sessions")
    elif end == "close":
        call(db, "close_session", **worker.fence)
    elif end == "token":
        worker.fence["token"] = uuid4()
    else:
        extra = {"error": "x"} if end == "fail_worker" else {}
        call(db, end, org_id=DEFAULT_ORG, worker_id="w", **extra)

    for _ in range(2):
        with pytest.raises(SessionEnded):
            worker.beat(metrics={"load": 1})

    assert worker_row(db)["metadata"] == {}


def test_a_beat_tells_of_new_routes(db: Db) -> None:
    worker = a_worker(db)
    before = worker.beat()["newest_route"]

    start_one(db, kind={"type": "new"})

    assert worker.beat()["newest_route"] > before


def test_a_beat_that_does_not_fit_together_is_refused_and_forgets_nothing(db: Db) -> None:
    tasks = start(db, 1, 2)
    worker = a_worker(db)
    claims = worker.claim(2)

    with pytest.raises(InvalidInput, match="each task needs one of each"):
        call(db, "heartbeat", **worker.fence, task_ids=[c.task_id for c in claims], attempts=[1], settled=9)
    with pytest.raises(InvalidInput, match="metadata"):
        call(db, "heartbeat", **worker.fence, task_ids=[], attempts=[], settled=9, metrics=Jsonb([1]))

    assert statuses(db, tasks) == ["running"] * 2


def test_claims_are_numbered_past_the_end_of_an_integer(db: Db) -> None:
    first, second = start(db, 1, 2)
    worker = a_worker(db)
    worker.claim_no = 2**31 - 2
    worker.claim_one()
    held = worker.claim_one()

    worker.beat(held)

    assert (worker.claim_no, status(db, first), status(db, second)) == (2**31, "queued", "running")
