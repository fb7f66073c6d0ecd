"""Jobs, datasets and versions on a real S3 server: they do what they do on a folder. All tests share one dispatcher and
one worker, and each has a DAG of its own."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.dispatcher import staging
from tenuto.storage.base import Store
from tests.journeys.test_builds import DAYS, EDITED, with_live_data
from tests.journeys.test_jobs import COLUMNS, DAY
from tests.support.database.attempts import error_of, outcomes
from tests.support.database.backfills import backfill, get
from tests.support.database.builds import status
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.invariants import assert_invariants
from tests.support.database.jobs import deployed, partitions, trigger
from tests.support.database.loops import count, value
from tests.support.database.sinks import READER, SINK
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.postgres.server import fresh_database
from tests.support.processes.s3_server import S3Server
from tests.support.processes.s3_world import S3World, s3_world
from tests.support.waiting import wait_until

HERE = "jobs"
ID = {"partition": {"kind": "key", "column": "id"}}


@pytest.fixture(scope="module")
def world(server: str, lean_template: str, s3: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3World]:
    with (
        fresh_database(server, f"s3_{uuid4().hex}", lean_template) as database,
        s3_world(database, s3, tmp_path_factory.mktemp("world")) as world,
    ):
        yield world
        assert_invariants(world.db)
        assert list(world.fleet.folder.rglob("*.parquet")) == []


def a_source(name: str, function: str, dataset: str, kind: str = "manual", **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "activation": "source",
        "operator": "python",
        "source": {"kind": kind},
        "config": {"task": f"{HERE}.{function}"},
        "outputs": [{"dataset": dataset, **DAY}],
        **changes,
    }


def a_reader(name: str, reads: str, sql: str, dataset: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "activation": "reactive",
        "operator": "sql",
        "execution_strategy": "PerPartition",
        "inputs": [{"from": {"dataset": reads}}],
        "config": {"sql": sql},
        "outputs": [{"dataset": dataset, **DAY}],
        **changes,
    }


def finish(world: S3World, dag: str, job: str, *keys: str, ends: str = "completed", **options: Any) -> list[Any]:
    """Triggers a job and waits for its tasks; returns them."""
    tasks = [task["task_id"] for task in trigger(world.db, job, *keys, dag=dag, **options)]
    wait_until(lambda: all(outcomes(world.db, task)[-1:] == [ends] for task in tasks))
    return tasks


def test_a_dag_is_computed_cut_over_and_rolled_back(world: S3World) -> None:
    with_live_data(world.db, world.fleet)
    assert world.rows("per_day", "2") == [{"day": "2", "n": 3}]
    for day in DAYS:
        world.fleet.open_gate(f"tally {day}")
    assert deploy(world.db, EDITED)["status"] == "building"
    wait_until(lambda: status(world.db, 2) == "ready")
    assert world.rows("per_week", "2") == [{"n": 30}]

    cutover(world.db, 1, 2, name="sales")
    assert world.rows("per_week", "2") == [{"n": 300}]
    rollback(world.db, 2, name="sales")

    assert world.rows("per_week", "2") == [{"n": 30}]


def test_data_is_replaced_and_what_is_refused_is_not_even_staged(world: S3World) -> None:
    checks = [{"kind": "unique", "columns": ["id"]}, {"kind": "row_count", "min": 9, "severity": "warn"}]
    strict: dict[str, Any] = {"outputs": [{"dataset": "strict", **DAY, "columns": COLUMNS, "checks": checks}]}
    refused = {
        "extract_twice": "checks refused the data of output 0 (strict_extract_twice):\n  "
        "unique: 1 values of id occur more than once",
        "extract_others": "the data does not match the columns of output 0 (strict_extract_others):\n  "
        "- day VARCHAR is declared, but not in the data\n  + date is not declared",
    }
    others = [
        a_source(name, name, "", outputs=[{**strict["outputs"][0], "dataset": f"strict_{name}"}]) for name in refused
    ]
    deployed(world.db, {"name": "strict", "jobs": [a_source("load", "orders_of", "", **strict), *others]})
    (first,) = finish(world, "strict", "load", "1")
    old = world.locations("strict")

    (second,) = finish(world, "strict", "load", "1", force=True)
    for name, message in refused.items():
        (task,) = finish(world, "strict", name, "1", ends="failed")
        assert error_of(world.db, task)["message"] == message
        assert world.objects(f"strict_{name}") == []

    assert partitions(world.db, "strict") == {"1": second}
    assert first != second
    assert len(world.objects("strict")) == 4  # a file and a marker of each task
    assert world.locations("strict") != old
    assert world.rows("strict") == [{"id": number, "day": "1"} for number in range(3)]
    checked = "select checks -> 1 ->> 'passed' from tenuto.partition_versions where task_id = %s"
    assert value(world.db, checked, second) == "false"


def test_appended_rows_are_read_once_and_a_sink_collects_those_of_several_jobs(world: S3World) -> None:
    columns = [{"name": "id", "type": "BIGINT", "not_null": True}, {"name": "note", "type": "VARCHAR"}]
    appends = {"update_strategy": "append", "unique_key": ["id"]}
    collect = a_source("collect", "bookings", "", outputs=[{"dataset": "booked", **ID, "columns": columns}], **appends)
    dedupe = a_reader("dedupe", "booked", "select id, note from booked order by id", "deduped", outputs=[
        {"dataset": "deduped"}])  # fmt: skip
    writers = [a_source(name, "reading", "", outputs=[{"append_to": "readings"}]) for name in ("north", "south")]
    sql = "select id, note from readings order by id"
    report = {**READER, "execution_strategy": "PerPartition", "config": {"sql": sql}}  # reads what all updates added
    deployed(world.db, {"name": "append", "jobs": [collect, dedupe, SINK, *writers, report]})
    call(world.db, "pause_job", org_id=DEFAULT_ORG, dag="append", name="dedupe")  # it runs once, over all partitions
    for key in ("2", "3"):
        finish(world, "append", "collect", key)
    for name in ("north", "south"):
        finish(world, "append", name)

    finish(world, "append", "dedupe", force=True)

    assert world.rows("deduped") == [{"id": 1, "note": "3"}, {"id": 2, "note": "own"}, {"id": 3, "note": "own"}]
    assert len(world.rows("booked")) == 4
    read = [{"id": 1, "note": "south"}, {"id": 2, "note": "own"}, {"id": 3, "note": "own"}]
    wait_until(lambda: world.rows("reports") == read)


def test_a_partition_that_is_computed_again_from_the_same_inputs_writes_no_objects(world: S3World) -> None:
    load = a_source("load", "orders_of", "memo_raw")
    sums = a_reader("sum", "memo_raw", "select sum(id) as total from memo_raw", "memo_sums")
    deployed(world.db, {"name": "memo", "jobs": [load, sums]})
    wait_until(lambda: not builds(world, "memo"))  # what a new version missed could be computed beside the event's task
    finish(world, "memo", "load", "1")
    wait_until(lambda: [*partitions(world.db, "memo_sums")] == ["1"])
    before = world.objects("memo_sums")

    (again,) = trigger(world.db, "sum", "1", dag="memo")
    finish(world, "memo", "load", "1", force=True)  # equal data: its event computes nothing
    wait_until(lambda: count(world.db, "event_reactions") > 0 and not unrouted(world))

    assert again["reused"]
    assert world.objects("memo_sums") == before
    assert world.rows("memo_sums") == [{"total": 3}]


def builds(world: S3World, dag: str) -> int:
    versions = "select v.id from tenuto.dag_versions v join tenuto.dags d on d.id = v.dag_id where d.name = %s"
    return count(world.db, "builds", f"due_at is not null and dag_version_id in ({versions})", dag)


def unrouted(world: S3World) -> int:
    return count(world.db, "outbox", "kind = 'route_event' and status <> 'done'")


def test_sources_write_what_webhooks_bring_and_what_a_follower_finds(world: S3World) -> None:
    hook = a_source("hook", "", "hooked", source={"kind": "webhook", "webhook_path": "/s3/new"}, operator="webhook")
    del hook["config"]
    hook["outputs"] = [{"dataset": "hooked"}]
    follower = a_source("follow", "follow", "", "continuous", outputs=[{"dataset": "followed"}])
    each = a_reader("each", "followed", "select max(id) as last from followed", "")
    each |= {"execution_strategy": "PerUpdate", "outputs": [{"dataset": "lasts"}]}
    deployed(world.db, {"name": "sources", "jobs": [hook, follower, each]})
    request = {"org_id": DEFAULT_ORG, "path": "/s3/new", "rotation": 0, "body": Jsonb([{"id": 7}, {"id": 8}])}
    for _ in range(2):
        call(world.db, "receive_webhook", key="once", **request)

    wait_until(lambda: [*partitions(world.db, "hooked")] == [None])
    assert world.rows("hooked") == [{"id": 7}, {"id": 8}]
    assert len(world.objects("hooked")) == 2
    wait_until(lambda: world.rows("followed") == [{"id": 2}, {"id": 3}])  # by its second task
    wait_until(lambda: any(row["last"] >= 3 for row in world.rows("lasts")))
    call(world.db, "pause_job", org_id=DEFAULT_ORG, dag="sources", name="follow")


def test_a_backfill_computes_what_is_missing(world: S3World) -> None:
    daily = {"partition": {"kind": "time", "column": "day", "every": "day"}}
    load = a_source("load", "orders_of", "", outputs=[{"dataset": "filled", **daily}])
    sums = a_reader("sum", "filled", "select count(*) as n from filled", "", outputs=[{"dataset": "filled_n", **daily}])
    deployed(world.db, {"name": "fill", "jobs": [load, sums]})
    days = ["2026-11-01", "2026-11-02", "2026-11-03"]
    finish(world, "fill", "load", days[1])

    id = backfill(world.db, "filled", first=days[0], last=days[-1])
    wait_until(lambda: get(world.db, id)["status"] == "completed")

    assert [world.rows("filled_n", day) for day in days] == [[{"n": 3}]] * 3
    assert len(world.objects("filled")) == 6  # the day that was there is not written again


def test_a_purge_deletes_the_objects_of_old_versions_alone(world: S3World) -> None:
    def document(factor: int) -> dict[str, Any]:
        sql = f"select id * {factor} as id from kept_raw"
        return {
            "name": "keep",
            "jobs": [a_source("load", "orders_of", "kept_raw"), a_reader("multiply", "kept_raw", sql, "kept")],
        }

    deployed(world.db, document(1))
    finish(world, "keep", "load", "1")
    wait_until(lambda: [*partitions(world.db, "kept")] == ["1"])
    (old,) = world.locations("kept")
    deploy(world.db, document(2), auto=True)
    wait_until(lambda: status(world.db, 2, "keep") == "current")
    everything = world.objects("kept")

    named = call(world.db, "purge_dataset", org_id=DEFAULT_ORG, name="kept", keep=1, dry_run=True)
    assert world.objects("kept") == everything
    call(world.db, "purge_dataset", org_id=DEFAULT_ORG, name="kept", keep=1)
    world.db.execute("update tenuto.outbox set available_at = tenuto.now() where kind = 'delete_data'")
    wait_until(lambda: world.keys(old) == [])

    old_version = old.partition("/1/")[0] + "/"
    assert [row["storage_location"] for row in named] == [old_version]
    assert world.rows("kept") == [{"id": 0}, {"id": 2}, {"id": 4}]
    assert world.objects("kept") == [key for key in everything if f"datasets/{old_version}" not in key] != everything


@dataclass
class Collector:
    pool: ConnectionPool
    store: Store | None


def test_files_of_attempts_that_failed_are_collected(world: S3World, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [a_source("load", "orders_of", "clean"), a_source("fail", "write_and_fail", "dirty")]
    deployed(world.db, {"name": "stage", "jobs": jobs})
    finish(world, "stage", "load", "1")
    finish(world, "stage", "fail", "1", ends="failed")
    assert (len(world.objects("clean")), len(world.objects("dirty"))) == (2, 2)
    monkeypatch.setattr(staging, "MIN_AGE", timedelta(seconds=-60))  # S3 gives no object an older time

    async def collect() -> None:
        async with open_pool(world.database, role="tenuto_dispatcher") as pool:
            while await staging.collect_staging(Collector(pool, world.store), 100):
                pass

    world.db.execute("update tenuto.dataset_versions set staging_checked_at = tenuto.now() - interval '25 hours'")
    asyncio.run(collect())

    assert (len(world.objects("clean")), world.objects("dirty")) == (2, [])
    assert world.rows("clean", "1") == [{"id": number, "day": "1"} for number in range(3)]
