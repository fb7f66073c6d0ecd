"""admit_worker_key: who it is and whether they may ask now, in one call."""

import pytest

from tenuto.model.errors import Unauthorized
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import a_key_id, a_worker_key, hash_of
from tests.support.postgres.server import connect_as


def admit(db: Db, key_id: str, *, hash: bytes | None = None, burst: float = 2.0) -> dict:
    (row,) = call(db, "admit_worker_key", key_id=key_id, hashes=[hash or hash_of(key_id)], rate=0.01, burst=burst)
    return row


def test_a_key_is_admitted_until_its_tokens_are_gone(database: str, db: Db) -> None:
    key_id = a_key_id()
    id = a_worker_key(db, key_id, queues=["mail"])

    with connect_as(database, "tenuto_api") as api:
        answers = [admit(api, key_id) for _ in range(3)]

    assert (answers[0]["org_id"], answers[0]["id"], answers[0]["queues"]) == (DEFAULT_ORG, id, ["mail"])
    assert [one["allowed"] for one in answers] == [True, True, False]
    assert 0 < answers[2]["retry_after"] <= 100


def test_what_people_ask_does_not_keep_a_worker_from_asking(db: Db) -> None:
    key_id = a_key_id()
    a_worker_key(db, key_id)
    call(db, "take_tokens", org_id=DEFAULT_ORG, buckets=["org"], rates=[0.01], bursts=[1.0])

    assert admit(db, key_id)["allowed"] is True


def test_a_wrong_key_is_refused_and_takes_no_token(database: str, db: Db) -> None:
    key_id = a_key_id()
    a_worker_key(db, key_id)

    with connect_as(database, "tenuto_api") as api, pytest.raises(Unauthorized, match="no such worker key"):
        admit(api, key_id, hash=hash_of("guess"))

    assert db.execute("select count(*) from tenuto.rate_buckets").fetchone() == (0,)
