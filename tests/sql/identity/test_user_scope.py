"""A caller neither creates nor changes a user with more permissions than its own; SQL compares them."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from tenuto.model.errors import Conflict, Forbidden, NotFound
from tenuto.model.permissions import PLATFORM_ROLES
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import ISSUER, a_key_id, a_user, a_worker_key, an_api_key


def role_of(db: Db, user: UUID) -> str:
    (row,) = call(db, "get_user", org_id=DEFAULT_ORG, user_id=user)
    return row["platform_role"]


def a_key(db: Db, *permissions: str) -> UUID:
    return an_api_key(db, a_key_id(), permissions=list(permissions))


def set_role(db: Db, user: UUID, role: str, **by: Any) -> str:
    return call(db, "set_user_role", org_id=DEFAULT_ORG, user_id=user, platform_role=role, **by)


@pytest.mark.parametrize("role", list(PLATFORM_ROLES))
def test_sql_and_python_give_a_platform_role_the_same_permissions(db: Db, role: str) -> None:
    assert set(call(db, "_role_permissions", platform_role=role)) == PLATFORM_ROLES[role]


def test_a_role_is_set_and_the_old_one_returned_also_twice(db: Db) -> None:
    user, admin = a_user(db), a_key(db, "*")

    assert [set_role(db, user, "writer", by_key=admin) for _ in range(2)] == ["reader", "writer"]
    assert role_of(db, user) == "writer"


def test_an_operator_is_not_limited(db: Db) -> None:
    user = a_user(db, platform_role="admin")

    assert set_role(db, user, "reader") == "admin"


@pytest.mark.parametrize(("old", "new"), [("admin", "reader"), ("reader", "admin"), ("reader", "writer")])
def test_a_key_without_the_permissions_of_both_roles_changes_no_role(db: Db, old: str, new: str) -> None:
    user = a_user(db, platform_role=old)
    clerk = a_key(db, "users:*", *sorted(PLATFORM_ROLES["reader"]))

    with pytest.raises(Forbidden, match="permissions that you do not have"):
        set_role(db, user, new, by_key=clerk)

    assert role_of(db, user) == old


def test_a_key_with_the_permissions_of_a_writer_makes_writers(db: Db) -> None:
    user, clerk = (
        a_user(db),
        a_key(db, *{permission.partition(":")[0] + ":*" for permission in PLATFORM_ROLES["writer"]}),
    )

    assert set_role(db, user, "writer", by_key=clerk) == "reader"


def test_a_user_changes_other_users_within_their_own_role_and_never_themselves(db: Db) -> None:
    admin, writer = a_user(db, "admin", platform_role="admin"), a_user(db, "writer", platform_role="writer")

    assert set_role(db, writer, "admin", by_user=admin) == "writer"
    assert set_role(db, writer, "writer", by_user=admin) == "admin"
    assert set_role(db, admin, "admin", by_user=admin) == "admin"
    with pytest.raises(Conflict, match="your own platform role"):
        set_role(db, admin, "reader", by_user=admin)
    with pytest.raises(Forbidden):
        set_role(db, admin, "reader", by_user=writer)
    assert (role_of(db, admin), role_of(db, writer)) == ("admin", "writer")


@pytest.mark.parametrize("function", ["disable_user", "enable_user"])
def test_a_user_with_more_permissions_is_neither_disabled_nor_enabled(db: Db, function: str) -> None:
    boss = a_user(db, "boss", platform_role="admin")
    if function == "enable_user":
        call(db, "disable_user", org_id=DEFAULT_ORG, user_id=boss)
    (before,) = call(db, "get_user", org_id=DEFAULT_ORG, user_id=boss)

    with pytest.raises(Forbidden):
        call(db, function, org_id=DEFAULT_ORG, user_id=boss, by_key=a_key(db, "users:*"))

    assert call(db, "get_user", org_id=DEFAULT_ORG, user_id=boss) == [before]


def test_nobody_disables_themselves(db: Db) -> None:
    admin = a_user(db, "admin", platform_role="admin")

    with pytest.raises(Conflict, match="cannot disable yourself"):
        call(db, "disable_user", org_id=DEFAULT_ORG, user_id=admin, by_user=admin)

    call(db, "enable_user", org_id=DEFAULT_ORG, user_id=admin, by_user=admin)


def test_a_key_creates_and_updates_only_users_within_its_permissions(db: Db) -> None:
    boss = a_user(db, "boss", platform_role="admin")
    clerk = a_key(db, "users:*", *sorted(PLATFORM_ROLES["reader"]))

    new = a_user(db, "new", by_key=clerk)
    assert a_user(db, "new", name="New", by_key=clerk) == new
    for subject, role in (("other", "writer"), ("new", "admin"), ("boss", None)):
        with pytest.raises(Forbidden):
            a_user(db, subject, name="changed", by_key=clerk, platform_role=role)
    with pytest.raises(Forbidden):
        a_user(db, "other", by_key=a_key(db, "users:*"))

    rows = call(db, "list_users", org_id=DEFAULT_ORG)
    assert {(row["id"], row["name"], row["platform_role"]) for row in rows} == {
        (new, "New", "reader"),
        (boss, None, "admin"),
    }


def test_a_user_put_again_with_a_role_gets_it(db: Db) -> None:
    user = a_user(db, email="ann@example.com")

    assert a_user(db, platform_role="writer", by_key=a_key(db, "*")) == user
    (row,) = call(db, "get_user", org_id=DEFAULT_ORG, user_id=user)
    assert (row["issuer"], row["email"], row["platform_role"]) == (ISSUER, "ann@example.com", "writer")


def test_a_caller_that_is_not_of_the_org_changes_nothing(db: Db) -> None:
    user, other = a_user(db), an_org(db, "acme")
    foreign = an_api_key(db, a_key_id(), org_id=other, permissions=["*"])

    for by in ({"by_key": foreign}, {"by_user": uuid4()}):
        with pytest.raises(NotFound, match="no API key or user"):
            set_role(db, user, "admin", **by)
    assert role_of(db, user) == "reader"


def test_one_user_is_found_by_id_in_their_org_only(db: Db) -> None:
    user = a_user(db, name="Ann")
    a_user(db, "bob")

    (row,) = call(db, "get_user", org_id=DEFAULT_ORG, user_id=user)
    assert (row["id"], row["name"], row["roles"]) == (user, "Ann", [])
    for org_id, id in ((an_org(db, "acme"), user), (DEFAULT_ORG, uuid4())):
        with pytest.raises(NotFound, match="no user"):
            call(db, "get_user", org_id=org_id, user_id=id)


@pytest.mark.parametrize(("function", "create"), [("get_api_key", an_api_key), ("get_worker_key", a_worker_key)])
def test_one_key_is_found_by_its_public_id_in_its_org_only(db: Db, function: str, create: Callable[..., UUID]) -> None:
    org, other = DEFAULT_ORG, an_org(db, "acme")
    id = create(db, "abcdefghijkl", name="mine")
    create(db, "mnopqrstuvwx")

    (row,) = call(db, function, org_id=org, key_id="abcdefghijkl")
    assert (row["id"], row["name"]) == (id, "mine")
    for org_id, key_id in ((other, "abcdefghijkl"), (org, "lkjihgfedcba")):
        with pytest.raises(NotFound, match=r"no .* key"):
            call(db, function, org_id=org_id, key_id=key_id)
