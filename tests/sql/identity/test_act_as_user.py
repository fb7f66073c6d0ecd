"""act_as_user: the rest of the transaction acts for the org of a person who is still what they were let in as."""

from uuid import UUID

import psycopg
import pytest

from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import a_user
from tests.support.postgres.server import connect_as

ACT = "select tenuto.act_as_user(%s, %s, %s)"
SEEN = "select current_setting('tenuto.org_id', true)"


def act(db: Db, user_id: UUID, platform_role: str, *, org_id: UUID = DEFAULT_ORG) -> object:
    (org,) = db.execute(ACT, [org_id, user_id, platform_role]).fetchone() or (None,)
    return org


def test_a_person_acts_for_their_org_until_the_transaction_ends(database: str, db: Db) -> None:
    ann = a_user(db, platform_role="writer")

    with connect_as(database, "tenuto_api") as api:
        with api.transaction():
            assert act(api, ann, "writer") == DEFAULT_ORG
            assert api.execute(SEEN).fetchone() == (str(DEFAULT_ORG),)
        assert api.execute(SEEN).fetchone() == ("",)


@pytest.mark.parametrize(
    ("verb", "more"),
    [("disable_user", {}), ("set_user_role", {"platform_role": "reader"})],
    ids=["disabled", "demoted"],
)
def test_who_is_not_what_they_were_acts_for_nobody(database: str, db: Db, verb: str, more: dict[str, str]) -> None:
    ann = a_user(db, platform_role="admin")
    call(db, verb, org_id=DEFAULT_ORG, user_id=ann, **more)

    with (
        connect_as(database, "tenuto_api") as api,
        pytest.raises(psycopg.Error, match="no longer has the role admin") as refused,
    ):
        act(api, ann, "admin")
    assert refused.value.sqlstate == "TN009"


def test_a_person_of_another_org_acts_for_nobody(database: str, db: Db) -> None:
    ann, other = a_user(db, platform_role="admin"), call(db, "create_org", slug="other")

    with connect_as(database, "tenuto_api") as api, pytest.raises(psycopg.Error, match="no longer has the role admin"):
        act(api, ann, "admin", org_id=other)
