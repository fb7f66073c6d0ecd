"""OpenLineage events as receivers get them: valid, in order per run, and late only where the receiver is."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from socket import create_server
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.pool import open_pool
from tenuto.dispatcher import deliveries
from tenuto.dispatcher.deliveries import Deliverer
from tenuto.dispatcher.effects import EffectRunner
from tenuto.dispatcher.lineage_events import LineageEmitter
from tenuto.lineage.openlineage import run_id
from tenuto.model.deliveries import check_destination_url, encrypt_secret
from tenuto.model.errors import InvalidInput
from tenuto.model.keys import Peppers
from tests.support.clock import Clock
from tests.support.database.jobs import deployed, publication, publish, sales, trigger
from tests.support.database.outbox import effects
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.http.stub_server import StubServer, a_stub_server
from tests.support.openlineage import check_event, facets_of
from tests.support.waiting import wait_until

PEPPERS = Peppers((b"n" * 32,))
NAMESPACE = "tenuto://default"
DAY = "2026-01-01"
SOURCE = {"column": "total", "input": 0, "field": "at", "kind": "direct", "subtype": "aggregation"}
FILTER = {"column": None, "input": 0, "field": "at", "kind": "indirect", "subtype": "filter"}


@pytest.fixture
def receiver() -> Iterator[StubServer]:
    with a_stub_server() as site:
        yield site


def declare(db: Db, url: str, name: str = "marquez") -> None:
    secret = encrypt_secret("tns_x", DEFAULT_ORG, name, PEPPERS)
    call(db, "put_destination", org_id=DEFAULT_ORG, name=name, url=url, secret=secret, openlineage=True)


def deliver(db: Db, database: str, folder: Path | None = None, *, times: int = 1) -> None:
    """Let a dispatcher deliver, after every pause is over."""
    db.execute("update tenuto.outbox set available_at = now() where status = 'pending'")
    deliver_all(database, folder, times)


def deliver_all(database: str, folder: Path | None, times: int) -> None:
    async def story() -> None:
        deliverer = Deliverer(PEPPERS, private=True)
        async with open_pool(database, role="tenuto_dispatcher") as pool:
            runner = EffectRunner(pool, {"emit_lineage": LineageEmitter(deliverer, folder)}, owner="me")
            for _ in range(times):
                await runner.take(100)
                await runner.finish()
        await deliverer.close()

    asyncio.run(story())


def received(receiver: StubServer) -> list[dict[str, Any]]:
    """The events that a receiver has got, each valid."""
    events = [json.loads(body) for body in receiver.bodies]
    for event in events:
        check_event(event)
    return events


def of_runs(events: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The types of the events of each run, in the order in which they came."""
    runs: dict[str, list[str]] = {}
    for event in events:
        if "run" in event:
            runs.setdefault(event["run"]["runId"], []).append(event["eventType"])
    return runs


def test_the_events_of_a_pipeline_are_valid_and_say_what_was_read_and_written(
    db: Db, database: str, receiver: StubServer
):
    declare(db, f"{receiver.url}/api/v1/lineage")
    deployed(db, sales('select "at", total from raw'))
    worker = a_worker(db)
    trigger(db, "extract", DAY)
    first = worker.claim_one()
    checks = [{"name": "unique at", "severity": "warn", "passed": False, "message": "2 rows"}]
    worker.complete(first, published=[[publication(first, DAY, checks=checks)]])
    trigger(db, "daily", DAY, dedupe_key="nightly")
    second = worker.claim_one()
    lineage = {"method": "sql", "confidence": "exact", "columns": [SOURCE, FILTER]}
    worker.complete(second, published=[[publication(second, DAY, lineage=lineage)]])

    deliver(db, database)

    events = received(receiver)
    assert len([event for event in events if "run" not in event]) == 4  # two jobs, two datasets
    assert list(of_runs(events).values()) == [["START", "COMPLETE"]] * 2
    last = next(e for e in events if e.get("eventType") == "COMPLETE" and e["job"]["name"] == "sales.daily")
    assert last["job"]["namespace"] == NAMESPACE
    assert last["job"]["facets"]["sql"]["query"] == 'select "at", total from raw'
    assert {tag["key"]: tag["value"] for tag in last["run"]["facets"]["tags"]["tags"]}["dedupe_key"] == f"nightly/{DAY}"
    (read,), (written,) = last["inputs"], last["outputs"]
    assert (read["name"], written["name"]) == ("raw", "per_day")
    assert read["inputFacets"]["subset"]["inputCondition"]["partitions"][0]["identifier"] == DAY
    assert read["facets"]["schema"]["fields"] == [{"name": "at", "type": "TIMESTAMP"}]
    assert (
        written["outputFacets"]["outputStatistics"] | {"rowCount": 3, "size": 100}
        == (written["outputFacets"]["outputStatistics"])
    )
    columns = written["facets"]["columnLineage"]
    (source,) = columns["fields"]["total"]["inputFields"]
    assert (source["name"], source["field"], source["transformations"]) == (
        "raw", "at", [{"type": "DIRECT", "subtype": "AGGREGATION"}],
    )  # fmt: skip
    assert columns["dataset"][0]["transformations"][0]["subtype"] == "FILTER"
    raw = next(e for e in events if e.get("eventType") == "COMPLETE" and e["job"]["name"] == "sales.extract")
    assert raw["outputs"][0]["outputFacets"]["dataQualityAssertions"]["assertions"] == [
        {"assertion": "unique at", "success": False, "severity": "warn", "actual": "2 rows"}
    ]
    assert len({facet["_schemaURL"] for event in events for facet in facets_of(event)}) >= 16


