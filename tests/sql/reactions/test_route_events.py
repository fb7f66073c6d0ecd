"""Routing events: each event does exactly one thing to each job that reads the dataset."""

from typing import Any
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.db import events
from tests.support.database.dags import deploy
from tests.support.database.events import (
    RAW,
    a_reader,
    commit,
    queue_effect,
    queued,
    reactions,
    readers,
    reasons,
    route,
)
from tests.support.database.jobs import KEY, deployed, trigger
from tests.support.database.loops import an_org
from tests.support.database.outbox import effect, effects, take
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call
from tests.support.database.wrappers import call_wrapper


def test_a_commit_starts_a_task_of_every_job_that_reads_the_dataset(db: Db):
    deployed(db, readers(a_reader("daily"), a_reader("report")))
    worker = a_worker(db)
    first = commit(worker, "mon", "tue")
    assert [(kind, status) for kind, _, status in effects(db)] == [("route_event", "pending")]

    route(db)

    assert queued(db) == [
        ("daily", "mon", False), ("daily", "tue", False), ("report", "mon", False), ("report", "tue", False),
    ]  # fmt: skip
    assert reactions(db) == [
        ("daily", "mon", "triggered"), ("report", "mon", "triggered"),
        ("daily", "tue", "triggered"), ("report", "tue", "triggered"),
    ]  # fmt: skip
    assert effects(db)[0][2] == "done"
    job = worker.claim_one().input["job"]
    assert (job["partition"], job["event"]["dataset"], job["event"]["partition"]) == ("mon", "raw", "mon")
    assert job["inputs"][0]["location"].endswith(f"/mon/{first.task_id}-1/")


def test_a_task_that_publishes_nothing_and_a_dataset_that_nobody_reads_route_nothing(db: Db):
    deployed(db, readers())
    worker = a_worker(db)
    trigger(db)
    assert worker.complete(worker.claim_one()) == ["accepted"]
    assert effects(db) == []

    commit(worker)
    route(db)

    assert (reactions(db), effects(db)[0][2]) == ([], "done")


def test_routing_an_event_again_changes_nothing(db: Db):
    deployed(db, readers(a_reader(), a_reader("each", execution_strategy="PerUpdate")))
    worker = a_worker(db)
    commit(worker, "mon")
    route(db)
    before = (queued(db), reactions(db))
    db.execute("update tenuto.outbox set status = 'pending', processed_at = null")

    route(db, "two")

    assert (queued(db), reactions(db)) == before


def test_only_the_owner_of_an_effect_routes_it(db: Db, database: str):
    deployed(db, readers(a_reader()))
    commit(a_worker(db), "mon")
    (id,) = take(db, "one", kinds=("route_event",))

    assert call(db, "route_events", owner="two", ids=[id]) == []
    assert (queued(db), effect(db, id)["status"]) == ([], "processing")
    (row,) = call_wrapper(database, events.route_events, owner="one", ids=[id])
    assert (row.id, row.done) == (id, True)
    assert call(db, "route_events", owner="one", ids=[id]) == []


def test_a_job_for_every_update_gets_one_task_per_event_with_its_commit(db: Db):
    deployed(db, readers(a_reader("each", execution_strategy="PerUpdate")))
    worker = a_worker(db)
    commits = [commit(worker, "mon"), commit(worker, "mon")]
    route(db)

    claims = worker.claim(5)

    assert reactions(db) == [("each", "mon", "triggered")] * 2
    pins = [claim.input["job"]["inputs"][0] for claim in claims]
    assert [pin["location"].split("/")[-2] for pin in pins] == [f"{task.task_id}-1" for task in commits]
    assert [len(pin["locations"]) for pin in pins] == [1, 1]


def test_a_queued_task_of_a_partition_takes_later_events_over_and_reads_their_data(db: Db):
    deployed(db, readers(a_reader()))
    worker = a_worker(db)
    commit(worker, "mon")
    route(db)
    latest = commit(worker, "mon")
    route(db)

    assert reactions(db) == [("daily", "mon", "triggered"), ("daily", "mon", "deduped")]
    (claim,) = worker.claim(5)
    assert claim.input["job"]["inputs"][0]["location"].endswith(f"/{latest.task_id}-1/")
    (shown,) = call(db, "get_task", org_id=DEFAULT_ORG, task_id=claim.task_id)
    assert shown["input_versions"][0]["fingerprint"] == claim.input["job"]["inputs"][0]["fingerprint"]


