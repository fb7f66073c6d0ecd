"""A line that goes silent: the worker stops in time, its tasks go on elsewhere, and it comes back with the line."""

import signal
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.support.database.attempts import by_worker, outcomes, running, start_tasks, wait_for
from tests.support.database.loops import count, value
from tests.support.database.tasks import Db, status
from tests.support.faults.postgres_proxy import Proxy, a_proxy
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until, wait_until_dead


@pytest.fixture
def line(database: str) -> Iterator[Proxy]:
    with a_proxy(database) as proxy:
        yield proxy


def test_a_worker_that_cannot_renew_stops_its_tasks_before_its_lease_ends_and_goes_on_later(
    db: Db, fleet: Fleet, line: Proxy
):
    far = fleet.start("lease", "--lease", "10s", url=line.url)  # of which it leaves one for a busy machine
    (held,) = start_tasks(db, "lease.until_stopped", None)
    wait_until(lambda: "begun" in fleet.effects())
    near = fleet.start("lease", "--lease", "10s")

    line.cut()
    lease_ends = value(db, "select expires_at from tenuto.sessions where worker_id = %s", far.name)
    wait_until(lambda: any(line.startswith("stopped at") for line in fleet.effects()))
    fleet.open_gate("door")
    wait_for(db, completed=1)
    line.resume()
    wait_until(lambda: count(db, "sessions", "worker_id = %s", far.name) == 2)
    near.kill()
    start_tasks(db, "lease.until_stopped", None)
    wait_for(db, completed=2)

    (stopped,) = [line for line in fleet.effects() if line.startswith("stopped at")]
    assert datetime.fromtimestamp(float(stopped.split()[-1]), UTC) < lease_ends
    assert outcomes(db, held) == ["lost", "completed"]
    assert by_worker(db, [held]) == {near.name: 1}


@pytest.mark.soak
def test_a_worker_whose_listening_connection_went_deaf_makes_a_new_one(db: Db, fleet: Fleet, line: Proxy):
    fleet.start("plain", url=line.url)
    assert line.strand(listeners_only=True) > 0
    start_tasks(db, "plain.note", ["heard"])
    wait_for(db, completed=1, timeout=100)


def test_a_worker_without_its_database_still_ends_when_told_to(db: Db, fleet: Fleet, line: Proxy):
    worker = fleet.start("plain", "--grace", "0.2s", url=line.url)
    (held,) = start_tasks(db, "plain.hold", ["door"])
    wait_until(lambda: "begun door" in fleet.effects())
    children = worker.children()

    line.cut()
    worker.tell(signal.SIGTERM)
    worker.wait()  # the grace, twelve seconds, and what a busy machine takes

    assert "shutdown timed out waiting for the database" in worker.log
    wait_until_dead(children)
    assert status(db, held) == "running"  # until its lease ends


@pytest.mark.soak
def test_a_worker_whose_connections_are_all_half_open_makes_new_ones(db: Db, fleet: Fleet, line: Proxy):
    fleet.start("plain", "--lease", "3s", url=line.url)
    start_tasks(db, "plain.note", ["before"])
    wait_for(db, completed=1)

    assert line.strand() > 0
    start_tasks(db, "plain.note", ["after"])
    wait_for(db, completed=2, timeout=100)

    assert fleet.effects() == ["before", "after"]
    assert running(db) == 0
