"""Cron sources: their schedules follow the current version of the DAG, and firing one starts a task of the job."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, TooLarge
from tests.support.clock import Clock
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.jobs import DAY, trigger
from tests.support.database.schedules import fire, put, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, task

NAME = "sales/extract"
LATER = timedelta(hours=1)


def a_dag(jobs: tuple[str, ...] = ("extract",), outputs: Any = None, **source: Any) -> dict[str, Any]:
    """A DAG whose jobs start at times."""
    return {
        "name": "sales",
        "jobs": [
            {
                "name": name,
                "activation": "source",
                "operator": "python",
                "config": {"task": f"shop.{name}"},
                "source": {"kind": "cron", "schedule": "0 3 * * *", **source},
                "outputs": outputs or [{"dataset": name, **DAY}],
            }
            for name in jobs
        ],
    }


def current(db: Db, document: dict[str, Any] | None = None, expected: int = 0) -> None:
    version = deploy(db, a_dag() if document is None else document)["version"]
    cutover(db, expected, version, name="sales")


def due(db: Db, clock: Clock, name: str = NAME) -> datetime:
    """Gives a new schedule the time that comes next, as a dispatcher does, and goes there."""
    assert fire(db, schedule(db, name)["next_at"], next_at=clock.now + LATER, name=name) == []
    clock.advance(hours=1)
    return clock.now


def listed(db: Db) -> list[str]:
    return [row["name"] for row in call(db, "list_schedules", org_id=DEFAULT_ORG)]


def test_a_cutover_puts_a_schedule_whose_first_time_a_dispatcher_computes(db: Db, clock: Clock):
    current(db, a_dag(timezone="Europe/Berlin", catchup=True))

    row = schedule(db, NAME)
    (waiting,) = call(db, "list_due_schedules")

    assert (row["cron"], row["timezone"], row["catch_up"]) == ("0 3 * * *", "Europe/Berlin", "all")
    assert (waiting["name"], waiting["starts_after"], waiting["next_at"]) == (NAME, clock.now, clock.now)
    assert fire(db, clock.now, clock.now, next_at=clock.now + LATER, name=NAME) == []  # not a time of the schedule
    assert (schedule(db, NAME)["next_at"], schedule(db, NAME)["starts_after"]) == (clock.now + LATER, None)
    assert call(db, "list_due_schedules") == []


def test_firing_starts_a_task_of_the_job_for_the_period_of_its_time(db: Db, clock: Clock):
    current(db)
    at = due(db, clock)

    (run_id,) = fire(db, at, at, next_at=at + LATER, name=NAME) or []

    claim = a_worker(db).claim_one()
    assert (claim.run_id, claim.input["job"]["job"], claim.input["job"]["version"]) == (run_id, "extract", 1)
    assert claim.input["job"]["partition"] == at.strftime("%Y-%m-%d")
    assert claim.input["job"]["source"] == {"kind": "cron", "fire_time": at.strftime("%Y-%m-%dT%H:%M:%SZ")}
    assert fire(db, at, at, next_at=at + LATER, name=NAME) is None  # another dispatcher was first


@pytest.mark.parametrize(
    ("every", "partition", "key"),
    [
        ("hour", "current", "2027-01-01T03"),
        ("day", "previous", "2026-12-31"),
        ("week", "current", "2026-12-28"),
        ("month", "previous", "2026-12"),
        (None, "previous", None),
    ],
)
def test_the_partition_is_a_period_in_utc(db: Db, clock: Clock, every: str | None, partition: str, key: str | None):
    clock.advance(seconds=(datetime(2027, 1, 1, 2, 0, tzinfo=UTC) - clock.now).total_seconds())
    by_time = {"partition": {"kind": "time", "column": "at", "every": every}} if every else {}
    current(db, a_dag(outputs=[{"name": "log"}, {"dataset": "raw", **by_time}], partition=partition))
    at = due(db, clock)

    fire(db, at, at, next_at=at + LATER, name=NAME)

    assert a_worker(db).claim_one().input["job"]["partition"] == key


def test_a_time_starts_one_task_even_if_an_edit_makes_it_due_again(db: Db, clock: Clock):
    current(db)
    at = due(db, clock)
    assert len(fire(db, at, at, next_at=at + LATER, name=NAME) or []) == 1
    db.execute("update tenuto.schedules set next_at = %s", [at])

    assert fire(db, at, at, next_at=at + LATER, name=NAME) == []


def test_times_that_are_caught_up_start_a_task_each(db: Db, clock: Clock):
    current(db, a_dag(catchup=True))
    first = due(db, clock)
    clock.advance(days=2)

    runs = fire(db, first, first, first + timedelta(days=1), next_at=clock.now + LATER, name=NAME)

    started = [claim.input["job"]["partition"] for claim in a_worker(db).claim(10)]
    assert len(runs or []) == 2
    assert sorted(started) == [f"{first + timedelta(days=day):%Y-%m-%d}" for day in (0, 1)]


def test_schedules_of_jobs_and_of_tasks_fire_in_one_call(db: Db, clock: Clock):
    current(db)
    at = due(db, clock)
    put(db, at)

    fired = call(
        db,
        "fire_schedules",
        org_ids=[DEFAULT_ORG] * 2,
        names=["nightly", NAME],
        expected=[at] * 2,
        fire_times=Jsonb([[at.isoformat()]] * 2),
        next_at=[at + LATER] * 2,
    )

    started = {row["name"]: task(db, row["run_ids"][0])["type"] for row in fired}
    assert started == {"nightly": "app.report", NAME: "tenuto.python.shop.extract"}


def test_a_paused_job_starts_nothing_and_its_times_pass(db: Db, clock: Clock):
    current(db)
    at = due(db, clock)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="extract")

    assert fire(db, at, at, next_at=at + LATER, name=NAME) == []
    with pytest.raises(Conflict, match="paused"):
        call(db, "fire_schedule_now", org_id=DEFAULT_ORG, name=NAME)
    call(db, "resume_job", org_id=DEFAULT_ORG, dag="sales", name="extract")

    assert schedule(db, NAME)["next_at"] == at + LATER
    started = {call(db, "fire_schedule_now", org_id=DEFAULT_ORG, name=NAME) for _ in range(2)}
    assert {claim.run_id for claim in a_worker(db).claim(10)} == started


def test_a_cutover_and_a_rollback_change_only_what_differs(db: Db, clock: Clock):
    current(db, a_dag(("extract", "other")))
    due(db, clock)
    call(db, "pause_schedule", org_id=DEFAULT_ORG, name=NAME)
    before = schedule(db, NAME)
    clock.advance(minutes=5)

    current(db, a_dag(("extract", "third")), expected=1)

    assert listed(db) == [NAME, "sales/third"]
    assert schedule(db, NAME) == before

    current(db, a_dag(timezone="Asia/Tokyo"), expected=2)
    assert listed(db) == [NAME]
    assert (schedule(db, NAME)["paused_at"], schedule(db, NAME)["starts_after"]) == (before["paused_at"], clock.now)

    rollback(db, 3, 1, name="sales")
    assert listed(db) == [NAME, "sales/other"]
    assert (schedule(db, NAME)["timezone"], schedule(db, NAME)["starts_after"]) == ("UTC", clock.now)


def test_a_source_without_times_has_no_schedule(db: Db):
    current(db)
    manual = a_dag()
    manual["jobs"][0]["source"] = {"kind": "manual"}

    current(db, manual, expected=1)

    assert listed(db) == []
    assert [row["created"] for row in trigger(db)] == [True]


def test_names_of_renamed_jobs_can_be_exchanged(db: Db, clock: Clock):
    current(db, a_dag(("one", "two")))
    due(db, clock, "sales/one")
    keys = {name: schedule(db, f"sales/{name}")["job_key"] for name in ("one", "two")}
    renamed = a_dag(("three",))
    renamed["jobs"][0] |= {"renamed_from": "one"}

    current(db, renamed, expected=1)

    assert listed(db) == ["sales/three"]
    assert schedule(db, "sales/three")["job_key"] == keys["one"]
    assert schedule(db, "sales/three")["starts_after"] is None  # the times are those of the job, not of its name


def test_a_schedule_of_a_job_is_changed_by_a_deploy_only(db: Db, clock: Clock):
    current(db)
    row = schedule(db, NAME)
    times = {"old_cron": row["cron"], "old_timezone": row["timezone"], "next_at": clock.now}

    with pytest.raises(Conflict, match="belongs to a job"):
        put(db, clock.now, NAME)
    with pytest.raises(Conflict, match="belongs to a job"):
        call(db, "update_schedule", org_id=DEFAULT_ORG, name=NAME, cron="* * * * *", **times)
    with pytest.raises(Conflict, match="belongs to a job"):
        call(db, "delete_schedule", org_id=DEFAULT_ORG, name=NAME)
    assert schedule(db, NAME) == row


def test_a_cutover_takes_no_schedule_of_others(db: Db, clock: Clock):
    put(db, clock.now, NAME)
    deploy(db, a_dag())

    with pytest.raises(Conflict, match="a schedule sales/extract exists"):
        cutover(db, name="sales")
    assert schedule(db, NAME)["job_key"] is None


def test_jobs_count_as_schedules_of_the_org(db: Db):
    db.execute("update tenuto.orgs set settings = settings || '{\"max_schedules\": 1}' where id = %s", [DEFAULT_ORG])
    deploy(db, a_dag(("one", "two")))

    with pytest.raises(TooLarge, match="maximum of 1 schedules"):
        cutover(db, name="sales")


def test_the_longest_names_fit(db: Db):
    document = a_dag(("j" * 100,), outputs=[{"dataset": "raw"}])
    document["name"] = "d" * 100
    deploy(db, document)

    cutover(db, name="d" * 100)

    assert listed(db) == ["d" * 100 + "/" + "j" * 100]