def test_a_task_that_has_started_does_not_take_an_event_over(db: Db):
    deployed(db, readers(a_reader()))
    worker = a_worker(db)
    commit(worker, "mon")
    route(db)
    running = worker.claim_one()
    commit(worker, "mon")

    route(db)

    assert reactions(db) == [("daily", "mon", "triggered")] * 2
    assert queued(db) == [("daily", "mon", False)]
    assert worker.complete(running) == ["accepted"]


def test_a_task_that_waits_for_a_slot_takes_events_over_too(db: Db):
    deployed(db, readers(a_reader(scaling={"max_concurrency": 1})))
    worker = a_worker(db)
    commit(worker, "mon")
    route(db)
    assert len(worker.claim(5)) == 1
    for _ in range(2):
        commit(worker, "tue")
        route(db)

    assert reactions(db)[1:] == [("daily", "tue", "triggered"), ("daily", "tue", "deduped")]
    assert worker.claim(5) == []  # one at a time


def test_an_unchanged_output_wakes_nobody(db: Db):
    deployed(db, readers(a_reader(), a_reader("each", execution_strategy="PerUpdate")))
    worker = a_worker(db)
    commit(worker, "mon", fingerprint="a")
    route(db)
    worker.claim(5)
    commit(worker, "mon", fingerprint="a")
    commit(worker, "tue", fingerprint="a")

    route(db)

    assert reactions(db)[2:] == [
        ("daily", "mon", "filtered"), ("each", "mon", "filtered"),
        ("daily", "tue", "triggered"), ("each", "tue", "triggered"),
    ]  # fmt: skip
    assert "unchanged" in str(reasons(db)[2])


def test_an_input_that_is_only_read_starts_nothing(db: Db):
    other = {**RAW, "name": "rates", "outputs": [{"dataset": "rates", **KEY}]}
    inputs = [{"from": {"dataset": "raw"}, "trigger": False}, {"from": {"dataset": "rates"}}]
    deployed(db, readers(other, a_reader(inputs=inputs)))

    commit(a_worker(db), "mon")
    route(db)

    assert (reactions(db), queued(db)) == ([], [])


def test_a_filter_on_the_column_of_the_partitions_is_decided_without_a_task(db: Db):
    source = {**RAW, "outputs": [{"dataset": "raw", "partition": {"kind": "key", "column": "shop"}}]}
    filters = {"shop": "berlin", "colour": "red"}
    deployed(db, readers(a_reader(inputs=[{"from": {"dataset": "raw"}, "where": filters}]), source=source))

    commit(a_worker(db), "berlin", "paris")
    route(db)

    assert reactions(db) == [("daily", "berlin", "triggered"), ("daily", "paris", "filtered")]
    assert queued(db) == [("daily", "berlin", False)]


@pytest.mark.parametrize(
    ("map", "keys", "tasks"),
    [
        ({"kind": "identity"}, ["a", "b"], ["a", "b"]),
        ({"kind": "time", "every": "day"}, ["2026-11-16T23", "2026-11-17T05"], ["2026-11-16", "2026-11-17"]),
        ({"kind": "time", "every": "week"}, ["2026-11-16", "2026-11-22", "2026-11-23"], ["2026-11-16", "2026-11-23"]),
        ({"kind": "time", "every": "month"}, ["2026-11-16", "2026-11", "2026-12-01T00"], ["2026-11", "2026-12"]),
        ({"kind": "range", "size": 100}, ["0-50", "50-100", "150-350"], ["0-100", "100-200", "200-300", "300-400"]),
        ({"kind": "range", "size": 100}, ["-50-0", "0-10"], ["-100-0", "0-100"]),
    ],
)
def test_partitions_are_mapped(db: Db, map: dict[str, Any], keys: list[str], tasks: list[str]):
    deployed(db, readers(a_reader(inputs=[{"from": {"dataset": "raw"}, "map": map}])))
    worker = a_worker(db)
    commit(worker, *keys)
    route(db)

    assert sorted(task[1] for task in queued(db)) == sorted(tasks)
    read = [len(claim.input["job"]["inputs"][0]["locations"]) for claim in worker.claim(10)]
    assert sum(read) == len(keys) + (2 if "150-350" in keys else 0)  # this one is read by three tasks