def test_failures_retries_and_cancels_are_runs_of_their_own(db: Db, database: str, receiver: StubServer, clock: Clock):
    declare(db, receiver.url)
    deployed(db)
    worker = a_worker(db)
    (task,) = trigger(db, "extract", DAY)
    worker.fail(worker.claim_one(), error="no")
    clock.advance(minutes=10)
    call(db, "promote_due")
    claim = worker.claim_one()
    call(db, "emit_running")
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=task["task_id"])
    worker.fail(claim)

    deliver(db, database, times=2)

    events = [event for event in received(receiver) if "run" in event]
    task_id = str(task["task_id"])
    ids = [run_id({"task_id": task_id, "attempt": n, "dag": "", "job": ""}) for n in (1, 2)]
    assert of_runs(events) == {ids[0]: ["START", "FAIL"], ids[1]: ["START", "ABORT"]}
    error = next(event for event in events if event["eventType"] == "FAIL")["run"]["facets"]["errorMessage"]
    assert error["message"] == "no"


def test_a_receiver_that_was_away_gets_everything_in_order(db: Db, database: str, receiver: StubServer):
    declare(db, receiver.url)
    deployed(db)
    receiver.answer = (500, b"no")
    worker = a_worker(db)
    for number in range(1, 4):
        trigger(db, "extract", f"2026-01-0{number}")
        claim = worker.claim_one()
        call(db, "emit_running")
        deliver(db, database)
        publish(worker, claim, f"2026-01-0{number}")
        deliver(db, database)
    receiver.answer = (201, b"")
    receiver.bodies.clear()
    for _ in range(3):
        deliver(db, database)

    runs = of_runs(received(receiver))
    assert list(runs.values()) == [["START", "COMPLETE"]] * 3
    assert {status for kind, _, status in effects(db) if kind == "emit_lineage"} == {"done"}


def test_receivers_that_fail_or_close_delay_only_themselves(
    db: Db, database: str, receiver: StubServer, tmp_path: Path
):
    with a_stub_server() as failing, create_server(("127.0.0.1", 0)) as closing:
        failing.answer = (500, b"")

        def close_next() -> None:
            with suppress(OSError):
                closing.accept()[0].close()

        for _ in range(8):  # as many as are in progress at a time
            threading.Thread(target=close_next, daemon=True).start()
        declare(db, failing.url, "failing")
        declare(db, f"http://127.0.0.1:{closing.getsockname()[1]}", "closing")
        declare(db, receiver.url, "sound")
        declare(db, "file:events.jsonl", "file")
        deployed(db)
        worker = a_worker(db)
        trigger(db, "extract", DAY)
        publish(worker, worker.claim_one(), DAY)

        deliver(db, database, tmp_path, times=3)

    assert list(of_runs(received(receiver)).values()) == [["START", "COMPLETE"]]
    lines = (tmp_path / str(DEFAULT_ORG) / "events.jsonl").read_text().splitlines()
    assert list(of_runs([json.loads(line) for line in lines]).values()) == [["START", "COMPLETE"]]
    waiting = db.execute("""select distinct destination from tenuto.outbox
        where kind = 'emit_lineage' and status = 'pending' order by 1""").fetchall()
    assert waiting == [("closing",), ("failing",)]


