"""Invalidations with real dispatchers and workers: data that comes out differently is computed again once per level,
whatever dies meanwhile, and every job that was to follow is marked as done."""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from uuid import UUID

from tests.journeys.test_builds import a_dispatcher
from tests.journeys.test_jobs import DAY, a_source, rows
from tests.support.database.attempts import end_lease
from tests.support.database.invariants import assert_invariants
from tests.support.database.jobs import deployed, partitions, trigger
from tests.support.database.outbox import end_leases_of_effects
from tests.support.database.tables import COLUMNS, KEY
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.processes.command_line import tenuto
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

DAYS = ("1", "2", "3")


def a_follower(name: str, reads: str, **fields: Any) -> dict[str, Any]:
    follows = {"activation": "reactive", "execution_strategy": "PerPartition", "operator": "python"}
    return {"name": name, **follows, "inputs": [{"from": {"dataset": reads}}], **fields}


# A source, two jobs that replace their partitions, and one that appends to a table.
DOCUMENT: dict[str, Any] = {
    "name": "sales",
    "jobs": [
        a_source("extract", "extract", "raw"),
        a_follower(
            "rate", "raw",
            config={"task": "jobs.rated"},
            outputs=[{"dataset": "rated", **DAY}],
        ),
        a_follower(
            "daily", "rated",
            operator="sql",
            config={"sql": "select day, sum(n)::bigint as n from rated group by day"},
            outputs=[{"dataset": "per_day", **DAY}],
        ),
        a_follower(
            "book", "per_day",
            config={"task": "jobs.booked"},
            update_strategy="append",
            unique_key=["id"],
            outputs=[{"dataset": "bookings", "storage": {"kind": "postgres"}, **KEY, "columns": COLUMNS}],
        ),
    ],
}  # fmt: skip


def with_data(db: Db, fleet: Fleet) -> None:
    (fleet.folder / "rate").write_text("1")
    deployed(db, DOCUMENT)
    for day in DAYS:
        fleet.open_gate(day)
    trigger(db, "extract", *DAYS)
    wait_until(lambda: tasks(db) == dict.fromkeys(("extract", "rate", "daily", "book"), 3))


def tasks(db: Db) -> dict[str, int]:
    """How many tasks of each job have completed."""
    found = db.execute(
        "select j.name from tenuto.job_tasks t join tenuto.jobs j on j.job_key = t.job_key "
        "join tenuto.task_attempts a on a.task_id = t.task_id and a.outcome = 'completed'"
    ).fetchall()
    return dict(Counter(name for (name,) in found))


def invalidate(database: str, *options: str) -> UUID:
    done = tenuto("invalidate", "raw", *options, "--reason", "wrong rate", "--json", TENUTO_DATABASE_URL=database)
    assert done.returncode == 0, done.stderr
    return UUID(json.loads(done.stdout)["id"])


def is_completed(db: Db, id: UUID) -> Callable[[], bool]:
    def completed() -> bool:
        (row,) = call(db, "list_invalidations", org_id=DEFAULT_ORG, id=id)
        assert row["status"] in ("running", "completed"), row
        return row["status"] == "completed"

    return completed


def consumers(db: Db, id: UUID) -> dict[str, tuple[bool, int, int, bool]]:
    """By job: whether it reads the data itself, how many tasks completed and failed, whether it is done."""
    (row,) = call(db, "list_invalidations", org_id=DEFAULT_ORG, id=id)
    return {
        consumer["job"]: (
            consumer["direct"], consumer["completed"], consumer["failed"], consumer["done_at"] is not None,
        )
        for consumer in row["consumers"]
    }  # fmt: skip


def test_data_that_comes_out_differently_is_computed_again_once_per_level(db: Db, database: str, fleet: Fleet) -> None:
    with ExitStack() as stack:
        a_dispatcher(stack, database)
        fleet.start("jobs")
        with_data(db, fleet)
        before = partitions(db, "per_day")
        (fleet.folder / "rate").write_text("2")
        for day in ("1", "2"):
            fleet.open_gate(f"rate 2 {day}")

        id = invalidate(database, "--range", "1..2", "--filter", '{"id": {"gte": 1}}')
        wait_until(is_completed(db, id))

        assert tasks(db) == {"extract": 3, "rate": 5, "daily": 5, "book": 5}
        assert consumers(db, id) == {
            "sales/rate": (True, 2, 0, True), "sales/daily": (False, 2, 0, True), "sales/book": (False, 2, 0, True),
        }  # fmt: skip
        effects = fleet.effects()
        assert [line for line in effects if line.startswith("rated 1")] == [
            "rated 1 1 None", "rated 1 2 {'id': {'gte': 1}}",
        ]  # fmt: skip
        assert sorted(line for line in effects if line.startswith("booked")) == [
            "booked 1 3", "booked 1 6", "booked 2 3", "booked 2 6", "booked 3 3",
        ]  # fmt: skip
        assert rows(db, fleet.folder, "per_day", "2") == [{"day": "2", "n": 6}]
        assert partitions(db, "per_day")["3"] == before["3"]
        assert_invariants(db)


def test_a_cascade_survives_the_death_of_its_worker_and_dispatcher(db: Db, database: str, fleet: Fleet) -> None:
    with ExitStack() as stack:
        dispatcher = a_dispatcher(stack, database)
        worker = fleet.start("jobs")
        with_data(db, fleet)
        (fleet.folder / "rate").write_text("2")
        id = invalidate(database, *(option for day in DAYS for option in ("--partition", day)))
        fleet.open_gate("rate 2 1")
        wait_until(lambda: "booked 1 6" in fleet.effects())
        wait_until(lambda: {"rated 2 2 None", "rated 3 2 None"} <= set(fleet.effects()))

        worker.kill()
        dispatcher.process.kill()
        dispatcher.process.wait()
        end_lease(db, worker.name)
        end_leases_of_effects(db)
        for day in ("2", "3"):
            fleet.open_gate(f"rate 2 {day}")
        a_dispatcher(stack, database)
        fleet.start("jobs")
        wait_until(is_completed(db, id))

        assert tasks(db) == {"extract": 3, "rate": 6, "daily": 6, "book": 6}
        assert consumers(db, id) == {
            "sales/rate": (True, 3, 0, True), "sales/daily": (False, 3, 0, True), "sales/book": (False, 3, 0, True),
        }  # fmt: skip
        assert [rows(db, fleet.folder, "per_day", day) for day in DAYS] == [[{"day": day, "n": 6}] for day in DAYS]
        assert_invariants(db)
