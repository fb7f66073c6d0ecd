"""`audit`: what was done is listed, kept elsewhere, and found out when somebody changes it."""

import json
import os
import pwd
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.database.loops import count
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import an_entry, to_an_old_month
from tests.support.http.both_ways import run_here as tenuto
from tests.support.processes.command_line import running
from tests.support.waiting import wait_until

PEPPER = "cGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVy"
Asked = Callable[..., Any]
# What a superuser does who wants an entry to be another one, and knows how entries are chained.
REHASH = """
do $$
declare
  v_entry tenuto.audit_log;
  v_hash bytea := '';
begin
  for v_entry in select * from tenuto.audit_log order by seq loop
    v_hash := tenuto._audit_hash(v_hash, v_entry.seq, v_entry);
    update tenuto.audit_log set hash = v_hash where id = v_entry.id;
  end loop;
  update tenuto.audit_chains set hash = v_hash;
end $$
"""


@pytest.fixture
def asked(database: str) -> Asked:
    def ask(*arguments: str, code: int = 0) -> Any:
        done = tenuto(*arguments, "--json", TENUTO_DATABASE_URL=database, TENUTO_PEPPER=PEPPER)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    return ask


def tamper(db: Db, statement: str) -> None:
    with db.transaction():
        db.execute("set local session_replication_role = replica")
        db.execute(statement.encode())


def test_what_was_done_is_listed_by_whom_and_to_what(db: Db, asked: Asked) -> None:
    an_entry(db, entity_id="r1")
    asked("orgs", "set", "default", "--name", "Home")

    assert [entry["action"] for entry in asked("audit", "list")["entries"]] == ["set", "cancel"]
    (only,) = asked("audit", "list", "--entity", "run", "--actor", "ann")["entries"]
    assert only["entity_id"] == "r1"


def test_a_log_that_nobody_touched_verifies_with_and_without_kept_heads(db: Db, asked: Asked, tmp_path: Path) -> None:
    heads = tmp_path / "heads"
    for no in range(5):
        an_entry(db, entity_id=f"r{no}")

    assert asked("audit", "export", "--heads", str(heads)) == {"heads": 1, "file": str(heads), "signed": True}
    assert asked("audit", "export", "--heads", str(heads))["heads"] == 0
    verified = asked("audit", "verify", "--heads", str(heads))

    assert (verified["entries"], verified["held_to"], verified["kept_heads"], verified["findings"]) == (5, 5, 1, [])
    assert asked("audit", "verify")["findings"] == []


def test_an_edited_entry_is_found_and_the_command_fails(db: Db, asked: Asked, database: str) -> None:
    for no in range(3):
        an_entry(db, entity_id=f"r{no}")
    call(db, "seal_audit")
    tamper(db, "update tenuto.audit_log set actor_id = 'bob' where seq = 2")

    found = asked("audit", "verify", code=1)["findings"]

    assert [(one["kind"], one["seq"]) for one in found] == [("edited", 2)]
    said = tenuto("audit", "verify", TENUTO_DATABASE_URL=database)
    assert "was changed: 1 findings" in said.stderr
    assert "EDITED" not in said.stdout
    assert "edited" in said.stdout


def test_who_hashes_everything_anew_and_forges_the_heads_is_found_by_a_head_kept_elsewhere(
    db: Db, asked: Asked, tmp_path: Path
) -> None:
    heads = tmp_path / "heads"
    for no in range(3):
        an_entry(db, entity_id=f"r{no}")
    asked("audit", "export", "--heads", str(heads))
    tamper(db, "update tenuto.audit_log set actor_id = 'bob' where seq = 2")
    tamper(db, REHASH)
    db.execute("delete from tenuto.audit_heads")
    assert asked("audit", "verify")["findings"] == []

    found = asked("audit", "verify", "--heads", str(heads), code=1)["findings"]

    assert [(one["kind"], one["seq"]) for one in found] == [("rewritten", 3)]


def test_a_cut_tail_is_found_by_a_head_kept_elsewhere(db: Db, asked: Asked, tmp_path: Path) -> None:
    heads = tmp_path / "heads"
    for no in range(3):
        an_entry(db, entity_id=f"r{no}")
    asked("audit", "export", "--heads", str(heads))
    tamper(db, "delete from tenuto.audit_log where seq = 3")
    tamper(db, "delete from tenuto.audit_heads")
    tamper(db, "update tenuto.audit_chains c set seq = 2, hash = (select hash from tenuto.audit_log where seq = 2)")

    found = asked("audit", "verify", "--heads", str(heads), code=1)["findings"]

    assert [(one["kind"], one["seq"]) for one in found] == [("cut", 3)]


