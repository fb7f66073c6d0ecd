"""People and their roles."""

from uuid import uuid4

import pytest

from tenuto.model.errors import Conflict, Forbidden, InvalidInput, NotFound
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import ISSUER, a_user


def find(db: Db, subject: str = "ann", issuer: str = ISSUER) -> dict:
    (row,) = call(db, "find_user", issuer=issuer, subject=subject)
    return row


def test_a_person_is_found_by_issuer_and_subject_with_all_they_may_do(db: Db) -> None:
    org = an_org(db, "acme")
    user = a_user(db, org_id=org, platform_role="writer")
    for role in ("sales", "finance"):
        call(db, "create_role", org_id=org, name=role)
        call(db, "add_member", org_id=org, role=role, user_id=user)

    assert find(db) == {"org_id": org, "user_id": user, "platform_role": "writer", "roles": ["finance", "sales"]}


def test_the_same_subject_of_another_issuer_is_somebody_else(db: Db) -> None:
    a_user(db)
    other = call(db, "put_user", org_id=an_org(db, "acme"), issuer="https://other.example", subject="ann")

    assert find(db, issuer="https://other.example")["user_id"] == other != find(db)["user_id"]
    with pytest.raises(Forbidden, match="no user of any org has subject"):
        find(db, issuer="https://third.example")


def test_a_person_is_a_reader_at_first_and_coming_back_changes_no_role(db: Db) -> None:
    user = a_user(db, email="ann@example.com")
    assert find(db)["platform_role"] == "reader"
    call(db, "set_user_role", org_id=DEFAULT_ORG, user_id=user, platform_role="admin")

    assert a_user(db, name="Ann") == user

    (row,) = call(db, "list_users", org_id=DEFAULT_ORG)
    assert (row["platform_role"], row["email"], row["name"]) == ("admin", "ann@example.com", "Ann")


def test_a_disabled_person_comes_in_no_more_until_enabled(db: Db) -> None:
    user = a_user(db)
    call(db, "disable_user", org_id=DEFAULT_ORG, user_id=user)
    call(db, "disable_user", org_id=DEFAULT_ORG, user_id=user)

    with pytest.raises(Forbidden, match="disabled"):
        find(db)
    assert call(db, "list_users", org_id=DEFAULT_ORG)[0]["disabled_at"] is not None

    call(db, "enable_user", org_id=DEFAULT_ORG, user_id=user)
    assert find(db)["user_id"] == user


@pytest.mark.parametrize("function", ["disable_user", "enable_user", "set_user_role"])
def test_nobody_of_another_org_can_be_changed(db: Db, function: str) -> None:
    user = a_user(db, org_id=an_org(db, "acme"))
    more = {"platform_role": "admin"} if function == "set_user_role" else {}

    with pytest.raises(NotFound, match="no user"):
        call(db, function, org_id=DEFAULT_ORG, user_id=user, **more)

    assert find(db)["platform_role"] == "reader"


@pytest.mark.parametrize("role", ["owner", "", "Admin"])
def test_a_platform_role_that_is_none_is_refused(db: Db, role: str) -> None:
    with pytest.raises(InvalidInput, match="reader, writer or admin"):
        call(db, "set_user_role", org_id=DEFAULT_ORG, user_id=a_user(db), platform_role=role)
    with pytest.raises(InvalidInput, match="reader, writer or admin"):
        a_user(db, "bob", platform_role=role)


def test_people_are_listed_newest_first_a_page_at_a_time(db: Db) -> None:
    users = [a_user(db, f"u{no}") for no in range(5)]
    a_user(db, "stranger", org_id=an_org(db, "acme"))

    page = call(db, "list_users", org_id=DEFAULT_ORG, limit=3)
    rest = call(db, "list_users", org_id=DEFAULT_ORG, before=page[-1]["id"])

    assert [row["id"] for row in [*page, *rest]] == users[::-1]
    with pytest.raises(InvalidInput, match="page"):
        call(db, "list_users", org_id=DEFAULT_ORG, limit=201)


def test_a_role_is_given_taken_and_goes_with_all_who_had_it(db: Db) -> None:
    ann, bob = a_user(db, "ann"), a_user(db, "bob")
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance", description="books", display_name="Finance")
    for user in (ann, bob, ann):
        call(db, "add_member", org_id=DEFAULT_ORG, role="finance", user_id=user)
    (role,) = call(db, "list_roles", org_id=DEFAULT_ORG)
    assert (role["name"], role["description"], role["members"]) == ("finance", "books", 2)
    members = call(db, "list_members", org_id=DEFAULT_ORG, role="finance")
    assert [row["user_id"] for row in members] == sorted([ann, bob])

    call(db, "remove_member", org_id=DEFAULT_ORG, role="finance", user_id=ann)
    assert (find(db, "ann")["roles"], find(db, "bob")["roles"]) == ([], ["finance"])

    call(db, "delete_role", org_id=DEFAULT_ORG, name="finance")
    assert find(db, "bob")["roles"] == []
    with pytest.raises(NotFound, match="no role"):
        call(db, "list_members", org_id=DEFAULT_ORG, role="finance")


def test_a_role_exists_once_in_an_org_and_in_each(db: Db) -> None:
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")

    assert call(db, "create_role", org_id=an_org(db, "acme"), name="finance")
    with pytest.raises(Conflict, match="finance exists"):
        call(db, "create_role", org_id=DEFAULT_ORG, name="finance")


def test_what_is_not_there_is_named(db: Db) -> None:
    user, org = a_user(db), an_org(db, "acme")
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")
    call(db, "create_role", org_id=org, name="theirs")

    for wrong, named in [
        ({"role": "nothing", "user_id": user}, "no role 'nothing'"),
        ({"role": "theirs", "user_id": user}, "no role 'theirs'"),
        ({"role": "finance", "user_id": a_user(db, "eve", org_id=org)}, "no user"),
        ({"role": "finance", "user_id": uuid4()}, "no user"),
    ]:
        with pytest.raises(NotFound, match=named):
            call(db, "add_member", org_id=DEFAULT_ORG, **wrong)
    with pytest.raises(NotFound, match="does not have role"):
        call(db, "remove_member", org_id=DEFAULT_ORG, role="finance", user_id=user)
    with pytest.raises(NotFound, match="no role"):
        call(db, "delete_role", org_id=DEFAULT_ORG, name="theirs")


@pytest.mark.parametrize("name", ["", "Finance", "role:finance", "a" * 64, "a b"])
def test_a_role_with_a_name_that_could_not_be_written_is_refused(db: Db, name: str) -> None:
    with pytest.raises(InvalidInput, match="role name"):
        call(db, "create_role", org_id=DEFAULT_ORG, name=name)
