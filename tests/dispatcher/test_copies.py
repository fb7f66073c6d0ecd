"""A copy of a database beside the running original: its dispatcher does nothing until the copy is adopted."""

import asyncio
import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.db import embedded, workers
from tenuto.db.connection.call import call_sync
from tenuto.db.connection.pool import open_pool
from tenuto.db.embedded.paths import find_paths
from tenuto.dispatcher.adoption import REPEAT_SECONDS, Adoption
from tenuto.dispatcher.fleet import machines
from tenuto.model.deliveries import encrypt_secret
from tenuto.model.installation import Installation
from tenuto.model.keys import Peppers
from tenuto.model.metrics import REGISTRY
from tenuto.storage import open_store
from tenuto.worker.supervisor.outage_log import OutageLog, wait_out
from tests.dispatcher.conftest import dispatching
from tests.support.database.copies import an_installation, cloned, restored, transactions
from tests.support.database.loops import value
from tests.support.database.outbox import a_destination, effect, publish
from tests.support.database.pools import registers
from tests.support.database.schedules import put, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one, status
from tests.support.http.stub_server import StubServer, a_stub_server
from tests.support.postgres.server import PG_BIN, copy_home, make_folder
from tests.support.processes.cloud import Cloud
from tests.support.waiting import wait_until

PEPPERS = Peppers((b"n" * 32,))
Copying = Callable[[str, str], AbstractContextManager[str]]


@pytest.fixture(autouse=True)
def _compares_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "RECONCILE_SECONDS", -1.0)
    monkeypatch.setattr(machines, "QUICK_RECONCILE_SECONDS", -1.0)


@pytest.fixture
def original(server: str, server_folder: Path) -> Iterator[str]:
    with an_installation(server, server_folder) as url:
        yield url


@pytest.fixture
def receiver() -> Iterator[StubServer]:
    with a_stub_server() as site:
        yield site


class SharedCloud(Cloud):
    """A provider in another dispatcher, which reaches the same machines."""

    def __init__(self, other: Cloud) -> None:
        super().__init__()
        self.running, self.stopped, self.unlisted = other.running, other.stopped, other.unlisted
        self.other = other

    async def spawn(self, request: Any) -> str:
        self.made = self.other.made
        machine = await super().spawn(request)
        self.other.made = self.made
        return machine


def options(cloud: Cloud, store: Path) -> dict[str, Any]:
    return {
        "providers": {"cloud": cloud},
        "org_id": DEFAULT_ORG,
        "peppers": PEPPERS,
        "private_destinations": True,
        "store": open_store(store.as_uri()),
    }


def busy(db: Db, receiver: StubServer) -> int:
    """Give the original a pool with work, a due schedule and a pending delivery; return the delivery."""
    call(db, "set_pool", org_id=DEFAULT_ORG, name="gpu", policy=Jsonb({"provider": "cloud", "max_workers": 2}))
    start_one(db)
    put(db, datetime.now(UTC) + timedelta(hours=1))
    a_destination(db, url=f"{receiver.url}/hook", secret=encrypt_secret("tns_secret", DEFAULT_ORG, "crm", PEPPERS))
    return publish(db, {"destination": "crm", "body": {}})[0]


