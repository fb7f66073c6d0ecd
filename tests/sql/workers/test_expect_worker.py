"""-> starting: a worker that was asked for and has not registered yet."""

from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.database.workers import STATES, a_worker_that_is, worker_row


def expect(db: Db, **values: object) -> None:
    call(db, "expect_worker", **{"org_id": DEFAULT_ORG, "worker_id": "w", "instance_type": "ecs", **values})


def test_an_expected_worker_is_starting_until_it_registers(db: Db) -> None:
    expect(db, metadata={"machine": "i-1"})
    assert (worker_row(db)["status"], worker_row(db)["last_heartbeat"]) == ("starting", None)

    a_worker(db)

    assert (worker_row(db)["status"], worker_row(db)["metadata"]) == ("active", {"machine": "i-1"})


def test_a_terminated_worker_can_be_asked_for_again_as_a_new_life(db: Db, clock: Clock) -> None:
    a_worker_that_is(db, "terminated")
    clock.advance(hours=1)

    expect(db)

    row = worker_row(db)
    assert (row["status"], row["terminated_at"], row["created_at"]) == ("starting", None, clock.now)


@pytest.mark.parametrize("state", [state for state in STATES if state != "terminated"])
def test_an_open_worker_of_that_name_is_a_conflict_and_stays_as_it_is(db: Db, state: str) -> None:
    a_worker_that_is(db, state)

    with pytest.raises(Conflict, match="exists already"):
        expect(db, metadata={"new": True})

    assert (worker_row(db)["status"], worker_row(db)["metadata"]) == (state, {})


@pytest.mark.parametrize("values", [{"worker_id": ""}, {"worker_id": "w" * 257}, {"metadata": Jsonb("fast")}])
def test_wrong_values_are_refused_and_nothing_is_made(db: Db, values: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        expect(db, **values)

    assert worker_row(db) == {}


def test_a_worker_of_an_org_that_is_not_there_is_not_found(db: Db) -> None:
    with pytest.raises(NotFound):
        expect(db, org_id=uuid4())
