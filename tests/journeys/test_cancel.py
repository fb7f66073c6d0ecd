"""People cancel what runs: it is told at once, wherever it runs, and its worker goes on."""

from tests.support.database.attempts import ended, outcomes, running, start_tasks, wait_for
from tests.support.database.loops import cancel_run, value
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

OTHERS = (
    "from pg_stat_activity"
    " where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"
)


def test_running_tasks_are_told_to_stop_long_before_the_next_heartbeat(db: Db, fleet: Fleet):
    worker = fleet.start("times", "--lease", "1h")
    kinds = ("polite", "polite_thread", "polite_process")
    tasks = [start_tasks(db, f"times.{kind}", None)[0] for kind in kinds]
    wait_until(lambda: running(db) == 3 and len(worker.pool()) == 1)

    for task in tasks:
        cancel_run(db, task)
    wait_until(lambda: ended(db, "cancelled") == 3)
    start_tasks(db, "times.note", ["after"])
    wait_for(db, completed=1)

    assert [outcomes(db, task) for task in tasks] == [["cancelled"]] * 3
    assert {"polite stopped", "polite_thread stopped", "after"} <= set(fleet.effects())


def test_what_does_not_stop_when_it_is_cancelled_is_given_up_or_killed_and_its_slot_is_free(db: Db, fleet: Fleet):
    worker = fleet.start("times", "--concurrency", "2")
    kinds = ("stubborn", "stubborn_thread", "stubborn_process")
    tasks = [start_tasks(db, f"times.{kind}", None)[0] for kind in kinds]
    wait_until(lambda: running(db) == 3 and "stubborn_process begun" in fleet.effects())
    (process,) = worker.pool()

    for task in tasks:
        cancel_run(db, task)
    wait_until(lambda: ended(db, "cancelled") == 3)
    start_tasks(db, "times.note", ["after"])
    wait_for(db, completed=1)

    assert [outcomes(db, task) for task in tasks] == [["cancelled"]] * 3
    assert (worker.log.count("is abandoned"), worker.log.count("was cancelled")) == (2, 3)
    wait_until(lambda: not process.is_running())


def test_a_worker_whose_slots_are_all_taken_hears_again_after_its_connections_ended(db: Db, fleet: Fleet):
    fleet.start("times", "--lease", "1h", "--concurrency", "1")
    (task,) = start_tasks(db, "times.polite", None)
    wait_until(lambda: running(db) == 1)

    (last,) = db.execute(f"select array_agg(pid) {OTHERS}".encode()).fetchone() or ([],)
    db.execute("select pg_terminate_backend(pid, 5000) from unnest(%s::int[]) pid", [last])
    wait_until(lambda: value(db, f"select count(*) {OTHERS} and query ~ 'complete_and_claim'") > 0)
    cancel_run(db, task)
    wait_until(lambda: ended(db, "cancelled") == 1)

    assert outcomes(db, task) == ["cancelled"]
