"""Jobs with `runtime: dispatcher`: a dispatcher runs them itself, without any worker."""

from typing import Any
from uuid import UUID

from tests.support.database.attempts import end_lease, outcomes
from tests.support.database.jobs import deployed, partitions, trigger
from tests.support.database.loops import value
from tests.support.database.tasks import Db
from tests.support.processes.command_line import Running, running
from tests.support.waiting import wait_until

TICKS: dict[str, Any] = {
    "name": "ticks",
    "jobs": [
        {
            "name": "tick",
            "activation": "source",
            "source": {"kind": "cron", "schedule": "0 0 1 1 *"},
            "operator": "trigger_cron",
            "runtime": "dispatcher",
            "outputs": [{"dataset": "ticks"}],
        }
    ],
}


def a_dispatcher(database: str) -> Any:
    return running("dispatcher", ready="running", TENUTO_DATABASE_URL=database)


def ran_by(db: Db, task_id: UUID) -> str:
    wait_until(lambda: outcomes(db, task_id) == ["completed"])
    return value(
        db,
        "select s.worker_id from tenuto.task_attempts a join tenuto.sessions s on s.id = a.session_id "
        "where a.task_id = %s and a.end_no = 0",
        task_id,
    )


def test_a_dispatcher_runs_its_jobs_under_a_lease_and_another_one_takes_over(db: Db, database: str) -> None:
    deployed(db, TICKS)
    with a_dispatcher(database) as first:
        (task,) = trigger(db, "tick", dag="ticks")
        name = ran_by(db, task["task_id"])
        assert name.endswith("-dispatcher:1")
        assert partitions(db, "ticks") == {None: task["task_id"]}
        kill(first)
    end_lease(db, name)
    with a_dispatcher(database):
        (later,) = trigger(db, "tick", dag="ticks")
        other = ran_by(db, later["task_id"])

    assert other.endswith("-dispatcher:1")
    assert other != name


def kill(dispatcher: Running) -> None:
    dispatcher.process.kill()
    dispatcher.process.wait()
