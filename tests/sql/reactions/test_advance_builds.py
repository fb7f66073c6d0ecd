"""Builds: a new version is computed beside the current one, and only then can become current."""

from typing import Any
from uuid import UUID

import psycopg
import pytest

from tenuto.model.errors import Conflict
from tests.support.database.builds import advance, compute, status, version, with_data
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.events import RAW, a_reader, commit
from tests.support.database.jobs import KEY, SALES, deployed, partitions, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

EDITED = sales("select 2")


def new_data(db: Db) -> dict[str | None, UUID]:
    """What is committed in the newest version of `per_day`."""
    newest, *_ = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name="per_day")
    return partitions(db, "per_day", version_id=newest["id"])


def test_a_version_without_anything_to_compute_is_ready_at_once(db: Db):
    assert deploy(db, SALES)["status"] == "ready"
    cutover(db, name="sales")

    assert deploy(db, EDITED)["status"] == "ready"  # `raw` has no data yet
    advance(db)
    assert (status(db, 2), version(db, 2)["planned"]) == ("ready", None)


def test_a_version_is_built_beside_the_current_one(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue")
    before = partitions(db, "per_day")
    assert deploy(db, EDITED)["status"] == "building"
    advance(db)

    assert (status(db, 2), version(db, 2)["completed"], version(db, 2)["planned"]) == ("building", 0, 2)
    claim = worker.claim_one()
    assert claim.input["job"]["version"] == 2
    publish(worker, claim, claim.input["job"]["partition"])
    advance(db)
    assert (status(db, 2), version(db, 2)["completed"]) == ("building", 1)
    compute(worker)
    advance(db)
    assert (status(db, 2), version(db, 2)["completed"], version(db, 2)["planned"]) == ("ready", 2, 2)

    assert partitions(db, "per_day") == before  # readers see the old version
    built = new_data(db)
    assert built.keys() == {"mon", "tue"}
    assert built != before
    cutover(db, 1, name="sales")
    assert partitions(db, "per_day") == built
    rollback(db, 2, name="sales")
    assert partitions(db, "per_day") == before


def test_only_ready_versions_become_current(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon")
    deploy(db, EDITED)
    for _ in range(2):
        with pytest.raises(Conflict, match="version 2 cannot become current: it is building"):
            cutover(db, 1, 2, name="sales")
        with pytest.raises(Conflict, match="no version of sales is ready"):
            cutover(db, 1, name="sales")
        advance(db)  # the second time its task is open
    compute(worker)
    assert status(db, 2) == "building"
    advance(db)

    assert status(db, 2) == "ready"
    assert cutover(db, 1, name="sales")["version"] == 2


def test_a_forced_cutover_leaves_the_build_to_go_on(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue")
    deploy(db, EDITED)
    cutover(db, 1, 2, name="sales", force=True)
    advance(db)

    assert compute(worker) == ["mon", "tue"]
    advance(db)
    assert status(db, 2) == "current"
    assert partitions(db, "per_day").keys() == {"mon", "tue"}


def test_auto_makes_a_version_current_when_it_is_ready(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon")
    assert deploy(db, EDITED, auto=True)["status"] == "building"
    advance(db)
    compute(worker)
    advance(db)

    assert (status(db, 1), status(db, 2)) == ("superseded", "current")
    assert partitions(db, "per_day").keys() == {"mon"}
    newest, *_ = call(db, "list_deploys", org_id=DEFAULT_ORG, name="sales")
    assert (newest["action"], newest["from_version"], newest["to_version"], newest["created_by"]) == (
        "cutover", 1, 2, "ann",
    )  # fmt: skip


def test_auto_does_not_replace_a_version_that_became_current_meanwhile(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon")
    deploy(db, EDITED, auto=True)
    deploy(db, sales("select 3"))
    cutover(db, 1, 3, name="sales", force=True)
    advance(db)
    compute(worker)
    advance(db)

    assert (status(db, 2), status(db, 3)) == ("ready", "current")
    assert version(db, 2)["error"].startswith("ready, but not made current: version 3 is current, not 1")


def test_auto_can_be_added_by_a_second_deploy(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon")
    deploy(db, EDITED)
    again = deploy(db, EDITED, auto=True)
    advance(db)
    compute(worker)
    advance(db)

    assert (again["created"], again["status"], status(db, 2)) == (False, "building", "current")


def test_a_task_that_fails_for_good_fails_the_version_until_it_is_deployed_again(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue")
    deploy(db, EDITED)
    advance(db)
    bad, good = worker.claim(2)
    worker.fail(bad, error="no such column", final=True)
    advance(db)
    assert status(db, 2) == "building"  # the other task may still complete
    publish(worker, good, good.input["job"]["partition"])
    advance(db)

    failed = version(db, 2)
    partition = bad.input["job"]["partition"]
    assert (failed["status"], failed["completed"], failed["planned"]) == ("failed", 1, 2)
    assert failed["error"] == f"task {bad.task_id} of job daily for {partition}: no such column"
    with pytest.raises(Conflict, match="version 2 cannot become current: it is failed"):
        cutover(db, 1, 2, name="sales")

    again = deploy(db, EDITED)
    assert (again["created"], again["status"], version(db, 2)["error"]) == (False, "building", None)
    advance(db)
    assert compute(worker) == [partition]  # what completed is not computed again
    advance(db)
    assert (status(db, 2), new_data(db).keys()) == ("ready", {"mon", "tue"})


def test_a_cancelled_task_fails_the_version_too(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon")
    deploy(db, EDITED)
    advance(db)
    (task,) = db.execute("select task_id from tenuto.build_tasks").fetchall()
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task[0], reason="not today")
    advance(db)

    assert (status(db, 2), version(db, 2)["error"]) == (
        "failed",
        f"task {task[0]} of job daily for mon: not today",
    )


def test_many_partitions_are_started_in_pieces_that_a_crash_repeats_at_most(db: Db):
    worker = a_worker(db)
    keys = [f"{number:04}" for number in range(210)]
    source, daily = SALES["jobs"]
    deployed(db, {**SALES, "jobs": [source]})
    advance(db)
    trigger(db)
    publish(worker, worker.claim_one(), *keys)
    deploy(db, {**SALES, "jobs": [source, {**daily, "scaling": None}]})
    with db.transaction(force_rollback=True):  # the dispatcher dies before its commit
        call(db, "advance_builds")
    assert db.execute("select count(*) from tenuto.build_tasks").fetchone() == (0,)

    assert call(db, "advance_builds") == 1
    assert db.execute("select count(*) from tenuto.build_tasks").fetchone() == (200,)
    advance(db)
    assert compute(worker) == keys
    advance(db)
    assert (status(db, 2), version(db, 2)["completed"], version(db, 2)["planned"]) == ("ready", 210, 210)


WEEKLY = {**SALES["jobs"][1], "name": "weekly", "inputs": [{"from": {"dataset": "per_day"}}]}


def with_weekly(document: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The document with a third job, which reads what `daily` publishes."""
    weekly = {**WEEKLY, "outputs": [{"dataset": "per_week", **KEY}], **changes}
    return {**document, "jobs": [*document["jobs"], weekly]}


@pytest.mark.parametrize("changes", [{}, {"execution_strategy": "PerUpdate"}])
def test_jobs_further_down_follow_by_events_and_are_waited_for(db: Db, changes: dict[str, Any]):
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue", document=with_weekly(SALES, **changes))
    assert compute(worker) == ["mon", "tue"]  # of weekly
    advance(db)
    live = partitions(db, "per_week")
    deploy(db, with_weekly(EDITED, **changes), rebuilds=[{"job": "weekly", "tasks": 2}])
    advance(db)
    assert compute(worker) == ["mon", "tue"]  # of daily
    while call(db, "advance_builds"):
        pass
    assert (status(db, 2), version(db, 2)["completed"]) == ("building", 0)  # nothing is routed yet
    advance(db)
    assert (status(db, 2), version(db, 2)["completed"], version(db, 2)["planned"]) == ("building", 2, 4)
    assert compute(worker) == ["mon", "tue"]
    advance(db)

    assert (status(db, 2), version(db, 2)["completed"], partitions(db, "per_week")) == ("ready", 4, live)
    cutover(db, 1, name="sales")
    assert partitions(db, "per_week").keys() == {"mon", "tue"}
    assert partitions(db, "per_week") != live
    advance(db)
    assert compute(worker) == []


def test_a_job_that_runs_for_every_update_is_computed_once_per_partition(db: Db):
    source, daily = SALES["jobs"]
    first, second = (
        {**SALES, "jobs": [source, {**daily, "execution_strategy": "PerUpdate", "config": {"sql": sql}}]}
        for sql in ("select 1", "select 2")
    )
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue", document=first)
    deploy(db, second)
    advance(db)
    claims = worker.claim(9)

    assert sorted(claim.input["job"]["event"]["partition"] for claim in claims) == ["mon", "tue"]
    for claim in claims:
        publish(worker, claim, claim.input["job"]["partition"])
    advance(db)
    assert status(db, 2) == "ready"


def test_events_between_deploy_and_cutover_reach_the_new_version_at_the_cutover(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon")
    deploy(db, EDITED)
    advance(db)
    compute(worker)
    advance(db)
    trigger(db)
    publish(worker, worker.claim_one(), "mon", "wed")
    advance(db)
    assert compute(worker) == ["mon", "wed"]  # of version 1
    assert (status(db, 2), new_data(db).keys()) == ("ready", {"mon"})
    cutover(db, 1, name="sales")
    advance(db)

    assert compute(worker) == ["mon", "wed"]
    advance(db)
    assert compute(worker) == []


def test_a_build_waits_for_a_paused_job(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon", document=with_weekly(SALES))
    compute(worker)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="daily")
    deploy(db, with_weekly(EDITED))
    advance(db)
    assert (status(db, 2), version(db, 2)["error"], compute(worker)) == ("building", "job daily is paused", [])
    call(db, "resume_job", org_id=DEFAULT_ORG, dag="sales", name="daily")
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="weekly")
    advance(db)
    assert compute(worker) == ["mon"]
    advance(db)
    assert (status(db, 2), version(db, 2)["error"], compute(worker)) == ("building", "job weekly is paused", [])
    call(db, "resume_job", org_id=DEFAULT_ORG, dag="sales", name="weekly")
    advance(db)
    assert compute(worker) == ["mon"]
    advance(db)

    assert (status(db, 2), version(db, 2)["error"]) == ("ready", None)


def test_a_source_computes_again_what_it_has_published(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue")
    source, daily = SALES["jobs"]
    deploy(db, {**SALES, "jobs": [{**source, "config": {"task": "shop.extract_more"}}, daily]})
    advance(db)

    assert status(db, 2) == "building"
    assert compute(worker) == ["mon", "tue"]


def test_a_source_whose_data_came_from_outside_starts_empty(db: Db):
    source, daily = SALES["jobs"]
    polled = {**source, "operator": "http_poll", "config": {"url": "https://example.com/a"}}
    worker = a_worker(db)
    with_data(db, worker, "mon", document={**SALES, "jobs": [polled, daily]})
    edited = {**polled, "config": {"url": "https://example.com/b"}}

    assert deploy(db, {**SALES, "jobs": [edited, daily]})["status"] == "ready"


def test_a_build_waits_for_a_transaction_that_holds_its_dag_and_others_do_not(db: Db, database: str):
    worker = a_worker(db)
    for name in ("sales", "other"):
        document = sales(name=name)
        source, daily = document["jobs"]
        mine = [
            {**source, "outputs": [{**source["outputs"][0], "dataset": f"raw_{name}"}]},
            {**daily, "inputs": [{"from": {"dataset": f"raw_{name}"}}], "outputs": [{"dataset": f"days_{name}"}]},
        ]
        deployed(db, {**document, "jobs": mine})
        trigger(db, dag=name)
        publish(worker, worker.claim_one(), "mon")
        deploy(db, {**document, "jobs": [mine[0], {**mine[1], "config": {"sql": "select 2"}}]})
    with psycopg.connect(database) as second:
        second.execute("select tenuto._lock_dag(%s, 'sales')", [DEFAULT_ORG])
        while call(db, "advance_builds"):
            pass
        assert {claim.input["job"]["dag"] for claim in worker.claim(9)} == {"other"}
    advance(db)
    assert "sales" in {claim.input["job"]["dag"] for claim in worker.claim(9)}


def test_a_build_waits_for_a_task_that_an_event_of_another_build_has_queued(db: Db):
    def chain(first: str, beside: str) -> dict[str, Any]:
        second = a_reader("second", inputs=[{"from": {"dataset": "out_first"}}])
        jobs = [RAW, a_reader("first", config={"sql": first}), second, a_reader("beside", config={"sql": beside})]
        return {"name": "sales", "jobs": jobs}

    worker = a_worker(db)
    deployed(db, chain("select 1", "select 1"))
    commit(worker, "mon")
    advance(db)
    while compute(worker):
        advance(db)
    deploy(db, chain("select 2", "select 1"))
    deploy(db, chain("select 2", "select 2"))
    advance(db)
    assert compute(worker) == ["mon", "mon"]  # `first` for both, and `beside`
    advance(db)

    assert (status(db, 2), status(db, 3)) == ("building", "building")  # both wait for the one task of `second`
    assert compute(worker) == ["mon"]
    advance(db)
    assert (status(db, 2), status(db, 3)) == ("ready", "ready")
