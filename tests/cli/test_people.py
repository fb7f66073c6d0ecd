"""`users`, `roles`, `orgs` and `groups`: who belongs where, and as what."""

from collections.abc import Callable
from typing import Any

from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import ISSUER
from tests.support.http.both_ways import run_here as tenuto

Asked = Callable[..., Any]
ANN = ("users", "add", "--issuer", ISSUER, "--subject", "ann", "--email", "ann@example.com")


def done(db: Db, entity: str, org_id: Any = DEFAULT_ORG) -> list[str]:
    """What was done to such things, as the audit log has it, oldest first."""
    return [entry["action"] for entry in reversed(call(db, "list_audit", org_id=org_id, entity=entity))]


def test_a_person_is_let_in_promoted_disabled_and_let_in_again(db: Db, asked: Asked) -> None:
    id = asked(*ANN)["id"]
    assert asked(*ANN)["id"] == id
    asked("users", "role", id, "admin")
    asked("users", "disable", id)
    disabled = asked("users", "show", id)
    asked("users", "enable", id)

    (ann,) = asked("users", "list")["users"]
    assert (disabled["platform_role"], disabled["disabled_at"] is not None) == ("admin", True)
    assert (ann["email"], ann["disabled_at"]) == ("ann@example.com", None)
    assert done(db, "user") == ["put", "put", "role", "disable", "enable"]
    (promoted,) = call(db, "list_audit", org_id=DEFAULT_ORG, action="role")
    assert promoted["changes"] == {"platform_role": {"old": "reader", "new": "admin"}}


def test_a_user_is_named_by_a_subject_that_is_a_uuid_but_not_by_a_name_that_is_one(asked: Asked) -> None:
    subject = "0f8fad5b-d9cb-469f-a165-70867728950e"
    ann = asked(*ANN)["id"]
    of_keycloak = asked("users", "add", "--issuer", ISSUER, "--subject", subject)["id"]
    asked("users", "add", "--issuer", ISSUER, "--subject", "eve", "--name", ann)

    assert asked("users", "show", subject)["id"] == of_keycloak
    assert asked("users", "show", ann)["id"] == ann


def test_a_user_is_named_by_what_people_see(asked: Asked, database: str) -> None:
    ann = asked(*ANN, "--name", "Ann Lee")["id"]
    asked("users", "add", "--issuer", ISSUER, "--subject", "bob", "--email", "bob@example.com", "--name", "Bob")
    for name in (ann, "ann lee", "Ann@example.com", "ann"):
        assert asked("users", "show", name)["id"] == ann
    asked("users", "role", "ann", "writer")
    asked("roles", "create", "finance")
    asked("roles", "add", "finance", "Ann Lee")
    asked("users", "disable", "bob")
    assert asked("users", "link", "ann")["link"].startswith("http://127.0.0.1:8080/auth/link?token=")

    other = asked("users", "add", "--issuer", "https://other.example", "--subject", "ann", "--email", "ann@o.example")
    ambiguous = tenuto("users", "link", "ann", TENUTO_DATABASE_URL=database)
    unknown = tenuto("roles", "add", "finance", "ann@exmaple.com", TENUTO_DATABASE_URL=database)

    assert (asked("users", "show", ann)["platform_role"], asked("users", "show", ann)["roles"]) == (
        "writer",
        ["finance"],
    )
    assert (ambiguous.returncode, unknown.returncode) == (2, 2)
    assert "several users are called 'ann': " in ambiguous.stderr
    assert f"{other['id']} (ann@o.example)" in ambiguous.stderr
    assert f"{ann} (ann@example.com); write the id" in ambiguous.stderr
    assert "no user has the id, name, email address or subject 'ann@exmaple.com'; did you mean ann@" in unknown.stderr


def test_roles_are_made_given_taken_and_deleted(db: Db, asked: Asked) -> None:
    ann = asked(*ANN)["id"]
    asked("roles", "create", "finance", "--description", "sees the books")
    asked("roles", "add", "finance", ann)
    assert asked("users", "show", ann)["roles"] == ["finance"]
    assert [one["user_id"] for one in asked("roles", "members", "finance")["members"]] == [ann]
    assert [(one["name"], one["members"]) for one in asked("roles", "list")["roles"]] == [("finance", 1)]

    asked("roles", "remove", "finance", ann)
    asked("roles", "delete", "finance")

    assert asked("roles", "list") == {"roles": []}
    assert done(db, "role") == ["create", "add", "remove", "delete"]


def test_an_org_is_made_and_what_is_said_of_it_changes_with_its_old_value_written_down(db: Db, asked: Asked) -> None:
    id = asked("orgs", "create", "acme", "--name", "Acme")["id"]
    asked("orgs", "set", "acme", "--retention-days", "7")

    acme = asked("orgs", "show", "acme")
    assert (acme["id"], acme["name"], acme["settings"]) == (id, "Acme", {"retention_days": 7})
    assert [org["slug"] for org in asked("orgs", "list")["orgs"]] == ["acme", "default"]
    assert done(db, "org", id) == ["create", "set"]
    (change,) = call(db, "list_audit", org_id=id, action="set")
    assert change["changes"] == {"settings": {"old": {}, "new": {"retention_days": 7}}}


def test_a_resource_group_is_set_listed_and_deleted(db: Db, asked: Asked) -> None:
    asked("groups", "set", "reports", "--weight", "3", "--quota", "10")

    groups = {group["external_id"]: group for group in asked("groups", "list")["groups"]}
    assert (groups["reports"]["weight"], groups["reports"]["quota"]) == (3, 10)
    asked("groups", "delete", "reports")
    assert [group["external_id"] for group in asked("groups", "list")["groups"]] == ["default"]
    assert done(db, "group") == ["set", "delete"]


def test_what_is_not_there_or_cannot_be_is_said(db: Db, database: str) -> None:
    def refused(*arguments: str) -> str:
        answer = tenuto(*arguments, TENUTO_DATABASE_URL=database)
        assert answer.returncode in (1, 2), answer.stdout
        return answer.stderr

    nobody = str(DEFAULT_ORG)
    assert "write reader, writer or admin" in refused(*ANN, "--role", "king")
    assert "list the users to see" in refused("users", "show", nobody)
    assert "no user" in refused("users", "disable", nobody)
    assert "no role 'finance'" in refused("roles", "add", "finance", nobody)
    assert "write --name or one of the settings, such as --retention-days" in refused("orgs", "set", "default")
    assert "org default exists already" in refused("orgs", "create", "default")
    assert done(db, "user") == []
