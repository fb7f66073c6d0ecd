"""After a rollback: what only the version left needs is cancelled, and a version that is current catches up."""

from typing import Any

from tests.support.clock import Clock
from tests.support.database.builds import advance, compute, with_data
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.events import a_reader, commit, readers, route
from tests.support.database.jobs import deployed, partitions, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

EDITED = sales("select 2")


def test_a_rollback_cancels_what_only_the_version_that_is_left_needs(db: Db, clock: Clock):
    worker = a_worker(db)
    with_data(db, worker, "mon")
    before = partitions(db, "per_day")
    deploy(db, EDITED)
    cutover(db, 1, 2, name="sales", force=True)
    advance(db)
    running = worker.claim_one()
    queued, also = trigger(db, "daily", "wed", "thu")
    kept, same = trigger(db, "extract", "wed", "thu")  # version 1 defines it in the same way
    rollback(db, 2, name="sales")
    advance(db)

    def task(row: dict[str, object]) -> object:
        (found,) = call(db, "get_task", org_id=DEFAULT_ORG, task_id=row["task_id"])
        return found["status"], (found["error"] or {}).get("reason")

    assert [task(row) for row in (queued, also)] == [("cancelled", "the version of the DAG was rolled back")] * 2
    assert [task(row) for row in (kept, same)] == [("queued", None)] * 2
    assert worker.beat(running)["cancelled"] == [running.task_id]
    publish(worker, running, "mon")  # too late to stop: it lands in its own version
    assert partitions(db, "per_day") == before
    (old,) = db.execute("select id from tenuto.dag_versions where version = 2").fetchall()
    assert db.execute("select phase from tenuto.builds where dag_version_id = %s", old).fetchall() == [("cancel",)]

    late = trigger(db, "daily", "fri")  # of version 1
    clock.advance(minutes=2)
    advance(db)
    assert db.execute("select phase, due_at from tenuto.builds where dag_version_id = %s", old).fetchall() == [
        ("done", None)
    ]
    assert task(late[0]) == ("queued", None)


def test_tasks_that_appear_after_the_rollback_are_found_for_a_minute(db: Db, clock: Clock):
    deployed(db)
    deploy(db, EDITED)
    cutover(db, 1, name="sales")
    rollback(db, 2, name="sales")
    advance(db)
    with db.transaction():  # as a transaction that has read the pointer before the rollback does
        db.execute("update tenuto.job_controls set created_at = created_at")
        (job,) = db.execute(
            "select j from tenuto.jobs j join tenuto.dag_versions v on v.id = j.dag_version_id "
            "where v.version = 2 and j.name = 'daily'"
        ).fetchall()
        db.execute(
            "select tenuto._start_job_tasks(%s, 'sales', 2, %s::tenuto.jobs, array[tenuto._uuid7()], '{mon}', false)",
            [DEFAULT_ORG, job[0]],
        )
    clock.advance(seconds=11)
    assert call(db, "advance_builds") == 1

    assert a_worker(db).claim(1) == []


