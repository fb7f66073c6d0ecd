"""A dispatcher on a real database: what becomes of what is due, and what it costs when nothing is."""

from collections.abc import Callable

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.metrics import LOOP_TURNS
from tests.support.database.limits import a_rate, admitted, start_limited
from tests.support.database.loops import cancel_run, count, value
from tests.support.database.tasks import Db, a_worker, drain, run_status, start, start_graph, start_one, status
from tests.support.waiting import wait_until

Start = Callable[[], None]


def test_delayed_and_retried_tasks_become_ready(db: Db, dispatcher: Start):
    delayed = start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 0.3}]))
    failing = start_one(db, kind={"type": "app.fails", "backoff_seconds": 0.1})
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    dispatcher()

    wait_until(lambda: count(db, "ready_tasks") == 2)
    assert {claim.task_id for claim in worker.claim(2)} == {delayed, failing}


def test_a_dead_workers_tasks_go_to_others(db: Db, dispatcher: Start):
    task = start_one(db, kind={"backoff_seconds": 0})
    worker = a_worker(db, "dead", lease="1 second")
    worker.claim_one()
    dispatcher()

    wait_until(lambda: status(db, task) == "queued")
    assert a_worker(db, "alive").claim_one().task_id == task
    assert value(db, "select status from tenuto.workers where id = 'dead'") == "error"


def test_an_attempt_over_its_time_fails(db: Db, dispatcher: Start):
    task = start_one(db, kind={"timeout_seconds": 0.1, "max_attempts": 1})
    worker = a_worker(db)
    claim = worker.claim_one()
    db.execute("update tenuto.running_tasks set deadline_at = tenuto.now() where id = %s", [claim.task_id])
    dispatcher()

    wait_until(lambda: status(db, task) == "failed")


def test_a_graph_ends_with_its_handlers_and_a_cancelled_one_is_cancelled(db: Db, dispatcher: Start):
    kinds = [{"type": "app.work"}, {"type": "app.after", "handler": "completed"}]
    with_handler, _ = start_graph(db, 3, [(0, 1)], kinds=kinds, task_kinds=[0, 0, 1])
    cancelled, _ = start_graph(db, 2)
    cancel_run(db, cancelled)
    worker = a_worker(db)
    dispatcher()

    def ended() -> bool:
        drain(db, worker)
        return run_status(db, with_handler, settle=False) == "completed"

    wait_until(ended)
    wait_until(lambda: run_status(db, cancelled, settle=False) == "cancelled")
    assert value(db, "select total = completed from tenuto.runs where id = %s", with_handler)


def test_it_says_that_it_lives_and_two_do_not_disturb_each_other(db: Db, dispatcher: Start):
    start(db, *range(3000), details=Jsonb([{"task": n, "delay_seconds": 0.2} for n in range(3000)]))
    dispatcher()
    dispatcher()

    wait_until(lambda: count(db, "ready_tasks") == 3000)
    wait_until(lambda: count(db, "dispatchers") == 2)
    assert count(db, "delayed_tasks") == 0


def test_it_goes_on_when_its_connections_are_cut(db: Db, dispatcher: Start):
    dispatcher()
    wait_until(lambda: count(db, "dispatchers") == 1)
    others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    db.execute(f"select pg_terminate_backend(pid) {others}".encode())

    start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 0.1}]))

    wait_until(lambda: count(db, "ready_tasks") == 1)


def test_dead_rows_of_the_hot_tables_are_vacuumed_where_the_login_may(db: Db, dispatcher: Start):
    db.execute("alter table tenuto.ready_tasks set (autovacuum_enabled = false)")
    start(db, *range(3000))
    drain(db, a_worker(db), limit=1000)
    dispatcher()

    wait_until(lambda: value(db, "select pg_stat_get_vacuum_count('tenuto.ready_tasks'::regclass)") > 0)


def test_with_nothing_to_do_it_asks_less_than_twice_a_second(
    db: Db, dispatcher: Start, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("tenuto.dispatcher.loop.UPKEEP_AFTER_SECONDS", 0.0)  # over before the test counts
    a_worker(db, lease="1 hour")
    first = asked("due") + 5
    dispatcher()
    wait_until(lambda: asked("due") > first)  # the first turns of what comes by itself are over
    before, looks = asked(), asked("due")
    wait_until(lambda: asked("due") >= looks + 12)

    # It looks for what is due every 0.8 s, so that 1.6 questions for each look are two a second.
    assert (asked() - before) / (asked("due") - looks) <= 1.6


def asked(loop: str | None = None) -> float:
    """How often the dispatchers of this process asked: every turn of a loop is one query, but those of end_leases, of
    which one in ten is."""
    turns = [sample for metric in LOOP_TURNS.collect() for sample in metric.samples if sample.name.endswith("_total")]
    parts = {"end_leases": 0.1}
    return sum(
        sample.value * parts.get(sample.labels["loop"], 1) for sample in turns if loop in (None, sample.labels["loop"])
    )


def test_tasks_under_a_rate_are_let_in_one_after_another(db: Db, dispatcher: Start):
    start_limited(db, 20, a_rate("mails", 100, 1))
    dispatcher()

    wait_until(lambda: admitted(db, "mails") == 20)