def test_a_receiver_that_never_responds_delays_only_itself_and_gets_everything_later(
    db: Db, database: str, receiver: StubServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(deliveries, "DELIVERY_SECONDS", 3.0)
    with a_stub_server() as hanging:
        hanging.released.clear()
        declare(db, hanging.url, "hanging")
        declare(db, receiver.url, "sound")
        deployed(db)
        worker = a_worker(db)
        trigger(db, "extract", DAY)
        publish(worker, worker.claim_one(), DAY)
        expected = len(effects(db)) // 2

        async def story() -> list[str]:
            """Returns the states of the rows of the receiver that hangs when the other one has everything."""
            deliverer = Deliverer(PEPPERS, private=True)
            async with open_pool(database, role="tenuto_dispatcher") as pool:
                runner = EffectRunner(pool, {"emit_lineage": LineageEmitter(deliverer)}, owner="me")
                while len(receiver.bodies) < expected:
                    await runner.take(100)
                    await asyncio.sleep(0.01)
                states = db.execute(
                    "select distinct status from tenuto.outbox where destination = 'hanging'"
                ).fetchall()
                await runner.finish()
            await deliverer.close()
            return [state for (state,) in states]

        assert "done" not in asyncio.run(story())
        assert list(of_runs(received(receiver)).values()) == [["START", "COMPLETE"]]
        errors = db.execute("select distinct last_error from tenuto.outbox where destination = 'hanging'").fetchall()
        assert errors == [("DeliveryFailed: no response within 3 s",)]
        hanging.bodies.clear()
        hanging.released.set()
        deliver(db, database, times=2)
        assert list(of_runs(received(hanging)).values()) == [["START", "COMPLETE"]]


def test_a_dispatcher_that_is_killed_while_it_delivers_loses_nothing(db: Db, database: str, receiver: StubServer):
    declare(db, receiver.url)
    deployed(db)
    deliver(db, database)
    worker = a_worker(db)
    trigger(db, "extract", DAY)
    publish(worker, worker.claim_one(), DAY)
    receiver.bodies.clear()
    receiver.released.clear()
    dispatcher = get_context("spawn").Process(target=deliver_all, args=(database, None, 1))
    dispatcher.start()
    wait_until(lambda: bool(receiver.bodies))
    dispatcher.kill()
    dispatcher.join()
    receiver.released.set()
    receiver.bodies.clear()
    db.execute("update tenuto.outbox set locked_until = now() - interval '1 second' where status = 'processing'")

    deliver(db, database)

    assert list(of_runs(received(receiver)).values()) == [["START", "COMPLETE"]]


def test_a_file_needs_the_folder_of_the_operator_and_stays_in_it(db: Db, database: str):
    declare(db, "file:events.jsonl")
    deployed(db)
    deliver(db, database)
    (error,) = db.execute("select distinct last_error from tenuto.outbox where kind = 'emit_lineage'").fetchone() or ""
    assert "TENUTO_LINEAGE_FOLDER" in error

    for url in ("file:../x", "file:/etc/x", "file:.x", "file:", "file:a/b"):
        with pytest.raises(InvalidInput):
            check_destination_url(url, openlineage=True)
        with pytest.raises(InvalidInput, match="is not the URL of a destination"):
            declare(db, url)
    with pytest.raises(InvalidInput):
        check_destination_url("file:events.jsonl")


def test_an_event_whose_rows_retention_deleted_is_valid_too(db: Db, database: str, receiver: StubServer):
    declare(db, receiver.url)
    deployed(db)
    worker = a_worker(db)
    trigger(db, "extract", DAY)
    publish(worker, worker.claim_one(), DAY)
    for table in ("task_attempts", "job_tasks", "tasks"):
        db.execute(f"delete from tenuto.{table}")

    deliver(db, database)

    events = [event for event in received(receiver) if "run" in event]
    assert [(event["eventType"], event["job"]["name"]) for event in events] == [
        ("START", "sales.extract"),
        ("COMPLETE", "sales.extract"),
    ]


def test_an_org_chooses_its_namespace(db: Db, database: str, receiver: StubServer):
    declare(db, receiver.url)
    call(db, "set_org_settings", org_id=DEFAULT_ORG, settings=Jsonb({"lineage_namespace": "tenuto://prod/acme"}))
    deployed(db)
    deliver(db, database)

    assert {event["job"]["namespace"] for event in received(receiver) if "job" in event} == {"tenuto://prod/acme"}
    with pytest.raises(InvalidInput, match="lineage_namespace is"):
        call(db, "set_org_settings", org_id=DEFAULT_ORG, settings=Jsonb({"lineage_namespace": "with a space"}))
