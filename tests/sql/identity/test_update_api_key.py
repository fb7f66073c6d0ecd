"""An API key is renamed, set inactive and active again, and gets another end; what it may do stays the same."""

from datetime import timedelta

import pytest

from tenuto.model.errors import Conflict, Forbidden, InvalidInput, NotFound, Unauthorized
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import an_api_key, hash_of


def update(db: Db, id: object, **more: object) -> None:
    call(db, "update_api_key", **{"org_id": DEFAULT_ORG, "id": id, **more})


def get(db: Db, id: object) -> dict:
    (key,) = call(db, "get_api_key", org_id=DEFAULT_ORG, id=id)
    return key


def find(db: Db, key_id: str) -> object:
    return call(db, "find_api_key", key_id=key_id, hashes=[hash_of(key_id)])


def test_an_inactive_key_is_refused_until_it_is_active_again(db: Db, clock: Clock) -> None:
    id = an_api_key(db, "abcdefghijkl")
    update(db, id, active=False)
    since = clock.now
    clock.advance(hours=1)
    update(db, id, active=False)

    assert get(db, id)["disabled_at"] == since
    with pytest.raises(Unauthorized, match="API key abcdefghijkl is not active"):
        find(db, "abcdefghijkl")
    update(db, id, active=True)
    assert find(db, "abcdefghijkl")
    assert get(db, id)["disabled_at"] is None


def test_what_is_not_passed_stays(db: Db, clock: Clock) -> None:
    end = clock.now + timedelta(days=1)
    id = an_api_key(db, "abcdefghijkl", expires_at=end)
    before = get(db, id)

    update(db, id)
    assert get(db, id) == before
    update(db, id, name="other")
    assert get(db, id) == {**before, "name": "other"}
    update(db, id, never_expires=True)
    assert get(db, id)["expires_at"] is None


def test_wrong_changes_are_refused(db: Db, clock: Clock) -> None:
    id = an_api_key(db, "abcdefghijkl")
    with pytest.raises(InvalidInput, match="in the past"):
        update(db, id, expires_at=clock.now)
    with pytest.raises(InvalidInput, match="the name of a key"):
        update(db, id, name="")
    with pytest.raises(NotFound, match="no API key"):
        update(db, id, org_id=an_org(db, "acme"), active=False)
    call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=id)
    with pytest.raises(Conflict, match="is revoked"):
        update(db, id, active=True)


def test_a_key_changes_only_keys_within_its_own_bounds(db: Db, clock: Clock) -> None:
    soon, later = clock.now + timedelta(days=1), clock.now + timedelta(days=2)
    maker = an_api_key(db, "mmmmmmmmmmmm", permissions=["keys:*", "runs:read"], expires_at=soon)
    reader = an_api_key(db, "rrrrrrrrrrrr", permissions=["runs:read"], expires_at=soon)
    writer = an_api_key(db, "wwwwwwwwwwww", permissions=["runs:*"], expires_at=soon)
    longer = an_api_key(db, "llllllllllll", permissions=["runs:read"], expires_at=later)

    update(db, reader, active=False, by_key=maker)
    for id, change in (
        (writer, {"active": False}),
        (longer, {"active": False}),
        (reader, {"expires_at": later}),
        (reader, {"never_expires": True}),
        (maker, {"expires_at": later}),
    ):
        with pytest.raises(Forbidden):
            update(db, id, by_key=maker, **change)
