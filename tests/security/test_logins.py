"""The logins that `tenuto db roles` prints: each does its work, and is told in words that it cannot do other work."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta

import httpx2
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tenuto import App, Context, Limit, chain, connect_sync, group
from tenuto.db.connection.errors import MissingRight
from tenuto.db.install import install
from tests.cli.test_server import PEPPER
from tests.support.database.open_runs import open_run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one
from tests.support.processes.command_line import running, tenuto

APP = "tests.support.processes.shop:app"
app = App("shop")


@app.task
def add(x: int, y: int) -> int:
    return x + y


@app.task(limit=Limit(2, key="to"), queue="mail")
def post(to: str) -> str:
    return to


@app.task
async def wait(ctx: Context) -> str:
    return await ctx.wait("go")


class Logins:
    """The logins of one test, by purpose."""

    def __init__(self, db: Db, url: str) -> None:
        self.db, self.url, self.prefix = db, url, f"t_{db.info.dbname}"
        script = tenuto("db", "roles", "--prefix", self.prefix).stdout
        for _ in range(2):  # running it again changes nothing
            db.execute(script.encode())
        db.execute(f"create role {self.prefix}_guest login".encode())
        self.names = [name for (name,) in db.execute(
            "select rolname::text from pg_roles where rolname like %s", [f"{self.prefix}\\_%"]).fetchall()]  # fmt: skip
        for name in self.names:
            db.execute(f"alter role {name} password 'secret'".encode())

    def of(self, purpose: str, database: str | None = None) -> str:
        return make_conninfo(database or self.url, user=f"{self.prefix}_{purpose}", password="secret")

    def tenuto(self, purpose: str, *arguments: str) -> tuple[int, str]:
        done = tenuto(*arguments, TENUTO_DATABASE_URL=self.of(purpose), TENUTO_PEPPER=PEPPER)
        return done.returncode, done.stdout + done.stderr

    def drop(self) -> None:
        for name in self.names:
            self.db.execute(f"drop owned by {name}".encode())
            self.db.execute(f"drop role {name}".encode())


@pytest.fixture
def logins(db: Db, database: str) -> Iterator[Logins]:
    made = Logins(db, database)
    yield made
    made.drop()


def test_a_web_login_starts_tasks_and_reads_them_and_a_worker_login_runs_them(db: Db, logins: Logins) -> None:
    with (
        connect_sync(app, logins.of("web")) as tn,
        running("worker", APP, ready="tasks at once", TENUTO_DATABASE_URL=logins.of("worker")) as worker,
    ):
        runs = [
            tn.start(add, 1, 1),
            tn.start(post, "eve"),
            tn.start(add.options(dedupe_key="a", delay=timedelta(seconds=0.1)), 1, 2),
            tn.start(chain(group(add, add), add), 1, 2, 3, 4),
            *tn.start_many(add, [(1, 3), (1, 4)]),
        ]
        assert [run.result(timeout=30) for run in runs] == [2, "to eve", 3, 10, 4, 5]
        assert tn.get(tn.put(b"abc")) == b"abc"
        waiting = tn.start(wait)
        waiting.signal("go", "now")
        assert [run.type for run in tn.runs(type="shop.wait")] == ["shop.wait"]
        with pytest.raises(MissingRight, match=r"permission denied for function cancel_run: .*another role"):
            waiting.cancel()
        with pytest.raises(MissingRight, match="permission denied for function delete_run"):
            runs[0].delete()
        assert "no dispatcher loops" not in worker.said()


@pytest.mark.parametrize("statement", [
    "delete from tenuto.tasks", "update tenuto.runs set name = 'x'",
    "insert into tenuto.cancel_requests default values",
    "select from tenuto.audit_arrivals", "delete from tenuto.audit_arrivals",
    "select from tenuto.users", "select token from tenuto.sessions", "select from tenuto.audit_log",
    "select hash from tenuto.api_keys", "select tenuto.claim_tasks(1, gen_random_uuid(), 1, '{}', 1)",
    "insert into tenuto.schedules default values", "delete from tenuto.ready_tasks",
    "update tenuto.queues set org_id = gen_random_uuid()", "update tenuto.open_runs set org_id = gen_random_uuid()",
])  # fmt: skip
def test_a_web_login_changes_and_reads_nothing_else(db: Db, logins: Logins, statement: str) -> None:
    start_one(db)  # a run and a task that it could change
    open_run(db)
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="default")
    with psycopg.connect(logins.of("web")) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute(statement.encode())


def test_no_role_may_update_single_columns_except_to_lock_a_queue_or_an_open_run(db: Db) -> None:
    granted = db.execute("""
        select a.attrelid::regclass::text, a.attname::text, g.grantee::regrole::text, g.privilege_type
        from pg_attribute a, aclexplode(a.attacl) g
        where a.attrelid in (select oid from pg_class where relnamespace = 'tenuto'::regnamespace)
          and g.privilege_type <> 'SELECT'""").fetchall()
    recorded = {(column, right) for table, column, _, right in granted if table == "tenuto.audit_arrivals"}
    given = ("org_id", "entity", "entity_id", "action", "changes", "old")
    assert recorded == {(column, "INSERT") for column in given}  # not by whom, from where and when
    assert sorted(right for right in granted if right[0] != "tenuto.audit_arrivals") == [
        ("tenuto.held_runs", "org_id", "tenuto_client", "UPDATE"),
        ("tenuto.open_runs", "org_id", "tenuto_client", "UPDATE"),
        ("tenuto.queues", "org_id", "tenuto_client", "UPDATE"),
    ]


def test_a_readonly_login_reads_its_org_and_is_told_what_it_lacks(db: Db, logins: Logins) -> None:
    task = str(start_one(db))
    a_worker(db)
    for command in (["runs", "list"], ["runs", "show", task], ["tasks", "list"], ["tasks", "show", task],
                    ["why", task], ["queues", "list"], ["workers", "list"], ["schedules", "list"]):  # fmt: skip
        assert logins.tenuto("readonly", *command)[0] == 0, command
    assert task in logins.tenuto("readonly", "runs", "list")[1]

    code, said = logins.tenuto("readonly", "runs", "cancel", task)
    assert code == 1
    assert "this needs the role tenuto_worker, which the login does not have" in said
    assert "no run" in logins.tenuto("readonly", "runs", "show", "01000000-0000-7000-8000-000000000000")[1]
    with psycopg.connect(logins.of("readonly")) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute("select token from tenuto.sessions")


def test_a_server_starts_with_its_own_login_only(logins: Logins) -> None:
    where = {"TENUTO_DATABASE_URL": logins.of("server"), "TENUTO_PEPPER": PEPPER}
    with running("server", "--port", "0", ready="listening at", **where) as server:
        (url,) = re.findall(r"listening at (http://[\d.:]+)", server.said())
        assert httpx2.get(f"{url}/readyz", timeout=60).status_code == 200
    reasons = {
        "web": "has the rights of tenuto_client",
        "worker": "has the rights of tenuto_dispatcher, tenuto_worker",
        "readonly": "the server needs the role tenuto_api, which its login",
    }
    for purpose, reason in reasons.items():
        code, said = logins.tenuto(purpose, "server", "--port", "0")
        assert code == 1
        assert reason in said


def test_a_worker_does_not_start_with_a_login_that_cannot_work(logins: Logins) -> None:
    for purpose in ("web", "readonly"):
        code, said = logins.tenuto(purpose, "worker", APP)
        assert code == 1
        assert "a worker claims and completes tasks: this needs the role tenuto_worker" in said


def test_an_owner_login_migrates(db: Db, logins: Logins, empty_database: str) -> None:
    with psycopg.connect(empty_database, autocommit=True) as conn:
        conn.execute(tenuto("db", "roles", "owner", "--prefix", logins.prefix).stdout.encode())
        assert install.migrate(logins.of("owner", empty_database)).objects_applied
        conn.execute(f"drop owned by {logins.prefix}_owner".encode())


def test_doctor_says_what_each_login_can_do_and_proposes_no_owner(logins: Logins) -> None:
    said = {}
    for purpose in ("web", "server", "readonly", "worker", "backup", "guest"):
        _, output = logins.tenuto(purpose, "doctor", "--json")
        said[purpose] = {check["name"]: (check["state"], check["says"]) for check in json.loads(output)["checks"]}
        assert "tenuto_owner" not in output, purpose

    can = f"{logins.prefix}_{{}} can "
    assert said["web"]["roles"] == ("ok", can.format("web") + "start tasks and read runs (tenuto_client)")
    assert said["server"]["roles"] == ("ok", can.format("server") + "serve the HTTP API (tenuto_api)")
    assert said["server"]["row security"][0] == "ok"
    assert said["readonly"]["roles"][0] == "ok"
    assert said["worker"]["vacuum"][0] == "ok"
    assert said["backup"]["roles"] == ("ok", can.format("backup") + "back up (tenuto_backup)")
    assert "also run doctor with the login of a worker" in said["backup"]["tasks"][1]
    assert said["guest"]["roles"][0] == "wrong"
    assert "it has none of Tenuto's roles; `tenuto db roles` prints" in said["guest"]["roles"][1]
    assert "row security" not in said["web"]


def test_a_login_that_does_not_exist_is_refused_with_those_that_do() -> None:
    refused = tenuto("db", "roles", "webb")

    assert refused.returncode == 2
    assert "write some of: owner, worker, web, server, readonly, backup" in refused.stderr
