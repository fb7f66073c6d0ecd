"""Commands over HTTP: they print what they print on the database itself, and say so when they need the database."""

import json
import re
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tests.support.database.outbox import publish, wear_out
from tests.support.database.schedules import put
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_graph, start_one
from tests.support.database.users import a_worker_key, an_api_key
from tests.support.http.both_ways import Ways, make_api_key, run_here
from tests.support.http.loopback import Loopback

PEPPER = b64encode(b"p" * 32).decode()
NOBODY = "http://127.0.0.1:1"  # nothing listens there
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# The age of the oldest task of a queue grows: in JSON, as a field, as a cell. The rate of a few seconds changes.
AGE = re.compile(
    r'(?<=oldest_ready_seconds": )[\d.]+|(?<=oldest_ready_seconds  )[\d.]+|[\d.]+ +(?=-\n)'
    r'|(?<=task_runtime_seconds": )[\d.]+|(?<=task_runtime_seconds  )[\d.]+'
    r'|(?<=per_second": )[\d.]+|(?<=per_second            )[\d.]+'
)


def an_eventful_org(db: Db) -> dict[str, str]:
    """A failed run with a log line, a graph whose second task waits, a queued run: their ids by name; and one of each
    other thing."""
    failed = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db)
    claim = worker.claim_one()
    line = {"task_id": str(claim.task_id), "attempt": 1, "line_no": 1, "logged_at": "2026-01-31T12:00:00Z"}
    line |= {"level": "info", "message": "hello", "fields": {"n": 1.5}}
    call(db, "write_logs", **worker.fence, lines=Jsonb([line]))
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=failed, name="go", value={"a": [1, 0.1]})
    worker.fail(claim, error="boom")
    call(db, "declare_types", **worker.fence, types={"app.work": {}}, schemas={"app.work": {"type": "object"}})
    call(db, "beat_dispatcher", id=uuid4(), address="127.0.0.1", port=1)
    wear_out(db, *publish(db, {"a": 1}))
    an_api_key(db, "abcdefghijkl")
    a_worker_key(db, "mnopqrstuvwx")
    put(db, datetime(2035, 1, 1, tzinfo=UTC), input={"a": 1}, details={"metadata": {"team": "b"}})
    graph, tasks = start_graph(db, 2, [(0, 1)])
    worker.claim_one()
    limits = [{"scope": "key", "key": "tenant/1", "size": 1}]
    queued = start_one(db, details=Jsonb([{"task": 0, "limits": limits, "metadata": {"team": "a"}}]))
    return {"FAILED": str(failed), "GRAPH": str(graph), "TASK": str(tasks[1]), "OPEN": str(queued)}


# The status comes first: some of its numbers are about the last minute.
MORE_READS = """
status
status --json
top --once
top --json
keys list
keys list --json
keys show abcdefghijkl
keys show nobodynobody
keys show x
worker-keys list --limit 1
worker-keys show mnopqrstuvwx --json
worker-keys show nobodynobody
runs list --status failed --status running --count
runs list --since 1h --until 2035-01-31 --count --json
runs list --until 2020-01-31T12:00+01:00
runs list --status busy
runs list --since 2026-13-01
runs list --count --type app.work --dedupe-key a
tasks list --status failed --status pending --since 2020-01-31 --count
tasks list --run GRAPH --until 1h --count --json
tasks list --external-id a --count
tasks list --until yesterday
"""
READS = """
runs list
runs list --status failed --limit 1 --json
runs show FAILED
runs show GRAPH --json
runs watch FAILED
runs logs FAILED
runs logs GRAPH --json
runs list --metadata {"team":"a"} --json
runs list --metadata []
tasks list --metadata {"team":"a"}
tasks list --run GRAPH --status running
tasks list --json
tasks show FAILED
tasks show TASK --json
tasks show GRAPH
tasks tree GRAPH
tasks tree TASK --json
tasks logs FAILED --json
why TASK
runs cancel --type app.work --dry-run
why GRAPH --json
why 00000000-0000-7000-8000-000000000000
runs show 00000000-0000-7000-8000-000000000000
schedules list
schedules list --after daily --json
schedules show nightly
schedules show nightly --json
schedules show weekly
queues list
queues list --json
queues purge default --dry-run
workers list
workers list --status active --after a --json
workers list --status busy
workers show w
workers show w --json
workers show nobody
outbox list
outbox list --status dead --kind deliver --json
types list
types show app.work
types show app.work --json
types show app.wrok
limits list --scope key
limits list --after key:a --json
limits list --after a
limits show key tenant/1
limits show key tenant/2
dispatchers list --json
audit list
audit list --entity run --action start --since 1h --limit 2 --json
audit list --until 1h
audit list --actor nobody --ip 203.0.113.9
"""


