"""Who may do what."""

import pytest

from tenuto.model.errors import InvalidInput
from tenuto.model.permissions import KNOWN, PLATFORM_ROLES, THINGS, check_permissions, expand


@pytest.mark.parametrize("granted", [["runs:read"], ["runs:*"], ["*"], ["tasks:read", "runs:read"]])
def test_a_permission_is_had_by_itself_or_a_wildcard(granted: list[str]) -> None:
    assert "runs:read" in expand(frozenset(granted))


@pytest.mark.parametrize("granted", [[], ["runs:write"], ["tasks:*"], ["run:*"], ["runs"], [":*"]])
def test_nothing_else_stands_in_for_a_permission(granted: list[str]) -> None:
    assert "runs:read" not in expand(frozenset(granted))


def test_a_reader_reads_all_but_keys_people_and_the_audit_log() -> None:
    kept = {thing for thing in THINGS if f"{thing}:read" not in PLATFORM_ROLES["reader"]}

    assert kept == {"keys", "users", "audit"}
    assert [one for one in PLATFORM_ROLES["reader"] if not one.endswith(":read")] == []


def test_a_writer_writes_work_and_nothing_that_rules_it() -> None:
    written = {thing for thing in THINGS if f"{thing}:write" in PLATFORM_ROLES["writer"]}

    assert written == {"runs", "tasks", "data", "queues", "schedules", "objects", "bundles", "dags", "jobs"}
    assert PLATFORM_ROLES["reader"] < PLATFORM_ROLES["writer"]


def test_only_admins_delete_runs() -> None:
    assert [role for role, granted in PLATFORM_ROLES.items() if "runs:delete" in expand(granted)] == ["admin"]


def test_an_admin_may_do_everything() -> None:
    assert expand(PLATFORM_ROLES["admin"]) == {one for one in KNOWN if "*" not in one}


@pytest.mark.parametrize(
    ("granted", "permissions"),
    [
        (["runs:*"], {"runs:read", "runs:write", "runs:delete"}),
        (["tasks:*", "keys:read"], {"tasks:read", "tasks:write", "keys:read"}),
        (["audit:*"], {"audit:read"}),
    ],
)
def test_a_wildcard_stands_for_what_there_is(granted: list[str], permissions: set[str]) -> None:
    assert expand(frozenset(granted)) == permissions


@pytest.mark.parametrize(("wrong", "hint"), [("run:read", "runs:read"), ("data:delete", "or \\*"), ("", "or *")])
def test_a_permission_that_no_route_asks_for_is_refused_with_what_to_write(wrong: str, hint: str) -> None:
    check_permissions(KNOWN)

    with pytest.raises(InvalidInput, match=hint):
        check_permissions(["runs:read", wrong])
