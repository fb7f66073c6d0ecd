"""active -> draining: finish what is held, claim nothing more."""

import pytest

from tenuto.model.errors import Conflict
from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start
from tests.support.database.workers import a_worker_that_is, worker_row


def drain_worker(db: Db, **values: object) -> None:
    call(db, "drain_worker", **{"org_id": DEFAULT_ORG, "worker_id": "w", **values})


def test_a_draining_worker_finishes_what_it_holds_and_claims_nothing_more(db: Db) -> None:
    start(db, 1, 2)
    worker = a_worker(db)
    held = worker.claim_one()

    drain_worker(db)

    assert worker.claim(5) == []
    worker.beat(held)
    assert worker.complete(held) == ["accepted"]
    assert len(a_worker(db, "other").claim(5)) == 1


def test_it_says_since_when_and_why(db: Db, clock: Clock) -> None:
    a_worker(db)

    drain_worker(db, reason="deploy")

    row = worker_row(db)
    assert (row["status"], row["drained_at"], row["drain_reason"]) == ("draining", clock.now, "deploy")


def test_draining_twice_keeps_the_first_time_and_the_last_reason(db: Db, clock: Clock) -> None:
    a_worker(db)
    drain_worker(db, reason="deploy")
    first = clock.now
    clock.advance(minutes=1)

    drain_worker(db, reason="spot notice")
    drain_worker(db)

    assert (worker_row(db)["drained_at"], worker_row(db)["drain_reason"]) == (first, "spot notice")


@pytest.mark.parametrize("state", ["starting", "error", "terminated"])
def test_a_worker_in_another_state_cannot_be_drained(db: Db, state: str) -> None:
    a_worker_that_is(db, state)

    with pytest.raises(Conflict, match="w is not active"):
        drain_worker(db)

    assert worker_row(db)["status"] == state


def test_a_worker_that_is_not_there_or_of_another_org_cannot_be_drained(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    a_worker(db)

    for wrong in ({"worker_id": "nobody"}, {"org_id": other}):
        with pytest.raises(Conflict):
            drain_worker(db, **wrong)

    assert worker_row(db)["status"] == "active"