@pytest.mark.parametrize("copying", [restored, cloned], ids=["a restored dump", "a database made from its template"])
def test_the_dispatcher_of_a_copy_ends_starts_fires_and_delivers_nothing_until_it_is_adopted(
    server: str, original: str, receiver: StubServer, tmp_path: Path, copying: Copying, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    cloud = Cloud()
    with psycopg.connect(original, autocommit=True) as db:
        delivery = busy(db, receiver)
    with copying(server, original) as url, psycopg.connect(url, autocommit=True) as db:
        db.execute("update tenuto.schedules set next_at = tenuto.now() - interval '1 minute'")
        task = value(db, "select id from tenuto.ready_tasks")
        with dispatching(original, **options(cloud, tmp_path / "objects")):
            wait_until(lambda: cloud.running and receiver.bodies)
            with psycopg.connect(original, autocommit=True) as first:
                registers(first, next(iter(cloud.running.values())).name)
            of_original, delivered = dict(cloud.running), len(receiver.bodies)
            shared = SharedCloud(cloud)
            with dispatching(url, **options(shared, tmp_path / "copied")):
                wait_until(lambda: "is a copy of an installation" in caplog.text)
                wait_until(lambda: db.execute("select from tenuto.dispatchers").fetchone() is not None)
                seen = transactions(server, url)
                wait_until(lambda: transactions(server, url) > seen + 10)

                assert shared.calls == []
                assert (cloud.running, len(receiver.bodies)) == (of_original, delivered)
                assert effect(db, delivery)["status"] == "pending"
                assert schedule(db)["last_at"] is None
                assert status(db, task) == "queued"

                db.execute("select tenuto.adopt_database()")
                wait_until(lambda: schedule(db)["last_at"] is not None)
                wait_until(lambda: effect(db, delivery)["status"] == "done")
                wait_until(lambda: len(cloud.running) > len(of_original))
                wait_until(lambda: "the database is adopted" in caplog.text)

            assert of_original.items() <= cloud.running.items(), "the machines of the original run on"
            mine = {request.pool_id for name, request in cloud.running.items() if name not in of_original}
            assert mine.isdisjoint(request.pool_id for request in of_original.values())
            assert task in {claim.task_id for claim in a_worker(db, "staging").claim(10)}


def test_a_copy_is_logged_once_per_hour_and_measured(caplog: pytest.LogCaptureFixture) -> None:
    now, adoption = datetime.now(UTC), Adoption()
    copied = Installation(None, now, [], [], "it is a copy")

    adoption.check(copied)
    adoption.check(copied)

    assert caplog.text.count("it is a copy: no loops") == 1
    assert REGISTRY.get_sample_value("tenuto_database_copy") == 1
    adoption.logged_at -= REPEAT_SECONDS
    adoption.check(copied)
    assert caplog.text.count("it is a copy: no loops") == 2
    adoption.check(replace(copied, copy_problem=None))
    assert REGISTRY.get_sample_value("tenuto_database_copy") == 0


def test_a_worker_waits_until_the_copy_is_adopted(server: str, original: str) -> None:
    reasons: list[str] = []
    refused, adopted = threading.Event(), threading.Event()

    async def register(url: str) -> int:
        def gone(reason: str, _: float) -> None:
            reasons.append(reason)
            refused.set()

        log = OutageLog(gone=gone, back=lambda _: adopted.set())
        async with open_pool(url, role="tenuto_worker", size=1) as pool:
            session = await wait_out(
                lambda: pool.call(workers.register_worker, org_id=DEFAULT_ORG, worker_id="w"), log, "w"
            )
        return session.session_id

    with cloned(server, original) as url, psycopg.connect(url, autocommit=True) as db:
        sessions: list[int] = []
        thread = threading.Thread(target=lambda: sessions.append(asyncio.run(register(url))))
        thread.start()
        refused.wait(60)
        db.execute("select tenuto.adopt_database()")
        thread.join(60)

        assert (len(sessions), adopted.is_set()) == (1, True)
        assert "`tenuto db adopt`" in reasons[0]


def test_a_dispatcher_records_its_store_and_stays_passive_with_that_of_the_original(
    server: str, original: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store((tmp_path / "objects").as_uri())
    with psycopg.connect(original, autocommit=True) as db, dispatching(original, store=store):
        wait_until(lambda: db.execute("select stores from tenuto.installation_marks").fetchone() == ([store.root],))
    with cloned(server, original) as url, psycopg.connect(url, autocommit=True) as db:
        db.execute("select tenuto.adopt_database(p_store => 'file:///elsewhere/')")
        adopted = value(db, "select tenuto.now()")

        with dispatching(url, store=store):
            wait_until(lambda: f"{store.root} belongs to the installation" in caplog.text)

        held = (
            "select from tenuto.loop_leases l join tenuto.dispatchers d on d.id = l.dispatcher_id and d.heartbeat > %s"
        )
        assert db.execute(held.encode(), [adopted]).fetchall() == []


def test_a_promoted_standby_goes_on_and_a_name_tells_a_copy_of_files(migrated_home: Path) -> None:
    parent = make_folder("tenuto-standby-")
    try:
        copy_home(migrated_home, parent / "home")
        data = find_paths(parent / "home").data
        (data / "standby.signal").touch()
        shutil.chown(data / "standby.signal", data.owner(), data.group())
        with embedded.server(parent / "home", pg_bin=PG_BIN) as url, psycopg.connect(url, autocommit=True) as db:
            assert value(db, "select pg_is_in_recovery()")
            assert value(db, "select pg_promote()")

            assert call_sync(db, "get_installation")[0]["copy_problem"] is None
            assert a_worker(db).session_id
            assert call_sync(db, "get_installation", installation="staging")[0]["copy_problem"] is not None
    finally:
        shutil.rmtree(parent)
