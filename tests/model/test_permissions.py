"""Who may do what."""

import pytest

from tenuto.model.errors import InvalidInput
from tenuto.model.permissions import KNOWN, PLATFORM_ROLES, THINGS, allows, beyond, check_permissions


@pytest.mark.parametrize("granted", [["runs:read"], ["runs:*"], ["*"], ["tasks:read", "runs:read"]])
def test_a_permission_is_had_by_itself_or_a_wildcard(granted: list[str]) -> None:
    assert allows(granted, "runs:read")


@pytest.mark.parametrize("granted", [[], ["runs:write"], ["tasks:*"], ["run:*"], ["runs"], [":*"]])
def test_nothing_else_stands_in_for_a_permission(granted: list[str]) -> None:
    assert not allows(granted, "runs:read")


def test_a_reader_reads_all_but_keys_people_and_the_audit_log() -> None:
    kept = {thing for thing in THINGS if not allows(PLATFORM_ROLES["reader"], f"{thing}:read")}

    assert kept == {"keys", "users", "audit"}
    assert [one for one in PLATFORM_ROLES["reader"] if not one.endswith(":read")] == []


def test_a_writer_writes_work_and_nothing_that_rules_it() -> None:
    written = {thing for thing in THINGS if allows(PLATFORM_ROLES["writer"], f"{thing}:write")}

    assert written == {"runs", "tasks", "data", "queues", "schedules", "objects", "bundles", "dags", "jobs"}
    assert PLATFORM_ROLES["reader"] < PLATFORM_ROLES["writer"]


def test_only_admins_delete_runs() -> None:
    assert [role for role, granted in PLATFORM_ROLES.items() if allows(granted, "runs:delete")] == ["admin"]


def test_an_admin_may_do_everything() -> None:
    assert [one for one in KNOWN if not allows(PLATFORM_ROLES["admin"], one)] == []


@pytest.mark.parametrize(
    ("granted", "asked", "too_much"),
    [
        (["runs:read", "runs:write", "runs:delete"], ["runs:*"], []),
        (["tasks:read", "tasks:write"], ["tasks:*"], []),
        (["runs:read", "runs:write"], ["runs:*", "runs:delete"], ["runs:*", "runs:delete"]),
        (["runs:read"], ["runs:*", "runs:read"], ["runs:*"]),
        (["*"], ["*", "keys:*"], []),
        (PLATFORM_ROLES["writer"], ["*", "runs:*", "keys:write"], ["*", "runs:*", "keys:write"]),
        (["audit:read"], ["audit:*"], []),
    ],
)
def test_nobody_gives_a_key_more_than_they_have(granted: list[str], asked: list[str], too_much: list[str]) -> None:
    assert beyond(granted, asked) == too_much


@pytest.mark.parametrize(("wrong", "hint"), [("run:read", "runs:read"), ("data:delete", "or \\*"), ("", "or *")])
def test_a_permission_that_no_route_asks_for_is_refused_with_what_to_write(wrong: str, hint: str) -> None:
    check_permissions(KNOWN)

    with pytest.raises(InvalidInput, match=hint):
        check_permissions(["runs:read", wrong])
