"""Through a PgBouncer in transaction mode: worker, loops, client and server share a handful of connections."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import httpx2
import pytest

from tenuto.model.keys import API, key_hash, make_key, read_peppers
from tenuto.sdk.connect import connect
from tests.journeys.apps.plain import noop
from tests.support.database.attempts import ended, start_tasks, wait_for
from tests.support.database.loops import count, value
from tests.support.database.outbox import a_destination
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.postgres.pgbouncer import a_pooler
from tests.support.processes.remote_workers import PEPPER, RemoteFleet, a_remote_fleet, make_worker_key
from tests.support.processes.workers import Fleet, a_fleet
from tests.support.waiting import wait_until

OUTCOMES = "select outcome, count(*) from tenuto.task_attempts group by outcome"
LOGINS = {"worker": ["tenuto_worker", "tenuto_dispatcher"], "api": ["tenuto_api"]}


@pytest.fixture
def pooled(database: str) -> Iterator[dict[str, str]]:
    """A URL through the pooler for each login."""
    with a_pooler(database, LOGINS) as urls:
        yield urls


@pytest.fixture
def workers(pooled: dict[str, str], tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(pooled["worker"], tmp_path) as fleet:
        yield fleet


@pytest.fixture
def remote(db: Db, pooled: dict[str, str], tmp_path: Path) -> Iterator[RemoteFleet]:
    urls = {"database": pooled["worker"], "server_database": pooled["api"]}
    with a_remote_fleet(folder=tmp_path, key=make_worker_key(db), **urls) as fleet:
        yield fleet


def make_api_key(db: Db, org_id: UUID) -> str:
    key = make_key(API, "test")
    made = {"name": "ci", "permissions": ["*"], "created_by": "ann", "pepper_version": 1}
    call(db, "create_api_key", org_id=org_id, key_id=key.key_id, hash=key_hash(read_peppers(PEPPER), key.text), **made)
    return key.text


def ask(url: str, key: str, body: object = None) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    answer = httpx2.request("POST" if body else "GET", url, headers=headers, json=body, trust_env=False, timeout=30)
    return answer.raise_for_status().json()


def test_a_worker_and_a_client_work_through_it(db: Db, pooled: dict[str, str], workers: Fleet) -> None:
    workers.start("plain")
    start_tasks(db, "plain.noop", *range(2000))

    async def results() -> list[int]:
        async with connect(url=pooled["worker"], home=workers.folder / "home") as tn:
            runs = [await tn.start(noop, no) for no in range(20)]
            return [await run.result() for run in runs]

    assert asyncio.run(results()) == list(range(20))
    wait_for(db, 2020)
    ends = dict(db.execute(OUTCOMES).fetchall())
    ends.pop("interrupted", None)  # claimed ahead and given back, where the machine stood still for a second
    assert ends == {"completed": 2020}
    of_workers = "usename like '%%_worker' and datname = current_database()"
    assert value(db, f"select count(distinct pid) from pg_stat_activity where {of_workers}") <= 4


def test_everything_a_task_asks_goes_through_it(db: Db, workers: Fleet) -> None:
    a_destination(db)
    workers.start("remote")
    kinds = ("everything", "everything_thread", "everything_process")
    tasks = [start_tasks(db, f"remote.{kind}", kind)[0] for kind in kinds]
    wait_until(lambda: count(db, "waiting_tasks", "signal = 'approved'") == 3)
    for task in tasks:
        call(db, "send_signal", org_id=DEFAULT_ORG, run_id=task, name="approved", value={"by": "me"})
    wait_for(db, 12)

    assert sorted(workers.effects()) == sorted(f"charge {kind}" for kind in kinds)


def test_the_server_shows_each_org_its_own_through_shared_connections(db: Db, remote: RemoteFleet) -> None:
    remote.start("plain")
    orgs = [DEFAULT_ORG, call(db, "create_org", slug="other")]
    keys = [make_api_key(db, org_id) for org_id in orgs]
    mine = [set(), set()]
    for no in range(30):
        who = no % 2
        started = ask(f"{remote.url}/v1/runs", keys[who], {"type": "plain.noop", "input": [no]})
        mine[who].add(started["id"])
    wait_until(lambda: ended(db) == 15)  # the worker's key is of the first org

    for key, own in zip(keys, mine, strict=True):
        items = ask(f"{remote.url}/v1/runs?limit=200", key)["items"]
        assert isinstance(items, list)
        assert {item["id"] for item in items} == own
