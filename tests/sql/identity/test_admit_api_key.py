"""admit_api_key: who it is and whether they may ask now, in one call."""

import psycopg
import pytest

from tests.support.database.tasks import DEFAULT_ORG, Db
from tests.support.database.users import a_key_id, an_api_key, hash_of
from tests.support.postgres.server import connect_as

ADMIT = "select org_id, id, permissions, allowed, retry_after from tenuto.admit_api_key(%s, %s, %s, %s)"


def admit(db: Db, key_id: str, *, hash: bytes | None = None, burst: float = 2.0) -> tuple:
    found = db.execute(ADMIT, [key_id, [hash or hash_of(key_id)], [0.01, 100.0], [burst, 100.0]]).fetchone()
    assert found is not None
    return found


def test_a_key_is_admitted_until_its_tokens_are_gone(database: str, db: Db) -> None:
    key_id = a_key_id()
    id = an_api_key(db, key_id, permissions=["runs:read"])

    with connect_as(database, "tenuto_api") as api:
        answers = [admit(api, key_id) for _ in range(3)]

    assert answers[0] == (DEFAULT_ORG, id, ["runs:read"], True, 0)
    assert [one[3] for one in answers] == [True, True, False]
    assert 0 < answers[2][4] <= 100


def test_the_org_is_the_transactions_alone(database: str, db: Db) -> None:
    key_id = a_key_id()
    an_api_key(db, key_id)

    with connect_as(database, "tenuto_api") as api:
        admit(api, key_id)
        seen = api.execute("select count(*) from tenuto.rate_buckets").fetchone()

    assert seen == (0,)


def test_a_wrong_key_is_refused_and_takes_no_token(database: str, db: Db) -> None:
    key_id = a_key_id()
    an_api_key(db, key_id)

    with connect_as(database, "tenuto_api") as api, pytest.raises(psycopg.Error, match="no such API key") as refused:
        admit(api, key_id, hash=hash_of("guess"))

    assert refused.value.sqlstate == "TN008"
    assert db.execute("select count(*) from tenuto.rate_buckets").fetchone() == (0,)


def test_workers_cannot_ask_whose_key_it_is(database: str, db: Db) -> None:
    key_id = a_key_id()
    an_api_key(db, key_id)

    with connect_as(database, "tenuto_worker") as worker, pytest.raises(psycopg.errors.InsufficientPrivilege):
        admit(worker, key_id)