@pytest.mark.parametrize("key", ["2026-02-30", "2026-11", "today", None])
def test_a_partition_that_cannot_be_mapped_is_filtered(db: Db, key: str | None):
    every = {"kind": "time", "every": "day"}
    deployed(db, readers(a_reader(inputs=[{"from": {"dataset": "raw"}, "map": every}])))

    commit(a_worker(db), key)
    route(db)

    assert [row[2] for row in reactions(db)] == ["filtered"]
    assert "does not map" in str(reasons(db)[0])


def test_a_join_waits_for_the_same_partition_of_all_inputs(db: Db):
    other = {**RAW, "name": "rates", "outputs": [{"dataset": "rates", **KEY}]}
    inputs = [{"from": {"dataset": name}, "trigger": "all_same_partition"} for name in ("raw", "rates")]
    deployed(db, readers(other, a_reader(inputs=inputs)))
    worker = a_worker(db)
    commit(worker, "mon")
    route(db)
    assert (reactions(db), queued(db)) == ([("daily", "mon", "filtered")], [])
    assert "rates" in str(reasons(db)[0])

    commit(worker, "mon", "tue", job="rates")
    route(db)

    assert reactions(db)[1:] == [("daily", "mon", "triggered"), ("daily", "tue", "filtered")]
    assert queued(db) == [("daily", "mon", False)]


def test_a_job_whose_task_cannot_be_started_does_not_stop_the_others(db: Db):
    deployed(db, readers(a_reader("bad"), a_reader("good")))
    db.execute(
        """update tenuto.jobs set definition = jsonb_set(definition, '{config}', to_jsonb(repeat('x', 1048570)))
           where name = 'bad'"""
    )

    commit(a_worker(db), "mon")
    route(db)

    assert reactions(db) == [("bad", "mon", "filtered"), ("good", "mon", "triggered")]
    assert str(reasons(db)[0]).startswith("no task could be started: the description of job bad has")


def test_events_of_many_consumers_are_routed_in_pieces(db: Db):
    deployed(db, readers(*(a_reader(f"job_{no}") for no in range(5))))
    commit(a_worker(db), "a", "b", "c")

    turns = route(db, limit=4)

    assert turns == 3  # an event is never cut: 5 reactions per turn
    assert reactions(db) == [(f"job_{no}", key, "triggered") for key in "abc" for no in range(5)]
    (payload,) = [payload for _, payload, _ in effects(db)]
    assert payload["next"] == 3


def test_events_of_other_orgs_are_not_read(db: Db):
    deployed(db, readers(a_reader()))
    commit(a_worker(db), "mon")
    other = call(db, "create_org", slug="other", name="Other")
    db.execute("update tenuto.outbox set org_id = %s", [other])

    route(db)

    assert (reactions(db), db.execute("select count(*) from tenuto.events").fetchone()) == ([], (0,))


def test_an_effect_that_names_nothing_is_done(db: Db):
    deploy(db, readers(a_reader()))
    nobody = "01999999-0000-7000-8000-000000000000"
    for payload in ({"emitted": [nobody]}, {"version": nobody}, {"job": nobody}):
        queue_effect(db, payload)

    route(db)

    assert {status for _, _, status in effects(db)} == {"done"}


def test_orgs_take_turns(db: Db):
    """An event of one org does not wait for the thousand that another org has queued before."""
    other = an_org(db, "other")
    for org_id, count in ((DEFAULT_ORG, 3), (other, 1)):
        payload = {"events": [str(uuid4()) for _ in range(count)]}
        db.execute("select tenuto._publish(%s, 'route_event', %s)", [org_id, [Jsonb(payload)]])

    due = db.execute(
        "select e.org_id, e.no from tenuto._due_events(array(select o from tenuto.outbox o order by o.id), 3) e"
    ).fetchall()

    assert set(due[:2]) == {(DEFAULT_ORG, 1), (other, 1)}
    assert due[2] == (DEFAULT_ORG, 2)
