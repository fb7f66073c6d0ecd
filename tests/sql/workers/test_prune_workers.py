"""Sessions and workers of the past go; those that live stay."""

import psycopg

from tests.support.clock import Clock
from tests.support.database.orgs import a_scaled_pool
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call


def test_ended_sessions_and_terminated_workers_go_after_two_weeks(db: psycopg.Connection, clock: Clock) -> None:
    a_worker(db, "gone")
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="gone")
    clock.advance(days=13)
    assert call(db, "prune_workers") == [{"sessions": 0, "workers": 0, "decisions": 0, "log_lines": 0}]
    clock.advance(days=2)
    a_worker(db, "alive")

    assert call(db, "prune_workers") == [{"sessions": 1, "workers": 1, "decisions": 0, "log_lines": 0}]

    assert db.execute("select id from tenuto.workers").fetchall() == [("alive",)]


def test_a_worker_that_lives_keeps_its_open_session_and_loses_its_old_ones(
    db: psycopg.Connection, clock: Clock
) -> None:
    a_worker(db, "w")
    clock.advance(days=20)
    second = a_worker(db, "w")
    clock.advance(days=20)

    assert call(db, "prune_workers") == [{"sessions": 1, "workers": 0, "decisions": 0, "log_lines": 0}]

    assert db.execute("select id from tenuto.sessions").fetchall() == [(second.session_id,)]


def test_scaling_decisions_go_after_two_weeks_and_their_pool_stays(db: psycopg.Connection, clock: Clock) -> None:
    a_scaled_pool(db, DEFAULT_ORG)
    clock.advance(days=13)
    assert call(db, "prune_workers") == [{"sessions": 0, "workers": 0, "decisions": 0, "log_lines": 0}]
    clock.advance(days=2)

    assert call(db, "prune_workers") == [{"sessions": 0, "workers": 0, "decisions": 1, "log_lines": 0}]

    assert db.execute("select count(*) from tenuto.pools").fetchone() == (1,)
