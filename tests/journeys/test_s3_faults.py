"""An object store that refuses, is too busy, resets connections or sends half an object: nothing is half committed, the
error says what happened, and a later attempt succeeds."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tenuto.storage import open_store
from tests.dispatcher.test_purges import drain, effect
from tests.journeys.test_s3 import a_reader, a_source
from tests.support.database.attempts import outcomes
from tests.support.database.builds import with_data
from tests.support.database.invariants import assert_invariants
from tests.support.database.jobs import deployed, partitions, sales, trigger
from tests.support.database.loops import value
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.faults.faulty_s3 import Fault, FaultyS3, faulty_s3
from tests.support.processes.s3_server import BUCKET, S3Server
from tests.support.processes.s3_world import S3World, s3_world
from tests.support.waiting import wait_until

# By the partition that it meets: the request that breaks, how, and how often; then the attempts of the job that writes
# the partition and of the job that reads it. The client itself repeats what a busy server or a lost connection broke.
FAULTS: dict[str, tuple[str, str, Fault, int, int, int]] = {
    "file_denied": ("PUT", "part-00000.parquet", "denied", 1, 2, 1),
    "marker_denied": ("PUT", "_done", "denied", 1, 2, 1),
    "file_busy": ("PUT", "part-00000.parquet", "busy", 2, 1, 1),
    "marker_busy": ("PUT", "_done", "busy", 2, 1, 1),
    "file_reset": ("PUT", "part-00000.parquet", "reset", 2, 1, 1),
    "marker_reset": ("PUT", "_done", "reset", 2, 1, 1),
    "list_denied": ("GET", "list-type=2", "denied", 1, 1, 2),
    "list_busy": ("GET", "list-type=2", "busy", 2, 1, 1),
    "read_denied": ("GET", "part-00000.parquet", "denied", 1, 1, 2),
    "read_busy": ("GET", "part-00000.parquet", "busy", 2, 1, 1),
    "read_reset": ("GET", "part-00000.parquet", "reset", 2, 1, 1),
}


@pytest.fixture
def proxy(s3: S3Server) -> Iterator[FaultyS3]:
    with faulty_s3(s3.url) as proxy:
        yield proxy


@pytest.fixture
def world(database: str, s3: S3Server, proxy: FaultyS3, tmp_path: Path) -> Iterator[S3World]:
    with s3_world(database, s3, tmp_path, proxy.url) as world:
        yield world


DAG = {
    "name": "broken",
    "jobs": [
        a_source("load", "orders_of", "raw"),
        a_reader("sum", "raw", "select count(*) as n, sum(id) as total from raw", "sums"),
    ],
}


def retry_now(world: S3World) -> bool:
    """Tasks that wait for their next attempt need not wait long."""
    world.db.execute("update tenuto.delayed_tasks set available_at = tenuto.now() where reason = 'retry'")
    return True


def test_requests_that_break_once_or_twice_are_repeated_by_the_client_or_the_next_attempt(
    world: S3World, proxy: FaultyS3
) -> None:
    deployed(world.db, DAG)
    rules = {
        key: proxy.break_requests(method, f"/{key}/", name, fault=fault, times=times)
        for key, (method, name, fault, times, *_) in FAULTS.items()
    }
    tasks = {task["partition"]: task["task_id"] for task in trigger(world.db, "load", *FAULTS, dag="broken")}
    wait_until(lambda: retry_now(world) and partitions(world.db, "sums").keys() == FAULTS.keys())

    readers = partitions(world.db, "sums")
    attempts = {key: (len(outcomes(world.db, tasks[key])), len(outcomes(world.db, readers[key]))) for key in FAULTS}
    assert attempts == {key: fault[4:] for key, fault in FAULTS.items()}
    assert {key: rule.met for key, rule in rules.items()} == {key: fault[3] for key, fault in FAULTS.items()}
    assert partitions(world.db, "raw") == tasks
    for key, location in zip(sorted(FAULTS), world.locations("raw"), strict=True):
        assert location.endswith(f"{tasks[key]}-{FAULTS[key][4]}/")  # of the attempt that completed
        assert world.rows("sums", key) == [{"n": 3, "total": 3}]
    refused = "select error ->> 'message' from tenuto.task_attempts where task_id = %s and attempt = 1"
    for key, task in [*tasks.items(), *readers.items()]:
        if (message := value(world.db, refused, task)) is not None:
            assert "the server refuses access (AccessDenied); check AWS_ACCESS_KEY_ID" in message, key
    assert_invariants(world.db)


def test_a_store_that_stays_away_fails_attempts_until_it_is_back(world: S3World, proxy: FaultyS3) -> None:
    deployed(world.db, DAG)
    away = proxy.break_requests("PUT", "/1/", fault="busy", times=10_000)
    half = proxy.break_requests("GET", "/1/", "part-", fault="half", times=1)
    (task,) = trigger(world.db, "load", "1", dag="broken")
    wait_until(lambda: outcomes(world.db, task["task_id"]) == ["retrying"])
    seen = partitions(world.db, "raw"), world.objects("raw")
    away.times = 0
    wait_until(lambda: retry_now(world) and [*partitions(world.db, "sums")] == ["1"])

    assert seen == ({}, [])
    message = value(world.db, "select error ->> 'message' from tenuto.task_attempts where attempt = 1")
    assert "the S3 server does not respond as it should" in message
    assert outcomes(world.db, task["task_id"]) == ["retrying", "completed"]
    assert world.rows("sums") == [{"n": 3, "total": 3}]
    assert half.met == 1


def test_a_purge_that_the_store_refuses_or_does_not_answer_is_finished_later(
    db: Db, database: str, s3: S3Server, proxy: FaultyS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, setting in {**s3.environment, "AWS_ENDPOINT_URL": proxy.url}.items():
        monkeypatch.setenv(name, setting)
    store = open_store(f"s3://{BUCKET}/test-{uuid4().hex}", retry_seconds=0.5)
    with_data(db, a_worker(db), "mon", document=sales("select 1"))
    deployed(db, sales("select 2"), expected=1)
    new, old = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name="per_day")
    for version in (old, new):
        store.put(f"datasets/{version['storage_location']}mon/x-1/part-0.parquet", b"data")
    call(db, "purge_dataset", org_id=DEFAULT_ORG, name="per_day", keep=1)

    def purge() -> str:
        """Tries it; returns why it failed."""
        effect(db)
        drain(database, store)
        return str(effect(db)[1])

    proxy.break_requests("GET", fault="busy", times=10_000)
    busy = purge()
    proxy.rules.clear()
    for method in ("POST", "DELETE"):  # one request for all objects; then each is deleted on its own
        proxy.break_requests(method, fault="denied", times=10_000)
    denied = purge()
    proxy.rules.clear()
    purge()

    assert "cannot list" in busy
    assert "1 objects in" in denied
    assert "the server refuses access (AccessDenied)" in denied
    assert effect(db)[0] == "done"
    assert [item.key.split("/")[2] for item in store.list("datasets/")] == [str(new["id"])]
