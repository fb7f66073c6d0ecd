"""-> active, with a new session."""

from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput, NotFound, SessionEnded
from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, history, start_one, status
from tests.support.database.workers import worker_row


def test_a_registered_worker_is_active_and_shows_what_it_said(db: Db) -> None:
    a_worker(
        db, labels=["gpu"], languages=["cpp", "python"], address="10.0.0.7", instance_type="ecs", metadata={"vram": 80}
    )

    row = worker_row(db)
    assert (row["status"], row["labels"], row["languages"]) == ("active", ["gpu"], ["cpp", "python"])
    assert (row["address"], row["instance_type"], row["metadata"]) == ("10.0.0.7", "ecs", {"vram": 80})


def test_a_worker_that_comes_back_has_a_new_session_and_the_old_ones_calls_are_refused(db: Db) -> None:
    start_one(db)
    old = a_worker(db)

    new = a_worker(db)

    assert new.session_id != old.session_id
    with pytest.raises(SessionEnded, match=str(old.session_id)):
        old.beat()
    with pytest.raises(SessionEnded):
        old.claim()
    new.beat()
    assert len(new.claim()) == 1


def test_what_the_old_session_held_is_given_back_as_a_loss(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"backoff_seconds": 0})
    a_worker(db).claim_one()
    new = a_worker(db)

    assert status(db, task_id) == "running"
    call(db, "expire_attempts")
    call(db, "promote_due")

    assert new.claim_one().attempt == 2
    assert history(db, task_id) == [(1, "lost")]


@pytest.mark.parametrize("end", ["drain_worker", "fail_worker", "terminate_worker"])
def test_a_worker_that_comes_back_is_active_whatever_it_was(db: Db, end: str) -> None:
    a_worker(db)
    reason = {"fail_worker": {"error": "CUDA"}, "drain_worker": {"reason": "deploy"}}.get(end, {})
    call(db, end, org_id=DEFAULT_ORG, worker_id="w", **reason)

    a_worker(db)

    row = worker_row(db)
    assert row["status"] == "active"
    assert [row[name] for name in ("drained_at", "drain_reason", "error", "terminated_at")] == [None] * 4


def test_what_is_said_on_coming_back_replaces_and_metadata_is_merged(db: Db) -> None:
    a_worker(db, labels=["gpu"], metadata={"vram": 80, "rack": 3})

    a_worker(db, metadata={"vram": 40})

    row = worker_row(db)
    assert (row["labels"], row["metadata"]) == ([], {"vram": 40, "rack": 3})


def test_the_lease_is_as_long_as_was_asked_for(db: Db, clock: Clock) -> None:
    a_worker(db, lease="90 seconds")
    clock.advance(seconds=89)
    assert call(db, "expire_sessions") == 0

    clock.advance(seconds=2)

    assert call(db, "expire_sessions") == 1


def test_two_orgs_have_workers_of_the_same_name(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    first = a_worker(db)

    a_worker(db, org_id=other)

    first.beat()


def test_two_sessions_have_different_tokens_and_a_wrong_token_is_refused(db: Db) -> None:
    worker = a_worker(db)
    assert a_worker(db, "v").token != worker.token
    worker.fence["token"] = uuid4()

    with pytest.raises(SessionEnded):
        worker.beat()


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"worker_id": ""}, "worker id"),
        ({"worker_id": "w" * 257}, "worker id"),
        ({"lease": "0 seconds"}, "lease"),
        ({"lease": "-1 minute"}, "lease"),
        ({"lease": "25 hours"}, "lease"),
        ({"lease": "soon"}, "soon"),
        ({"metadata": Jsonb([1])}, "metadata"),
        ({"metadata": Jsonb({"code_version": "v" * 65})}, "code version of worker w has 65 bytes"),
        ({"languages": []}, "language"),
    ],
)
def test_wrong_values_are_named_and_no_worker_is_made(db: Db, values: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        call(db, "register_worker", **{"org_id": DEFAULT_ORG, "worker_id": "w", **values})

    assert db.execute("select count(*) from tenuto.workers").fetchone() == (0,)


def test_a_worker_of_an_org_that_is_not_there_is_not_found(db: Db) -> None:
    with pytest.raises(NotFound):
        a_worker(db, org_id=uuid4())
