"""Jobs that nothing holds any more are released, and readers learn of new data even if a build ended too early."""

from tests.sql.reactions.test_reader_updates import two_versions
from tests.sql.reactions.test_watch_backlogs import add_backlog, bounded, held, watch
from tests.support.clock import Clock
from tests.support.database.builds import advance
from tests.support.database.dags import cutover
from tests.support.database.events import a_reader, commit, queued
from tests.support.database.jobs import deployed
from tests.support.database.stranded import a_job_that_no_backlog_holds
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def test_jobs_are_released_when_the_dag_with_the_backlog_is_deleted(db: Db, clock: Clock) -> None:
    deployed(db, bounded(max_concurrency=5))
    slow = a_reader("slow", inputs=[{"from": {"dataset": "raw"}}], scaling={"max_queue_depth": 1})
    deployed(db, {"name": "reports", "jobs": [{**slow, "execution_strategy": "PerUpdate"}]})
    worker = a_worker(db)
    for key in ("mon", "tue", "wed"):
        commit(worker, key)
        advance(db)
    watch(db, clock)
    assert held(db) == ["extract"]
    call(db, "delete_dag", org_id=DEFAULT_ORG, name="reports", actor="ann", force=True)
    watch(db, clock)
    assert held(db) == ["extract"]

    assert call(db, "sweep_jobs") == 1

    assert (held(db), call(db, "sweep_jobs")) == ([], 0)


def test_readers_learn_of_a_cutover_whose_build_is_done(db: Db) -> None:
    two_versions(db)
    cutover(db, 1, 2, name="sales")
    db.execute("update tenuto.builds set phase = 'done', due_at = null, cancel_until = null")
    advance(db)
    assert db.execute("select count(*) from tenuto.reader_updates").fetchone() == (1,)

    assert call(db, "sweep_jobs") == 1
    advance(db)

    assert db.execute("select count(*) from tenuto.reader_updates").fetchone() == (0,)
    assert ("weekly", "wed") in {(job, key) for job, key, _ in queued(db)}


def test_a_held_job_stays_held_while_its_backlog_is_too_large(db: Db, clock: Clock) -> None:
    deployed(db, bounded(max_queue_depth=1))
    worker = a_worker(db)
    add_backlog(worker, "mon", "tue")
    watch(db, clock)
    assert held(db) == ["extract", "middle"]

    assert call(db, "sweep_jobs") == 0

    assert held(db) == ["extract", "middle"]


def test_with_keys_only_these_orgs_are_repaired(db: Db) -> None:
    a_job_that_no_backlog_holds(db)

    assert call(db, "sweep_jobs", keys=["org:00000000-0000-7000-8000-000000000002"]) == 0
    assert call(db, "sweep_jobs", keys=[f"org:{DEFAULT_ORG}"]) == 1
    assert held(db) == []
