"""Events that a running task emits: jobs react to them before it ends."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.db import events
from tenuto.model.errors import Conflict, InvalidInput, NotFound, StaleLease
from tests.support.database.builds import advance
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.events import RAW, a_reader, commit, queued, reactions, readers, route, versions
from tests.support.database.jobs import deployed, trigger
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, start
from tests.support.database.wrappers import call_wrapper

EACH = a_reader("each", execution_strategy="PerUpdate")


def emit(worker: Worker, claim: Claim, output: str = "raw", **event: Any) -> Any:
    fence = {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt}
    return call(worker.db, "emit_event", **fence, output=output, **event)


def a_running_source(db: Db, document: dict[str, Any]) -> tuple[Worker, Claim]:
    deployed(db, document)
    trigger(db)
    worker = a_worker(db)
    return worker, worker.claim_one()


def test_jobs_react_to_an_emitted_event_while_its_task_runs(db: Db):
    worker, claim = a_running_source(db, readers(EACH))

    id = emit(worker, claim, data=Jsonb({"order": 7}), partition="mon")
    route(db)

    assert reactions(db) == [("each", "mon", "triggered")]
    event = worker.claim_one().input["job"]["event"]
    assert event == {"id": str(id), "dataset": "raw", "partition": "mon", "data": {"order": 7}}


def test_a_key_is_emitted_once_also_by_another_attempt(db: Db, database: str):
    worker, claim = a_running_source(db, readers(EACH))
    first = emit(worker, claim, key="order 7")
    worker.fail(claim, retry=0)
    call(db, "promote_due")
    again = worker.claim_one()
    fence = {**worker.fence, "task_id": again.task_id, "attempt": again.attempt}

    assert call_wrapper(database, events.emit_event, **fence, output="raw", key="order 7") == first
    assert emit(worker, again) != first
    route(db)
    assert len(queued(db)) == 2


def test_filters_look_at_the_data_of_an_event(db: Db):
    inputs = [{"from": {"dataset": "raw"}, "where": {"shop": "berlin", "n": 1}}]
    worker, claim = a_running_source(db, readers({**EACH, "inputs": inputs}))
    for data in ({"shop": "berlin", "n": 1}, {"shop": "berlin"}, {"shop": "paris"}, {"shop": "berlin", "n": 2}):
        emit(worker, claim, data=Jsonb(data))

    route(db)

    assert [row[2] for row in reactions(db)] == ["triggered", "triggered", "filtered", "filtered"]


TICK = {**RAW, "outputs": [{"name": "tick"}]}


def ticks(sql: str = "select 1", source: dict[str, Any] = TICK) -> dict[str, Any]:
    """A source with an unpublished output, and a job below it."""
    below = {**EACH, "inputs": [{"from": {"job": "extract", "output": "tick"}}], "config": {"sql": sql}}
    return {"name": "sales", "jobs": [source, below]}


def test_an_unpublished_output_wakes_the_jobs_below_it(db: Db):
    worker, claim = a_running_source(db, ticks())
    emit(worker, claim, "tick")
    route(db)
    assert reactions(db) == [("each", "-", "triggered")]

    deployed(db, ticks(source={**TICK, "config": {"task": "shop.other"}}), expected=1)
    emit(worker, claim, "0")  # the version that is current defines its producer in another way
    route(db)

    assert versions(db) == [(1, "triggered"), (1, "stale")]


def test_a_task_that_a_cutover_leaves_running_emits_for_the_version_that_is_current(db: Db):
    worker, claim = a_running_source(db, ticks())
    deployed(db, ticks("select 2"), expected=1)
    emit(worker, claim, "tick")
    route(db)
    assert versions(db) == [(2, "triggered")]

    rollback(db, 2, name="sales")
    emit(worker, claim, "tick")
    route(db)
    assert versions(db) == [(2, "triggered"), (1, "triggered")]
    advance(db)  # version 1 catches up with the first event

    assert sorted(versions(db)) == [(1, "triggered"), (1, "triggered"), (2, "triggered")]


def test_events_of_an_unpublished_output_wait_for_a_version_that_reads_them_in_another_way(db: Db):
    worker, claim = a_running_source(db, ticks())
    deploy(db, ticks("select 2"))
    emit(worker, claim, "tick")
    route(db)
    assert versions(db) == [(1, "triggered"), (2, "paused")]

    cutover(db, 1, 2, name="sales")
    advance(db)

    assert versions(db) == [(1, "triggered"), (2, "triggered")]


def test_only_the_holder_emits_and_only_events_of_its_own_outputs(db: Db):
    worker, claim = a_running_source(db, readers(EACH))
    large = {"x": [*range(20_000)]}
    with pytest.raises(InvalidInput, match="has no output 'out_each'"):
        emit(worker, claim, "out_each")
    for data in ([1], large):
        with pytest.raises(InvalidInput):
            emit(worker, claim, data=Jsonb(data))
    with pytest.raises(InvalidInput):
        emit(worker, claim, partition="")
    worker.fail(claim, retry=0)
    with pytest.raises(StaleLease):
        emit(worker, claim)
    start(db, 1, kind={"type": "app.plain"})
    with pytest.raises(Conflict, match="does not belong to a job"):
        emit(worker, worker.claim_one())
    assert db.execute("select count(*) from tenuto.events").fetchone() == (0,)


def test_events_and_reactions_are_listed_newest_first(db: Db, database: str):
    deployed(db, readers(EACH, a_reader()))
    worker = a_worker(db)
    commit(worker, "mon", "tue")
    commit(worker, "wed")
    route(db)

    listed = call_wrapper(database, events.list_events, org_id=DEFAULT_ORG)
    assert [event.partition for event in listed] == ["wed", "tue", "mon"]
    assert (listed[0].dataset, listed[0].dag, listed[0].job, listed[0].version) == ("raw", "sales", "extract", 1)
    page = call(db, "list_events", org_id=DEFAULT_ORG, dataset="raw", before=listed[0].id, limit=1)
    assert [event["partition"] for event in page] == ["tue"]
    assert call(db, "list_events", org_id=DEFAULT_ORG, dataset="out_each") == []

    (first, second) = call_wrapper(database, events.list_reactions, org_id=DEFAULT_ORG, event_id=listed[0].id)
    assert sorted([first.job, second.job]) == ["daily", "each"]
    (rest,) = call(
        db, "list_reactions", org_id=DEFAULT_ORG, event_id=listed[0].id, after_event=first.event_id,
        after_job=first.job_id,
    )  # fmt: skip
    assert rest["job"] == second.job
    of_job = {"org_id": DEFAULT_ORG, "dag": "sales", "name": "each"}
    newest = call(db, "list_reactions", **of_job, limit=2)
    assert [row["event_partition"] for row in newest] == ["wed", "tue"]
    last = {"after_event": newest[1]["event_id"], "after_job": newest[1]["job_id"]}
    assert [row["event_partition"] for row in call(db, "list_reactions", **of_job, **last)] == ["mon"]


def test_events_of_another_org_and_unknown_ones_are_not_found(db: Db):
    deployed(db, readers(EACH))
    commit(a_worker(db), "mon")
    route(db)
    (event,) = call(db, "list_events", org_id=DEFAULT_ORG)
    other = call(db, "create_org", slug="other", name="Other")

    assert call(db, "list_events", org_id=other) == []
    for lookup in ({"event_id": event["id"]}, {"dag": "sales", "name": "each"}):
        with pytest.raises(NotFound):
            call(db, "list_reactions", org_id=other, **lookup)
    with pytest.raises(NotFound):
        call(db, "list_events", org_id=other, dataset="raw")
