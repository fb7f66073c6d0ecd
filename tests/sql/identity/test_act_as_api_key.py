"""act_as_api_key: the rest of the transaction acts for the org of a key that is valid at that moment."""

import psycopg
import pytest

from tests.support.database.tasks import DEFAULT_ORG, Db
from tests.support.database.users import a_key_id, an_api_key, hash_of
from tests.support.postgres.server import connect_as

ACT = "select tenuto.act_as_api_key(%s, %s, %s)"
SEEN = "select current_setting('tenuto.org_id', true)"


def act(db: Db, key_id: str, permission: str | None, *, hash: bytes | None = None) -> object:
    (org,) = db.execute(ACT, [key_id, [hash or hash_of(key_id)], permission]).fetchone() or (None,)
    return org


@pytest.mark.parametrize("permissions", [["runs:read"], ["runs:*"], ["*"], ["keys:read", "runs:read"]])
def test_a_key_with_the_permission_acts_for_its_org(database: str, db: Db, permissions: list[str]) -> None:
    key_id = a_key_id()
    an_api_key(db, key_id, permissions=permissions)

    with connect_as(database, "tenuto_api") as api, api.transaction():
        assert act(api, key_id, "runs:read") == DEFAULT_ORG
        assert api.execute(SEEN).fetchone() == (str(DEFAULT_ORG),)


@pytest.mark.parametrize("permissions", [["runs:write"], ["tasks:*"], ["tasks:read"]])
def test_a_key_without_the_permission_does_not(database: str, db: Db, permissions: list[str]) -> None:
    key_id = a_key_id()
    an_api_key(db, key_id, permissions=permissions)

    with connect_as(database, "tenuto_api") as api, pytest.raises(psycopg.Error, match="runs:read") as refused:
        act(api, key_id, "runs:read")
    assert refused.value.sqlstate == "TN009"


def test_any_key_will_do_where_no_permission_is_asked(database: str, db: Db) -> None:
    key_id = a_key_id()
    an_api_key(db, key_id, permissions=["tasks:read"])

    with connect_as(database, "tenuto_api") as api:
        assert act(api, key_id, None) == DEFAULT_ORG


def test_a_key_that_was_revoked_or_guessed_acts_for_nobody(database: str, db: Db) -> None:
    key_id = a_key_id()
    id = an_api_key(db, key_id, permissions=["*"])

    with connect_as(database, "tenuto_api") as api:
        with pytest.raises(psycopg.Error, match="no such API key"):
            act(api, key_id, "runs:read", hash=hash_of("guess"))
        db.execute("select tenuto.revoke_api_key(%s, %s)", [DEFAULT_ORG, id])
        with pytest.raises(psycopg.Error, match="revoked") as refused:
            act(api, key_id, "runs:read")
    assert refused.value.sqlstate == "TN008"


def test_it_ends_with_the_transaction(database: str, db: Db) -> None:
    key_id = a_key_id()
    an_api_key(db, key_id, permissions=["*"])

    with connect_as(database, "tenuto_api") as api:
        act(api, key_id, "runs:read")
        assert api.execute(SEEN).fetchone() in [("",), (None,)]
