"""A key that makes, rotates or revokes keys stays within what it may do itself, and within its own time."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from tenuto.model.errors import Forbidden, NotFound
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import a_key_id, a_worker_key, an_api_key, hash_of

ROTATE = ("rotate_api_key", "rotate_worker_key")
HANDS = ["keys:write", "workers:write", "runs:*"]


def a_maker(db: Db, clock: Clock, *, permissions: list[str] = HANDS, days: int | None = 7) -> UUID:
    end = None if days is None else clock.now + timedelta(days=days)
    return an_api_key(db, a_key_id(), name="maker", permissions=permissions, expires_at=end)


def end_of(db: Db, id: UUID, table: str = "api") -> Any:
    (found,) = [one for one in call(db, f"list_{table}_keys", org_id=DEFAULT_ORG) if one["id"] == id]
    return found["expires_at"]


def act(db: Db, function: str, id: UUID, by_key: UUID) -> Any:
    new = a_key_id()
    made = {"key_id": new, "hash": hash_of(new), "created_by": "ann"} if function in ROTATE else {}
    return call(db, function, org_id=DEFAULT_ORG, id=id, by_key=by_key, **made)


@pytest.mark.parametrize("make", [an_api_key, a_worker_key])
@pytest.mark.parametrize("days", [None, 8])
def test_a_key_that_expires_makes_none_that_outlives_it(db: Db, clock: Clock, make: Any, days: int | None) -> None:
    maker = a_maker(db, clock)
    end = None if days is None else clock.now + timedelta(days=days)

    with pytest.raises(
        Forbidden, match=r"'maker', which expires at .*, cannot create or change keys that expire later"
    ) as refused:
        make(db, a_key_id(), expires_at=end, by_key=maker)

    assert f"pass expires_at {clock.now + timedelta(days=7):%Y-%m-%dT%H:%M:%SZ} or earlier" in str(refused.value.hint)


@pytest.mark.parametrize("make", [an_api_key, a_worker_key])
def test_a_key_makes_one_that_ends_when_it_does(db: Db, clock: Clock, make: Any) -> None:
    assert make(db, a_key_id(), expires_at=clock.now + timedelta(days=7), by_key=a_maker(db, clock))
    assert make(db, a_key_id(), by_key=a_maker(db, clock, days=None))


@pytest.mark.parametrize("asked", ["*", "runs:*", "runs:write", "tasks:read"])
def test_a_key_makes_none_that_may_more(db: Db, clock: Clock, asked: str) -> None:
    maker = a_maker(db, clock, permissions=["keys:write", "runs:read"], days=None)

    with pytest.raises(Forbidden, match="exceeds the permissions of API key 'maker'") as refused:
        an_api_key(db, a_key_id(), permissions=["runs:read", asked], by_key=maker)

    assert refused.value.hint == "it has keys:write, runs:read; ask an admin of your org for more"


@pytest.mark.parametrize("asked", ["runs:*", "runs:delete"])
def test_a_key_that_writes_runs_neither_makes_nor_rotates_one_that_deletes_them(
    db: Db, clock: Clock, asked: str
) -> None:
    maker = a_maker(db, clock, permissions=["keys:write", "runs:read", "runs:write"], days=None)
    strong = an_api_key(db, a_key_id(), permissions=[asked])

    for attempt in (
        lambda: an_api_key(db, a_key_id(), permissions=[asked], by_key=maker),
        lambda: act(db, "rotate_api_key", strong, maker),
    ):
        with pytest.raises(Forbidden, match=re.escape(f"{asked} exceeds the permissions of API key 'maker'")):
            attempt()


def test_a_key_with_each_permission_on_runs_makes_one_with_all_of_them(db: Db, clock: Clock) -> None:
    maker = a_maker(db, clock, permissions=["keys:write", "runs:read", "runs:write", "runs:delete"], days=None)

    assert an_api_key(db, a_key_id(), permissions=["runs:*"], by_key=maker)


@pytest.mark.parametrize("asked", ["runs:*", "runs:delete", "runs:read", "tasks:*", "keys:write"])
def test_a_key_makes_one_that_may_what_it_may(db: Db, clock: Clock, asked: str) -> None:
    maker = a_maker(db, clock, permissions=["keys:write", "runs:*", "tasks:read", "tasks:write"], days=None)

    assert an_api_key(db, a_key_id(), permissions=[asked], by_key=maker)


@pytest.mark.parametrize("function", ["rotate_api_key", "revoke_api_key"])
def test_a_key_neither_rotates_nor_revokes_one_that_may_more(db: Db, clock: Clock, function: str) -> None:
    maker = a_maker(db, clock, permissions=["keys:write"], days=None)
    strong = an_api_key(db, a_key_id(), permissions=["*"])

    with pytest.raises(Forbidden, match=r"\* exceeds the permissions of API key 'maker'"):
        act(db, function, strong, maker)

    assert end_of(db, strong) is None
    assert [one["revoked_at"] for one in call(db, "list_api_keys", org_id=DEFAULT_ORG)] == [None, None]


@pytest.mark.parametrize("function", ["rotate_api_key", "revoke_api_key", "rotate_worker_key", "revoke_worker_key"])
def test_a_key_neither_rotates_nor_revokes_one_that_outlives_it(db: Db, clock: Clock, function: str) -> None:
    make = an_api_key if "api" in function else a_worker_key
    lasting = make(db, a_key_id())

    with pytest.raises(Forbidden, match="cannot create or change keys that expire later"):
        act(db, function, lasting, a_maker(db, clock))


@pytest.mark.parametrize("function", ["rotate_worker_key", "revoke_worker_key"])
def test_a_key_that_may_not_look_after_workers_touches_no_key_of_one(db: Db, clock: Clock, function: str) -> None:
    with pytest.raises(Forbidden, match="workers:write exceeds the permissions"):
        act(db, function, a_worker_key(db, a_key_id()), a_maker(db, clock, permissions=["keys:*"], days=None))


@pytest.mark.parametrize("table", ["api", "worker"])
def test_a_key_rotates_and_revokes_within_its_reach_and_the_new_one_ends_with_it(
    db: Db, clock: Clock, table: str
) -> None:
    make = an_api_key if table == "api" else a_worker_key
    other = make(db, a_key_id(), expires_at=clock.now + timedelta(days=6))
    maker = a_maker(db, clock)
    clock.advance(days=5)

    new = act(db, f"rotate_{table}_key", other, maker)

    assert end_of(db, new, table) == clock.now + timedelta(days=2)
    act(db, f"revoke_{table}_key", other, maker)


def test_a_key_that_rotates_itself_gains_no_time(db: Db, clock: Clock) -> None:
    maker = a_maker(db, clock)
    end = clock.now + timedelta(days=7)
    clock.advance(days=5)

    assert end_of(db, act(db, "rotate_api_key", maker, maker)) == end


def test_a_key_of_another_org_is_no_maker(db: Db) -> None:
    stranger = an_api_key(db, a_key_id(), org_id=an_org(db, "acme"), permissions=["*"])

    with pytest.raises(NotFound, match="no API key"):
        an_api_key(db, a_key_id(), by_key=stranger)