@pytest.mark.parametrize("commands", [READS, MORE_READS], ids=["reads", "more_reads"])
def test_a_command_that_reads_prints_the_same_over_http(db: Db, ways: Ways, commands: str):
    ids = an_eventful_org(db)
    for command in commands.strip().splitlines():
        arguments = [ids.get(word, word) for word in command.split()]
        here, far = ways.both(*arguments)
        said = [(AGE.sub("AGE", done.stdout), done.stderr, done.returncode) for done in (here, far)]
        assert said[0] == said[1], command


CHANGES = """
start app.work 1 --queue later --priority 3
start app.wrok 1
runs cancel OPEN --reason late
tasks cancel OPEN
signal OPEN go {"a":1}
runs open --name import
runs set OPEN --metadata {"team":"b"}
tasks set FAILED --metadata {"team":"b","n":null}
tasks delete OPEN
runs retry FAILED
tasks retry FAILED
runs delete FAILED
runs retry --status failed
runs cancel --type app.work --reason late
"""


def a_failed_and_an_open_run(db: Db, queue: str) -> dict[str, str]:
    failed = start_one(db, kind={"max_attempts": 1, "queue": queue})
    worker = a_worker(db, queue)
    (claim,) = worker.claim(routes=worker.routes(queues=[queue]))
    worker.fail(claim, error="boom")
    return {"FAILED": str(failed), "OPEN": str(start_one(db, kind={"queue": queue}))}


def hidden(text: str) -> str:
    return ID.sub("ID", text)


@pytest.mark.parametrize("command", CHANGES.strip().splitlines())
def test_a_command_that_changes_something_does_the_same_over_http(db: Db, ways: Ways, command: str):
    seen = []
    for queue, way in (("direct", ways.direct), ("http", ways.http)):
        ids = a_failed_and_an_open_run(db, queue)
        before = [row["id"] for row in call(db, "list_audit", org_id=DEFAULT_ORG)]
        done = run_here(*(ids.get(word, word) for word in command.split()), "--json", **way)
        runs = [call(db, "get_run", org_id=DEFAULT_ORG, run_id=id) for id in ids.values() if exists(db, id)]
        entries = [row for row in call(db, "list_audit", org_id=DEFAULT_ORG) if row["id"] not in before]
        seen.append(
            {
                "said": (hidden(done.stdout), hidden(done.stderr), done.returncode),
                "runs": [(run["status"], run["cancel_reason"], run["retried_by"] is None) for (run,) in runs],
                "audit": [(row["entity"], row["action"], hidden(json.dumps(row["changes"]))) for row in entries],
            }
        )
        assert {row["actor_kind"] for row in entries} <= {"login" if queue == "direct" else "api_key"}

    assert seen[0] == seen[1]


def exists(db: Db, run_id: str) -> bool:
    return bool(db.execute("select from tenuto.runs where id = %s", [run_id]).fetchone())


OPERATIONS = """
schedules update NAME --cron @hourly --jitter 5s
schedules update NAME --catch-up never
schedules pause NAME
schedules resume NAME --json
schedules run NAME --json
schedules delete NAME
schedules delete NAME
queues pause NAME
queues pause NAME --new
queues pause NAME
queues pause *
queues resume NAME --json
workers drain NAME --reason update --json
workers terminate NAME
workers terminate nobody
outbox replay --all
outbox replay 999 --json
"""


def test_a_command_of_operators_does_the_same_over_http(db: Db, ways: Ways):
    seen = []
    for name, way in (("eu-1", ways.direct), ("us-1", ways.http)):
        put(db, datetime(2035, 1, 1, tzinfo=UTC), name)
        a_worker(db, name)
        wear_out(db, *publish(db, {"a": 1}))
        before = [row["id"] for row in call(db, "list_audit", org_id=DEFAULT_ORG)]
        commands = OPERATIONS.replace("NAME", name).strip().splitlines()
        done = [run_here(*command.split(), **way) for command in commands]
        entries = [row for row in call(db, "list_audit", org_id=DEFAULT_ORG) if row["id"] not in before]
        said = [(one.args, one.stdout, one.stderr, one.returncode) for one in done]
        audit = [(row["entity"], row["entity_id"], row["action"], _changes(row)) for row in entries]
        seen.append([hidden(str(line)).replace(name, "NAME") for line in (*said, *audit)])

    assert seen[0] == seen[1]


def _changes(row: dict[str, Any]) -> str:
    """SQL writes 5 seconds as 5, Python as 5.0."""
    return json.dumps(row["changes"]).replace(".0", "")


KEYS = """
keys create --name ci --permissions runs:read,tasks:read
keys create --name ci --permissions run:read
keys create --name ci --permissions * --expires soon
keys create --name ci --permissions runs:read --org nobody
keys update API --name NAME --inactive
keys update API --active --expires never --json
keys update API
keys rotate API --overlap 1h
keys revoke API --json
keys revoke API
worker-keys create --name fleet --queues mail
worker-keys rotate WORKER --json
worker-keys revoke WORKER
worker-keys revoke WORKER
"""
SECRET = re.compile(r"tnw?_[a-z]+_\w+")