def test_rolling_forward_again_computes_nothing_and_cancels_nothing(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon")
    deploy(db, EDITED)
    advance(db)
    compute(worker)
    advance(db)
    cutover(db, 1, name="sales")
    built = partitions(db, "per_day")
    rollback(db, 2, name="sales")
    cutover(db, 1, 2, name="sales")
    (task,) = trigger(db, "daily", "tue")
    advance(db)

    assert partitions(db, "per_day") == built
    assert [claim.task_id for claim in worker.claim(9)] == [task["task_id"]]
    assert deploy(db, EDITED)["status"] == "current"


def test_a_version_catches_up_with_what_changed_while_another_was_current(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue")
    deploy(db, EDITED)
    advance(db)
    compute(worker)
    advance(db)
    cutover(db, 1, name="sales")
    advance(db)
    trigger(db)
    publish(worker, worker.claim_one(), "tue")  # only version 2 hears of it
    rollback(db, 2, name="sales")
    before = partitions(db, "per_day")
    advance(db)

    assert compute(worker) == ["tue"]
    assert partitions(db, "per_day")["mon"] == before["mon"]
    cutover(db, 1, 2, name="sales")
    advance(db)
    assert compute(worker) == ["tue"]
    advance(db)
    assert db.execute("select phase, count(*) from tenuto.builds group by 1").fetchall() == [("done", 2)]


def test_what_a_rollback_cancelled_is_computed_after_going_forward_again(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon", "tue")
    deploy(db, EDITED)
    advance(db)
    cutover(db, 1, 2, name="sales", force=True)
    compute(worker, 1)
    rollback(db, 2, name="sales")
    advance(db)
    assert compute(worker) == []
    cutover(db, 1, 2, name="sales")
    advance(db)

    assert len(compute(worker)) == 1
    assert partitions(db, "per_day").keys() == {"mon", "tue"}


def per_update(sql: str) -> dict[str, Any]:
    return readers(a_reader("log", execution_strategy="PerUpdate", config={"sql": sql}))


def test_a_job_for_every_update_gets_the_events_that_it_missed(db: Db):
    worker = a_worker(db)
    deployed(db, per_update("select 1"))
    commit(worker, "mon")
    advance(db)
    compute(worker)
    deploy(db, per_update("select 2"))
    advance(db)
    compute(worker)
    advance(db)
    cutover(db, 1, 2, name="sales")
    commit(worker, "tue")
    advance(db)
    compute(worker)
    commit(worker, "wed")  # its task of version 2 is still queued at the rollback
    advance(db)
    rollback(db, 2, name="sales")
    advance(db)

    assert compute(worker) == ["tue", "wed"]
    assert partitions(db, "out_log").keys() == {"mon", "tue", "wed"}
    advance(db)
    cutover(db, 1, 2, name="sales")
    advance(db)
    assert compute(worker) == ["wed"]  # the rollback cancelled its task
    assert partitions(db, "out_log").keys() == {"mon", "tue", "wed"}
    advance(db)
    assert compute(worker) == []


def test_a_version_that_is_current_for_a_moment_misses_nothing_later(db: Db):
    worker = a_worker(db)
    deployed(db, per_update("select 1"))
    deploy(db, per_update("select 2"))
    cutover(db, 1, 2, name="sales")
    rollback(db, 2, name="sales")
    commit(worker, "mon")
    advance(db)
    assert compute(worker) == ["mon"]
    cutover(db, 1, 2, name="sales")  # and back, before a dispatcher has looked
    rollback(db, 2, name="sales")
    cutover(db, 1, 2, name="sales")
    advance(db)

    assert compute(worker) == ["mon"]
    advance(db)
    assert partitions(db, "out_log").keys() == {"mon"}


def test_a_running_task_that_ends_after_its_version_is_current_again_loses_no_event(db: Db):
    worker = a_worker(db)
    deployed(db, per_update("select 1"))
    deployed(db, per_update("select 2"), expected=1)
    commit(worker, "mon")
    commit(worker, "tue")
    advance(db)
    stopped, finished = worker.claim(2)
    rollback(db, 2, name="sales")
    advance(db)
    assert compute(worker) == ["mon", "tue"]  # of version 1
    cutover(db, 1, 2, name="sales")
    advance(db)
    assert compute(worker) == []

    worker.fail(stopped)  # it saw the cancellation, and ends as cancelled
    publish(worker, finished, finished.input["job"]["partition"])  # too late to stop
    advance(db)
    advance(db)

    (again,) = worker.claim(9)
    assert again.input["job"]["event"] == stopped.input["job"]["event"]
    publish(worker, again, again.input["job"]["partition"])
    advance(db)
    assert partitions(db, "out_log").keys() == {"mon", "tue"}
    names = db.execute("select count(*) from tenuto.event_reactions where task_id = %s", [again.task_id]).fetchall()
    assert names == [(1,)]
    rollback(db, 2, name="sales")
    cutover(db, 1, 2, name="sales")
    advance(db)
    assert compute(worker) == []
    assert db.execute("select phase, count(*) from tenuto.builds group by 1").fetchall() == [("done", 2)]


def test_a_version_that_is_entered_again_while_its_build_is_retried_catches_up(db: Db):
    worker = a_worker(db)
    deployed(db, per_update("select 1"))
    commit(worker, "mon")
    advance(db)
    compute(worker)
    deploy(db, per_update("select 2"))
    advance(db)
    worker.fail(worker.claim_one(), final=True)
    advance(db)
    assert deploy(db, per_update("select 2"))["status"] == "building"  # what failed is to be started again
    cutover(db, 1, 2, name="sales", force=True)
    deployed(db, per_update("select 3"), expected=2)
    commit(worker, "tue")
    route(db)
    compute(worker)
    rollback(db, 3, 2, name="sales")
    for _ in range(3):
        advance(db)
        compute(worker)

    assert partitions(db, "out_log").keys() == {"mon", "tue"}
