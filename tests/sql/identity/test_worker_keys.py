"""Worker keys: bound to an org and to queues."""

from datetime import timedelta

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound, Unauthorized
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import a_worker_key, an_api_key, hash_of


def find(db: Db, key_id: str) -> dict:
    (row,) = call(db, "find_worker_key", key_id=key_id, hashes=[hash_of(key_id)])
    return row


def rotate(db: Db, key: object, new: str, **more: object) -> object:
    made = {"key_id": new, "hash": hash_of(new), "created_by": "bob"}
    return call(db, "rotate_worker_key", **{"org_id": DEFAULT_ORG, "id": key, **made, **more})


def test_a_key_says_whose_it_is_and_where_it_may_claim(db: Db, clock: Clock) -> None:
    org = an_org(db, "acme")
    key = a_worker_key(db, "abcdefghijkl", org_id=org, queues=["mail", "gpu"])

    assert find(db, "abcdefghijkl") == {"org_id": org, "id": key, "name": "fleet", "queues": ["mail", "gpu"]}
    (row,) = call(db, "list_worker_keys", org_id=org)
    assert (row["last_used_at"], row["queues"]) == (clock.now, ["mail", "gpu"])
    assert "hash" not in row


def test_a_worker_key_and_an_api_key_never_stand_in_for_each_other(db: Db) -> None:
    a_worker_key(db, "abcdefghijkl")
    an_api_key(db, "ABCDEFGHIJKL")

    with pytest.raises(Unauthorized):
        find(db, "ABCDEFGHIJKL")
    with pytest.raises(Unauthorized):
        call(db, "find_api_key", key_id="abcdefghijkl", hashes=[hash_of("abcdefghijkl")])


def test_a_revoked_or_expired_key_lets_no_worker_in(db: Db, clock: Clock) -> None:
    revoked = a_worker_key(db, "revokedrevok")
    a_worker_key(db, "expiredexpir", expires_at=clock.now + timedelta(hours=1))
    assert [call(db, "revoke_worker_key", org_id=DEFAULT_ORG, id=revoked) for _ in range(2)] == [True, False]
    clock.advance(hours=1)

    with pytest.raises(Unauthorized, match="revoked"):
        find(db, "revokedrevok")
    with pytest.raises(Unauthorized, match="expired"):
        find(db, "expiredexpir")


def test_workers_move_to_the_new_key_while_the_old_one_still_works(db: Db, clock: Clock) -> None:
    old = a_worker_key(db, "oldoldoldold", queues=["mail"])

    new = rotate(db, old, "newnewnewnew", overlap="1 hour")

    assert find(db, "newnewnewnew") == {**find(db, "oldoldoldold"), "id": new}
    with pytest.raises(Conflict, match="replaced by"):
        rotate(db, old, "newnewnewne2")
    clock.advance(hours=1)
    with pytest.raises(Unauthorized, match="expired"):
        find(db, "oldoldoldold")


@pytest.mark.parametrize("overlap", ["-1 second", "91 days"])
def test_an_overlap_that_is_none_is_refused(db: Db, overlap: str) -> None:
    old = a_worker_key(db, "oldoldoldold")

    with pytest.raises(InvalidInput, match="overlap"):
        rotate(db, old, "newnewnewnew", overlap=overlap)


def test_a_key_of_another_org_is_not_found(db: Db) -> None:
    key = a_worker_key(db, "abcdefghijkl", org_id=an_org(db, "acme"))

    with pytest.raises(NotFound):
        call(db, "revoke_worker_key", org_id=DEFAULT_ORG, id=key)
    with pytest.raises(NotFound):
        rotate(db, key, "newnewnewnew")


@pytest.mark.parametrize("queues", [[], [""], ["q" * 257]])
def test_a_key_for_no_queue_is_refused(db: Db, queues: list[str]) -> None:
    with pytest.raises(InvalidInput, match="queue"):
        a_worker_key(db, "abcdefghijkl", queues=queues)