def test_a_command_about_keys_does_the_same_over_http(db: Db, ways: Ways, tmp_path: Path):
    seen = []
    for no, way in enumerate((ways.direct, ways.http)):
        before = [row["id"] for row in call(db, "list_audit", org_id=DEFAULT_ORG)]
        public = {"API": f"abcdefghijk{no}", "WORKER": f"mnopqrstuvw{no}"}
        an_api_key(db, public["API"])
        a_worker_key(db, public["WORKER"])
        commands = [[public.get(word, word) for word in command.split()] for command in KEYS.strip().splitlines()]
        done = [run_here(*command, **way, TENUTO_PEPPER=PEPPER) for command in commands]
        entries = [row for row in call(db, "list_audit", org_id=DEFAULT_ORG) if row["id"] not in before]
        said = [(SECRET.sub("KEY", one.stdout), one.returncode) for one in done]
        audit = [(row["entity"], row["action"]) for row in entries]
        seen.append([hidden(str(line)).replace(public["API"], "API") for line in (*said, *audit)])

    assert seen[0] == seen[1]
    assert (
        "--env test: over HTTP the server determines"
        in run_here("keys", "rotate", "abcdefghijk1", "--env", "test", **ways.http).stderr
    )
    file = tmp_path / "keys.jsonl"
    file.write_text('{"key_prefix": "fm_1", "key_hash": "x", "name": "old", "permissions": ["runs:read"]}')
    assert "needs the database" in run_here("keys", "import", str(file), **ways.http).stderr


def test_a_prefix_of_an_id_is_enough_over_http(db: Db, ways: Ways):
    run_id = str(start_one(db))

    assert json.loads(run_here("runs", "show", run_id[:30], "--json", **ways.http).stdout)["id"] == run_id
    assert "begins with 'ffffff'" in run_here("tasks", "show", "ffffff", **ways.http).stderr


def test_a_large_run_that_dispatchers_process_is_left_to_them(db: Db, ways: Ways):
    run_id, _ = start_graph(db, 1001)

    done = run_here("runs", "cancel", str(run_id), "--no-wait", **ways.http)

    assert done.stdout == f"cancelling run {run_id}\n"
    assert db.execute("select run_id from tenuto.run_requests").fetchone() == (run_id,)


def test_the_database_takes_precedence_over_a_server_and_the_option_over_both(
    db: Db, ways: Ways, http_server: Loopback
):
    both = {**ways.direct, "TENUTO_URL": NOBODY}

    assert run_here("runs", "list", **both).stdout == "no runs\n"
    far = run_here("--url", http_server.url, "runs", "list", **both, TENUTO_API_KEY=ways.http["TENUTO_API_KEY"])
    assert far.stdout == "no runs\n"
    unreachable = run_here("--url", NOBODY, "runs", "list", **both, TENUTO_API_KEY=ways.http["TENUTO_API_KEY"])
    assert (unreachable.returncode, f"{NOBODY} does not respond" in unreachable.stderr) == (3, True)


def test_a_wrong_key_or_address_is_named(db: Db, ways: Ways):
    url = ways.http["TENUTO_URL"]
    without = run_here("runs", "list", TENUTO_URL=url)
    reader = run_here(
        "runs", "cancel", str(start_one(db)), TENUTO_URL=url, TENUTO_API_KEY=make_api_key(db, "runs:read")
    )
    wrong = run_here("runs", "list", TENUTO_URL="localhost:8080", TENUTO_API_KEY="tn_x")

    assert (without.returncode, "requires an API key: set TENUTO_API_KEY" in without.stderr) == (2, True)
    assert (reader.returncode, "runs:write" in reader.stderr) == (1, True)
    assert (wrong.returncode, "write TENUTO_URL=http://localhost:8080" in wrong.stderr) == (2, True)


def test_a_key_that_can_only_start_runs_is_enough_for_start(db: Db, ways: Ways):
    key = make_api_key(db, "runs:write")

    call(db, "declare_types", **a_worker(db).fence, types={"app.work": {}})
    server = {"TENUTO_URL": ways.http["TENUTO_URL"], "TENUTO_API_KEY": key}

    done = run_here("start", "app.work", **server)
    refused = run_here("start", "app.wrok", **server)

    assert (done.returncode, done.stderr, done.stdout[:12]) == (0, "", "started run ")
    assert (refused.returncode, "did you mean app.work?" in refused.stderr) == (2, True), refused.stderr


@pytest.mark.parametrize("command", ["db status", "doctor", "orgs create other", "dispatcher"])
def test_a_command_that_needs_the_database_says_so(tmp_path: Path, command: str):
    done = run_here(*command.split(), TENUTO_HOME=str(tmp_path / "home"), TENUTO_URL=NOBODY, TENUTO_API_KEY="tn_x")

    said = f"tenuto: this command needs the database, and {NOBODY} is a server; set TENUTO_DATABASE_URL, or"
    assert (done.returncode, done.stderr.startswith(said)) == (2, True), done.stderr
    assert not (tmp_path / "home").exists()
