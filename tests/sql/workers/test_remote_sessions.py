"""register_worker with a worker key: for its queues, and nobody else's living session is ended by it."""

from datetime import timedelta

import pytest

from tenuto.model.errors import Conflict, Forbidden, NotFound
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.remote_workers import a_remote_worker
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.database.users import a_key_id, a_worker_key, hash_of


def test_a_session_may_claim_from_fewer_queues_than_its_key_but_not_from_others(db: Db) -> None:
    key = a_worker_key(db, a_key_id(), queues=["mail", "gpu"])

    a_remote_worker(db, key=key, queues=["gpu"])

    for wrong in (["gpu", "billing"], None):
        with pytest.raises(Forbidden, match="it allows mail, gpu"):
            a_remote_worker(db, key=key, queues=wrong)


def test_a_key_for_all_queues_opens_sessions_for_any(db: Db) -> None:
    key = a_worker_key(db, a_key_id(), queues=["*"])

    a_remote_worker(db, "a", key=key)
    a_remote_worker(db, "b", key=key, queues=["mail"])


def test_another_orgs_key_opens_no_session_here(db: Db) -> None:
    key = a_worker_key(db, a_key_id(), org_id=an_org(db, "other"))

    with pytest.raises(NotFound):
        a_remote_worker(db, key=key)


def test_a_worker_that_comes_back_with_its_key_ends_its_old_session(db: Db) -> None:
    old = a_remote_worker(db)
    new = a_remote_worker(db, key=old.key)

    assert old.exchange()["session_ended"] is True
    assert new.exchange()["session_ended"] is False


def test_a_name_that_is_taken_by_a_direct_worker_or_another_key_is_refused(db: Db) -> None:
    a_worker(db, "near")
    a_remote_worker(db, "far")

    for name in ("near", "far"):
        with pytest.raises(Conflict, match="exists already"):
            a_remote_worker(db, name)


def test_after_a_rotation_the_new_key_takes_over_the_name(db: Db) -> None:
    old = a_remote_worker(db)
    new_id = a_key_id()
    made = {"key_id": new_id, "hash": hash_of(new_id), "created_by": "ann"}
    new = call(db, "rotate_worker_key", org_id=DEFAULT_ORG, id=old.key, **made)

    assert old.exchange()["session_ended"] is False
    a_remote_worker(db, key=new)
    assert old.exchange()["session_ended"] is True


def test_the_name_of_a_worker_whose_key_or_lease_is_over_is_free(db: Db, clock: Clock) -> None:
    revoked = a_remote_worker(db, "revoked")
    call(db, "revoke_worker_key", org_id=DEFAULT_ORG, id=revoked.key)
    expiring = a_worker_key(db, a_key_id(), expires_at=clock.now + timedelta(hours=1))
    a_remote_worker(db, "expired", key=expiring, lease="1 day")
    a_remote_worker(db, "silent", lease="60 seconds")
    clock.advance(hours=2)

    for name in ("revoked", "expired", "silent"):
        a_remote_worker(db, name)
