"""`keys` and `worker-keys`: made by an operator, shown once, written down."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenuto.model.keys import parse_key, read_peppers
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import BCRYPT
from tests.support.http.both_ways import run_here as tenuto

PEPPER = "cGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVy"
Asked = Callable[..., Any]


@pytest.fixture
def asked(database: str) -> Asked:
    def ask(*arguments: str) -> Any:
        done = tenuto(*arguments, "--json", TENUTO_DATABASE_URL=database, TENUTO_PEPPER=PEPPER)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


def found(db: Db, key: str, function: str = "find_api_key") -> list[dict[str, Any]]:
    from tenuto.model.keys import key_hashes

    parsed = parse_key(key)
    assert parsed is not None
    return call(db, function, key_id=parsed.key_id, hashes=key_hashes(read_peppers(PEPPER), key))


def entries(db: Db, entity: str) -> list[tuple[str, str, str]]:
    listed = call(db, "list_audit", org_id=DEFAULT_ORG, entity=entity)
    return [(entry["action"], entry["entity_id"], entry["actor_kind"]) for entry in listed]


def test_a_key_is_printed_once_lets_in_and_is_in_the_audit_log_without_its_text(db: Db, asked: Asked) -> None:
    made = asked("keys", "create", "--name", "ci", "--permissions", "runs:write,tasks:read", "--expires", "30d")

    (row,) = found(db, made["key"])
    assert (str(row["id"]), row["permissions"]) == (made["id"], ["runs:write", "tasks:read"])
    (listed,) = asked("keys", "list")["keys"]
    assert (listed["id"], listed["name"], listed["expires_at"] > listed["created_at"]) == (made["id"], "ci", True)
    assert made["key"] not in str(listed)
    assert entries(db, "api_key") == [("create", made["id"], "login")]
    assert made["key"] not in str(call(db, "list_audit", org_id=DEFAULT_ORG))


def test_a_revoked_key_lets_nobody_in_and_a_rotated_one_has_a_successor(db: Db, asked: Asked) -> None:
    old = asked("keys", "create", "--name", "ci", "--permissions", "*")
    new = asked("keys", "rotate", old["id"], "--overlap", "1h")
    assert [len(found(db, one["key"])) for one in (old, new)] == [1, 1]

    asked("keys", "revoke", new["id"])

    listed = {one["id"]: one for one in asked("keys", "list")["keys"]}
    assert listed[old["id"]]["replaced_by"] == new["id"]
    assert listed[new["id"]]["revoked_at"] is not None
    assert [action for action, _, _ in entries(db, "api_key")] == ["revoke", "rotate", "create"]


@pytest.mark.parametrize(
    ("group", "entity", "create"),
    [("keys", "api_key", ("--permissions", "*")), ("worker-keys", "worker_key", ("--queues", "mail"))],
)
def test_a_key_is_revoked_once_by_the_part_of_it_that_may_be_seen(
    db: Db, asked: Asked, database: str, group: str, entity: str, create: tuple[str, str]
) -> None:
    made = asked(group, "create", "--name", "ci", *create)
    parsed = parse_key(made["key"])
    assert parsed is not None

    first, second = (tenuto(group, "revoke", parsed.key_id, TENUTO_DATABASE_URL=database) for _ in range(2))
    unknown = tenuto(group, "revoke", "abcdefghijkl", TENUTO_DATABASE_URL=database)

    assert first.stdout.startswith("revoked ")
    assert first.stdout.endswith(f"key {made['id']}\n")
    assert (second.returncode, second.stdout.endswith(f"key {made['id']} was already revoked\n")) == (0, True)
    assert (unknown.returncode, f"'abcdefghijkl'; `tenuto {group} list` shows" in unknown.stderr) == (2, True)
    assert [action for action, _, _ in entries(db, entity)] == ["revoke", "create"]


def test_a_key_is_named_by_its_name_if_only_one_valid_key_has_it(asked: Asked, database: str) -> None:
    for kind, rights in (("keys", ("--permissions", "*")), ("worker-keys", ())):
        first = asked(kind, "create", "--name", "deploys", *rights)["id"]
        second = asked(kind, "rotate", "deploys")["id"]
        refused = tenuto(kind, "revoke", "deploys", TENUTO_DATABASE_URL=database, TENUTO_PEPPER=PEPPER)
        asked(kind, "revoke", first)

        assert asked(kind, "revoke", "deploys")["id"] == second
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "several keys are called 'deploys': " in refused.stderr
        assert first in refused.stderr
        unknown = tenuto(kind, "show", "deplyos", TENUTO_DATABASE_URL=database, TENUTO_PEPPER=PEPPER)
        assert (unknown.returncode, f"`tenuto {kind} list`" in unknown.stderr) == (2, True)


def test_a_key_of_another_org_is_made_and_listed_by_naming_the_org(db: Db, asked: Asked) -> None:
    call(db, "create_org", slug="acme")

    asked("keys", "create", "--org", "acme", "--name", "theirs", "--permissions", "runs:read")

    assert [key["name"] for key in asked("keys", "list", "--org", "acme")["keys"]] == ["theirs"]
    assert asked("keys", "list") == {"keys": []}


def test_a_worker_key_is_bound_to_its_queues(db: Db, asked: Asked) -> None:
    made = asked("worker-keys", "create", "--name", "fleet", "--queues", "mail,reports")
    new = asked("worker-keys", "rotate", made["id"])
    asked("worker-keys", "revoke", made["id"])

    assert made["key"].startswith("tnw_live_")
    (row,) = found(db, new["key"], "find_worker_key")
    assert row["queues"] == ["mail", "reports"]
    assert len(asked("worker-keys", "list")["worker_keys"]) == 2
    assert [action for action, _, _ in entries(db, "worker_key")] == ["revoke", "rotate", "create"]


def test_what_cannot_be_a_key_is_refused_with_what_to_write(database: str) -> None:
    def refused(*arguments: str, **more: str) -> str:
        environment = {"TENUTO_PEPPER": PEPPER, "TENUTO_DATABASE_URL": database, **more}
        done = tenuto(*arguments, **environment)
        assert done.returncode == 2, done.stdout
        return done.stderr

    assert "did you mean runs:read?" in refused("keys", "create", "--name", "x", "--permissions", "run:read")
    assert '"30s"' in refused("keys", "create", "--name", "x", "--permissions", "*", "--expires", "soon")
    assert "`tenuto keys list`" in refused("keys", "revoke", "abc")
    assert "no API key" in refused("keys", "revoke", str(DEFAULT_ORG))
    assert "no org" in refused("keys", "list", "--org", "nobody")
    assert "openssl rand" in refused("keys", "create", "--name", "x", "--permissions", "*", TENUTO_PEPPER="")


def test_keys_of_another_system_are_imported_all_or_none(db: Db, asked: Asked, database: str, tmp_path: Path) -> None:
    file = tmp_path / "keys.jsonl"
    good = {"key_prefix": "fm_12345", "key_hash": BCRYPT, "name": "old", "permissions": ["runs:read"]}
    file.write_text(json.dumps({**good, "expires_at": "2099-01-01T00:00:00"}) + "\n" + json.dumps(good) + "\n")

    assert len(asked("keys", "import", str(file))["ids"]) == 2
    assert BCRYPT not in str(asked("keys", "list"))
    assert {action for action, _, _ in entries(db, "api_key")} == {"import"}

    file.write_text(json.dumps(good) + "\n" + json.dumps({**good, "key_hash": "md5"}) + "\n")
    refused = tenuto("keys", "import", str(file), TENUTO_DATABASE_URL=database)
    assert (refused.returncode, "bcrypt_is_bcrypt" in refused.stderr) == (2, True)
    assert len(asked("keys", "list")["keys"]) == 2
    flags = {"runs:create": True, "runs:read": True, "tasks:*": True, "rundata:delete": True, "runs:delete": True}
    file.write_text(json.dumps({**good, "permissions": flags}))
    (id,) = asked("keys", "import", str(file))["ids"]
    (mapped,) = [key["permissions"] for key in asked("keys", "list")["keys"] if key["id"] == id]
    assert mapped == ["data:write", "runs:delete", "runs:read", "runs:write", "tasks:*"]
    file.write_text(json.dumps({**good, "permissions": {"runs": True, "runs:read": True, "jobs:run": False}}))
    said = tenuto("keys", "import", str(file), TENUTO_DATABASE_URL=database).stderr
    assert "that Tenuto does not have: runs, jobs:run; write a list of Tenuto permissions" in said


def test_keys_that_were_switched_off_are_left_out_and_unknown_fields_refused(
    asked: Asked, database: str, tmp_path: Path
) -> None:
    file = tmp_path / "keys.jsonl"
    good = {"key_prefix": "fm_live_", "key_hash": BCRYPT, "name": "old", "permissions": ["runs:read"]}
    lines = [{**good, "name": "off", "is_active": False}, *({**good, "is_active": True} for _ in range(9))]
    file.write_text("\n".join(json.dumps(line) for line in lines))

    taken = tenuto("keys", "import", str(file), TENUTO_DATABASE_URL=database)

    assert taken.stdout == "imported 9 keys; 1 are inactive and were not imported\n"
    assert "9 keys begin with 'fm_live_'" in taken.stderr
    assert "off" not in [one["name"] for one in asked("keys", "list")["keys"]]
    rejected = (({"disabled": True}, "'disabled'"), ({"is_active": "no"}, "is_active 'no'"), ({"name": 7}, "name 7"))
    for wrong, said in rejected:
        file.write_text(json.dumps({**good, **wrong}))
        assert said in tenuto("keys", "import", str(file), TENUTO_DATABASE_URL=database).stderr
    assert len(asked("keys", "list")["keys"]) == 9
