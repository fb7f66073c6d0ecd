"""A beat of a worker that has no session."""

from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.workers import STATES, a_worker_that_is, worker_row


def beat(db: Db, **values: object) -> str:
    return call(db, "beat_worker", **{"org_id": DEFAULT_ORG, "worker_id": "w", **values})


def test_an_external_worker_appears_on_its_first_beat(db: Db, clock: Clock) -> None:
    assert beat(db, metrics={"vram_free": 12}) == "active"

    row = worker_row(db)
    assert (row["instance_type"], row["status"], row["metadata"]) == ("external", "active", {"vram_free": 12})
    assert row["last_heartbeat"] == clock.now


def test_metrics_are_merged_key_by_key(db: Db, clock: Clock) -> None:
    beat(db, metrics={"vram_free": 12, "load": 0.5})
    clock.advance(seconds=20)

    beat(db, metrics={"load": 0.9})

    assert worker_row(db)["metadata"] == {"vram_free": 12, "load": 0.9}
    assert worker_row(db)["last_heartbeat"] == clock.now


def test_a_beat_without_metrics_keeps_those_of_before(db: Db) -> None:
    beat(db, metrics={"load": 1})

    beat(db)

    assert worker_row(db)["metadata"] == {"load": 1}


def test_an_expected_worker_becomes_active_by_its_first_beat(db: Db) -> None:
    a_worker_that_is(db, "starting")

    assert beat(db) == "active"


@pytest.mark.parametrize("state", [state for state in STATES if state not in ("starting", "terminated")])
def test_a_beat_changes_no_other_state(db: Db, clock: Clock, state: str) -> None:
    a_worker_that_is(db, state)
    clock.advance(seconds=20)

    assert beat(db, metrics={"load": 1}) == state

    assert (worker_row(db)["status"], worker_row(db)["last_heartbeat"]) == (state, clock.now)


def test_a_terminated_worker_stays_so_and_its_beat_leaves_no_trace(db: Db, clock: Clock) -> None:
    a_worker_that_is(db, "terminated")
    before = worker_row(db)
    clock.advance(seconds=20)

    assert beat(db, metrics={"load": 1}) == "terminated"

    assert worker_row(db) == before


@pytest.mark.parametrize("metrics", [[1], "busy", 3, None])
def test_metrics_that_are_not_an_object_are_refused_and_the_old_ones_stay(db: Db, metrics: object) -> None:
    beat(db, metrics={"load": 1})

    with pytest.raises(InvalidInput, match="metadata_is_an_object"):
        beat(db, metrics=Jsonb(metrics))

    assert worker_row(db)["metadata"] == {"load": 1}


def test_a_worker_without_a_name_is_refused(db: Db) -> None:
    with pytest.raises(InvalidInput, match="worker id is missing or empty"):
        beat(db, worker_id="")


def test_a_worker_of_an_org_that_is_not_there_is_not_found(db: Db) -> None:
    with pytest.raises(NotFound):
        beat(db, org_id=uuid4())
