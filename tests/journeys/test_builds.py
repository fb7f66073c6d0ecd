"""Versions that real dispatchers and workers compute beside the live one, whatever dies meanwhile."""

from contextlib import ExitStack
from typing import Any

from tests.journeys.test_jobs import DAY, a_source, rows
from tests.support.database.attempts import end_lease
from tests.support.database.builds import status, version
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.invariants import assert_invariants
from tests.support.database.jobs import deployed, partitions, trigger
from tests.support.database.outbox import end_leases_of_effects
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.processes.command_line import Running, running
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

DAYS = ("1", "2", "3")


def document(daily: dict[str, Any]) -> dict[str, Any]:
    """A source, and two jobs, one after the other, of which `daily` changes."""
    follows = {"activation": "reactive", "execution_strategy": "PerPartition"}
    weekly = {"operator": "sql", "config": {"sql": "select n * 10 as n from per_day"}}
    return {
        "name": "sales",
        "jobs": [
            a_source("extract", "extract", "raw"),
            {
                "name": "daily",
                **follows,
                **daily,
                "inputs": [{"from": {"dataset": "raw"}}],
                "outputs": [{"dataset": "per_day", **DAY}],
            },
            {
                "name": "weekly",
                **follows,
                **weekly,
                "inputs": [{"from": {"dataset": "per_day"}}],
                "outputs": [{"dataset": "per_week", **DAY}],
            },
        ],
    }


LIVE = document({"operator": "sql", "config": {"sql": "select day, count(*) as n from raw group by day"}})
EDITED = document({"operator": "python", "config": {"task": "jobs.tally"}})


def a_dispatcher(stack: ExitStack, database: str) -> Running:
    return stack.enter_context(running("dispatcher", ready="running", TENUTO_DATABASE_URL=database))


def with_live_data(db: Db, fleet: Fleet) -> None:
    """Version 1 has computed every day."""
    deployed(db, LIVE)
    for day in DAYS:
        fleet.open_gate(day)
    trigger(db, "extract", *DAYS)
    wait_until(lambda: partitions(db, "per_week").keys() == {*DAYS})


def new_partitions(db: Db, dataset: str) -> set[str | None]:
    newest, *_ = call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name=dataset)
    return {*partitions(db, dataset, version_id=newest["id"])}


def test_a_build_survives_the_death_of_its_dispatcher_and_worker(db: Db, database: str, fleet: Fleet) -> None:
    with ExitStack() as stack:
        dispatcher = a_dispatcher(stack, database)
        worker = fleet.start("jobs")
        with_live_data(db, fleet)
        live = partitions(db, "per_day"), partitions(db, "per_week")
        assert deploy(db, EDITED, auto=True)["status"] == "building"
        fleet.open_gate("tally 1")
        wait_until(lambda: new_partitions(db, "per_day") == {"1"})  # the others wait at their gates
        wait_until(lambda: "tallied 2" in fleet.effects())

        dispatcher.process.kill()
        dispatcher.process.wait()
        worker.kill()
        end_lease(db, worker.name)
        end_leases_of_effects(db)
        assert (status(db, 2), (partitions(db, "per_day"), partitions(db, "per_week"))) == ("building", live)
        a_dispatcher(stack, database)
        fleet.start("jobs")
        for day in ("2", "3"):
            fleet.open_gate(f"tally {day}")
        wait_until(lambda: status(db, 2) == "current")

        assert rows(db, fleet.folder, "per_day", "2") == [{"day": "2", "n": 30}]
        assert rows(db, fleet.folder, "per_week", "3") == [{"n": 300}]
        assert partitions(db, "per_week").keys() == {*DAYS}
        rollback(db, 2, name="sales")
        assert (partitions(db, "per_day"), partitions(db, "per_week")) == live
        assert rows(db, fleet.folder, "per_week", "3") == [{"n": 30}]
        assert_invariants(db)


def test_a_rollback_stops_running_tasks_and_what_is_late_is_not_seen(db: Db, database: str, fleet: Fleet) -> None:
    with ExitStack() as stack:
        a_dispatcher(stack, database)
        fleet.start("jobs")
        with_live_data(db, fleet)
        live = partitions(db, "per_day")
        deploy(db, EDITED)
        wait_until(lambda: "tallied 3" in fleet.effects())
        cutover(db, 1, 2, name="sales", force=True)
        rollback(db, 2, name="sales")
        cancelled = "select count(*) = 3 from tenuto.task_attempts where end_no = 0 and outcome = 'cancelled'"
        wait_until(lambda: db.execute(cancelled).fetchone() == (True,))

        assert (partitions(db, "per_day"), version(db, 2)["status"]) == (live, "superseded")
        assert new_partitions(db, "per_day") == set()