def test_a_file_of_heads_that_somebody_changed_is_refused(db: Db, asked: Asked, database: str, tmp_path: Path) -> None:
    heads = tmp_path / "heads"
    an_entry(db)
    asked("audit", "export", "--heads", str(heads))
    heads.write_text(heads.read_text().replace('"seq": 1', '"seq": 2'))

    refused = tenuto("audit", "verify", "--heads", str(heads), TENUTO_DATABASE_URL=database)

    assert (refused.returncode, "its signature is not valid" in refused.stderr) == (2, True)


def test_entries_are_exported_with_all_that_was_hashed(db: Db, asked: Asked, database: str, tmp_path: Path) -> None:
    an_entry(db, changes={"n": {"old": 1, "new": 2}})
    file = tmp_path / "log"

    assert asked("audit", "export", "--to", str(file))["entries"] == 1

    (line,) = map(json.loads, file.read_text().splitlines())
    (entry,) = call(db, "read_audit", org_id=DEFAULT_ORG)
    assert (line["hash"], line["changes"], line["seq"]) == (entry["hash"].hex(), entry["changes"], 1)
    again = tenuto("audit", "export", "--to", str(file), TENUTO_DATABASE_URL=database)
    assert (again.returncode, "name a file that does not exist yet" in again.stderr) == (2, True)
    assert "--heads FILE" in tenuto("audit", "export", TENUTO_DATABASE_URL=database).stderr


def test_old_months_go_and_the_chain_still_verifies(db: Db, asked: Asked) -> None:
    an_entry(db)
    month = to_an_old_month(db)
    call(db, "seal_audit")
    an_entry(db)
    call(db, "seal_audit")

    dry = asked("audit", "prune", "--keep", "365d", "--dry-run")
    assert dry["months"] == [{"partition": month, "entries": 1}]
    assert asked("audit", "prune", "--keep", "365d")["months"] == dry["months"]
    call(db, "seal_audit")
    assert asked("audit", "verify")["findings"] == []
    assert asked("audit", "list")["entries"][0]["action"] == "prune"


def test_a_dispatcher_signs_the_ends_of_chains_where_it_has_the_pepper(db: Db, database: str) -> None:
    an_entry(db)

    with running("dispatcher", ready="running", TENUTO_DATABASE_URL=database, TENUTO_PEPPER=PEPPER):
        wait_until(lambda: count(db, "audit_heads") == 1)

    with running("dispatcher", ready="TENUTO_PEPPER is not set", TENUTO_DATABASE_URL=database):
        pass


def test_what_an_operator_does_is_written_down_with_the_login_and_the_user_of_the_machine(
    db: Db, asked: Asked, database: str
) -> None:
    run = asked("start", "shop.add", "1", "2", "--anyway", "--dedupe-key", "once")["id"]
    asked("start", "shop.add", "1", "2", "--anyway", "--dedupe-key", "once")  # was started before: nothing was done
    asked("signal", run, "go", "secret words")
    asked("queues", "pause", "default")
    asked("queues", "resume", "default")
    asked("runs", "cancel", run, "--reason", "a mistake")
    asked("runs", "retry", run)
    asked("runs", "delete", run)
    assert tenuto("runs", "delete", run, TENUTO_DATABASE_URL=database).returncode == 2

    entries = call(db, "list_audit", org_id=DEFAULT_ORG)[::-1]
    assert [(entry["entity"], entry["action"]) for entry in entries] == [
        ("run", "start"), ("run", "signal"), ("queue", "pause"), ("queue", "resume"), ("run", "cancel"),
        ("run", "retry"), ("run", "delete"),
    ]  # fmt: skip
    assert entries[4]["changes"] == {"reason": {"new": "a mistake"}}
    user = pwd.getpwuid(os.getuid()).pw_name
    assert {(entry["actor_kind"], entry["actor_id"], entry["user_agent"]) for entry in entries} == {
        ("login", db.info.user, f"tenuto command line of {user}")
    }
    assert "secret words" not in str(entries)
