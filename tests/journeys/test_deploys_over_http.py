"""A server that is killed while it deploys: the version is there as a whole or not at all, and a repeat finishes it."""

import base64
import json
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg

from tests.support.database.dags import deploy
from tests.support.database.functions import serve_functions
from tests.support.database.jobs import SALES, sales
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.http.both_ways import make_api_key
from tests.support.processes.command_line import Running, running, tenuto
from tests.support.waiting import wait_until

PEPPER = base64.b64encode(b"p" * 32).decode()  # as in tests/support/http/loopback.py
WAITING = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"


def address(server: Running) -> str:
    (url,) = re.findall(r"listening at (http://[\d.:]+)", server.said())
    return url


def test_a_deploy_whose_server_is_killed_is_finished_by_a_repeat(db: Db, database: str, tmp_path: Path) -> None:
    file = tmp_path / "sales.yaml"
    file.write_text(json.dumps(sales("select 2")))
    deploy(db, SALES)
    serve_functions(db)
    client = {"TENUTO_API_KEY": make_api_key(db, "*")}
    where = {"TENUTO_DATABASE_URL": database, "TENUTO_PEPPER": PEPPER}

    pids: list[int] = []

    with psycopg.connect(database) as holder, ThreadPoolExecutor() as threads:
        holder.execute("select from tenuto.dags for update")  # the deploy waits inside of its transaction
        with running("server", "--port", "0", ready="listening at", **where) as server:
            command = threads.submit(tenuto, "deploy", str(file), TENUTO_URL=address(server), **client)
            wait_until(lambda: pids.extend(pid for (pid,) in db.execute(WAITING).fetchall()) or pids)
            server.stop(signal.SIGKILL)
            lost = command.result()
        holder.rollback()
    wait_until(lambda: db.execute("select from pg_stat_activity where pid = any (%s)", [pids]).fetchall() == [])
    with running("server", "--port", "0", ready="listening at", **where) as server:
        again = tenuto("deploy", str(file), "--json", TENUTO_URL=address(server), **client)

    assert lost.returncode == 3, lost.stderr
    assert json.loads(again.stdout)["version"] == 2, again.stderr
    versions = call(db, "list_dag_versions", org_id=DEFAULT_ORG, name="sales")
    assert [(row["version"], row["jobs"]) for row in versions] == [(2, 2), (1, 2)]
