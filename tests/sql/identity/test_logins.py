"""A person's visit: by cookie, and by a link that works once."""

from datetime import timedelta

import pytest

from tenuto.model.errors import Conflict, Forbidden, InvalidInput, NotFound, Unauthorized
from tests.support.clock import Clock
from tests.support.database.loops import an_org, value
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import a_user, hash_of

COOKIE = hash_of("cookie")


def enter(db: Db, user: object, **more: object) -> object:
    return call(db, "open_login", **{"org_id": DEFAULT_ORG, "user_id": user, "hash": COOKIE, **more})


def find(db: Db) -> dict:
    (row,) = call(db, "find_login", hash=COOKIE)
    return row


def test_a_cookie_says_who_is_in_and_until_when(db: Db, clock: Clock) -> None:
    user = a_user(db, platform_role="admin")

    assert enter(db, user, lasts="1 hour") == clock.now + timedelta(hours=1)

    assert find(db) == {
        "org_id": DEFAULT_ORG, "user_id": user, "platform_role": "admin", "roles": [],
        "expires_at": clock.now + timedelta(hours=1),
    }  # fmt: skip


def test_a_login_ends_at_its_time(db: Db, clock: Clock) -> None:
    enter(db, a_user(db), lasts="1 hour")
    clock.advance(hours=1)

    with pytest.raises(Unauthorized, match="login has expired or was closed"):
        find(db)


def test_who_goes_out_is_out_and_may_go_out_twice(db: Db) -> None:
    enter(db, a_user(db))

    call(db, "close_login", hash=COOKIE)
    call(db, "close_login", hash=COOKIE)

    with pytest.raises(Unauthorized):
        find(db)


def test_being_seen_is_written_at_most_once_a_minute(db: Db, clock: Clock) -> None:
    enter(db, a_user(db))
    first = clock.now
    clock.advance(seconds=60)
    find(db)
    assert value(db, "select last_seen_at from tenuto.login_sessions") == first

    clock.advance(seconds=1)
    find(db)

    assert value(db, "select last_seen_at from tenuto.login_sessions") == clock.now


def test_a_disabled_person_is_thrown_out_and_does_not_come_back(db: Db) -> None:
    user = a_user(db)
    enter(db, user)
    call(db, "make_login_token", org_id=DEFAULT_ORG, user_id=user, hash=hash_of("link"))

    call(db, "disable_user", org_id=DEFAULT_ORG, user_id=user)

    with pytest.raises(Unauthorized):
        find(db)
    with pytest.raises(Unauthorized):
        call(db, "use_login_token", hash=hash_of("link"))
    with pytest.raises(Forbidden):
        enter(db, user)
    with pytest.raises(NotFound):
        call(db, "make_login_token", org_id=DEFAULT_ORG, user_id=user, hash=hash_of("link"))


def test_a_demoted_admin_is_no_admin_from_the_next_request_on(db: Db) -> None:
    user = a_user(db, platform_role="admin")
    enter(db, user)

    call(db, "set_user_role", org_id=DEFAULT_ORG, user_id=user, platform_role="reader")

    assert find(db)["platform_role"] == "reader"


@pytest.mark.parametrize("lasts", ["0 seconds", "-1 hour", "31 days"])
def test_a_login_that_never_is_or_never_ends_is_refused(db: Db, lasts: str) -> None:
    with pytest.raises(InvalidInput, match="of a login is not between 0 and 30 days"):
        enter(db, a_user(db), lasts=lasts)


def test_nobody_is_let_in_for_another_org(db: Db) -> None:
    stranger = a_user(db, org_id=an_org(db, "acme"))

    with pytest.raises(Forbidden):
        enter(db, stranger)
    with pytest.raises(NotFound):
        call(db, "make_login_token", org_id=DEFAULT_ORG, user_id=stranger, hash=hash_of("link"))


def test_a_cookie_is_used_for_one_login(db: Db) -> None:
    enter(db, a_user(db))

    with pytest.raises(Conflict):
        enter(db, a_user(db, "bob"))


def test_a_link_lets_its_person_in_once(db: Db) -> None:
    user = a_user(db)
    call(db, "make_login_token", org_id=DEFAULT_ORG, user_id=user, hash=hash_of("link"))

    assert call(db, "use_login_token", hash=hash_of("link")) == [{"org_id": DEFAULT_ORG, "user_id": user}]

    with pytest.raises(Unauthorized, match="already used"):
        call(db, "use_login_token", hash=hash_of("link"))


def test_a_link_is_soon_too_old(db: Db, clock: Clock) -> None:
    call(db, "make_login_token", org_id=DEFAULT_ORG, user_id=a_user(db), hash=hash_of("link"), lasts="1 minute")
    clock.advance(minutes=1)

    with pytest.raises(Unauthorized, match="has expired"):
        call(db, "use_login_token", hash=hash_of("link"))


def test_a_link_that_would_last_is_refused(db: Db) -> None:
    with pytest.raises(InvalidInput, match="of a login link is not between 0 and 1 day"):
        call(db, "make_login_token", org_id=DEFAULT_ORG, user_id=a_user(db), hash=hash_of("l"), lasts="2 days")
