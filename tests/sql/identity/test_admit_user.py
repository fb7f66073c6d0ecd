"""admit_user and admit_login: who it is and whether they may ask now, in one call."""

from typing import Any
from uuid import UUID

import pytest

from tenuto.model.errors import Forbidden, Unauthorized
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import ISSUER, a_user, hash_of
from tests.support.postgres.server import connect_as

LIMITS = {"rates": [0.01, 100.0], "bursts": [2.0, 100.0]}
BY_TOKEN = ("admit_user", {"issuer": ISSUER, "subject": "ann"})
BY_COOKIE = ("admit_login", {"hash": hash_of("cookie")})


@pytest.fixture
def ann(db: Db) -> UUID:
    user = a_user(db, platform_role="writer")
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")
    call(db, "add_member", org_id=DEFAULT_ORG, role="finance", user_id=user)
    call(db, "open_login", org_id=DEFAULT_ORG, user_id=user, hash=hash_of("cookie"))
    return user


@pytest.mark.parametrize("way", [BY_TOKEN, BY_COOKIE], ids=["token", "cookie"])
def test_a_person_is_admitted_until_their_tokens_are_gone(database: str, ann: UUID, way: tuple[str, Any]) -> None:
    with connect_as(database, "tenuto_api") as api:
        answers = [call(api, way[0], **way[1], **LIMITS)[0] for _ in range(3)]
        seen = api.execute("select count(*) from tenuto.rate_buckets").fetchone()

    first = answers[0]
    assert (first["org_id"], first["user_id"], first["platform_role"]) == (DEFAULT_ORG, ann, "writer")
    assert (first["roles"], first["retry_after"]) == (["finance"], 0)
    assert [one["allowed"] for one in answers] == [True, True, False]
    assert 0 < answers[2]["retry_after"] <= 100
    assert seen == (0,), "the org is the transaction's alone"


@pytest.mark.parametrize("way", [BY_TOKEN, BY_COOKIE], ids=["token", "cookie"])
def test_who_is_disabled_is_not_admitted(db: Db, ann: UUID, way: tuple[str, Any]) -> None:
    call(db, "disable_user", org_id=DEFAULT_ORG, user_id=ann)

    with pytest.raises((Unauthorized, Forbidden)):
        call(db, way[0], **way[1], **LIMITS)


def test_token_and_cookie_of_a_person_share_their_limit(db: Db, ann: UUID) -> None:
    answers = [call(db, way[0], **way[1], **LIMITS)[0]["allowed"] for way in (BY_TOKEN, BY_COOKIE, BY_TOKEN)]

    assert answers == [True, True, False]
