"""The server of remote workers dies, restarts or refuses: nothing is lost, nothing runs twice."""

import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.database.attempts import charged, ended, outcomes, start_tasks, wait_for
from tests.support.database.loops import count
from tests.support.database.tasks import Db, call
from tests.support.processes.command_line import tenuto
from tests.support.processes.remote_workers import RemoteFleet, a_remote_fleet, make_worker_key
from tests.support.waiting import wait_until

APP = "tests.journeys.apps.plain:app"
TASKS = 3000


@pytest.fixture
def remote(db: Db, database: str, tmp_path: Path) -> Iterator[RemoteFleet]:
    with a_remote_fleet(database, tmp_path, make_worker_key(db)) as fleet:
        yield fleet


def test_a_server_killed_under_load_loses_and_repeats_nothing(db: Db, remote: RemoteFleet) -> None:
    remote.start("remote")
    names = [f"n{no}" for no in range(TASKS)]
    start_tasks(db, "remote.slow_note", *names)
    for part in (1, 2):
        wait_until(lambda part=part: ended(db) >= TASKS * part // 4)
        remote.kill_server()
        remote.start_server()
    wait_for(db, TASKS)

    assert sorted(remote.effects()) == sorted(names)
    assert charged(db) == 0


def test_what_ended_while_the_server_was_away_is_reported_when_it_is_back(db: Db, remote: RemoteFleet) -> None:
    worker = remote.start("plain")
    (held,) = start_tasks(db, "plain.hold", "gate")
    wait_until(lambda: remote.effects() == ["begun gate"])

    remote.kill_server()
    remote.open_gate("gate")
    wait_until(lambda: "server not available" in worker.log)
    remote.start_server()
    wait_for(db, 1)

    assert outcomes(db, held) == ["completed"]
    wait_until(lambda: "available again" in worker.log)
    assert (worker.log.count("server not available"), worker.log.count("available again after ")) == (1, 1)


def test_a_server_that_is_stopped_politely_does_not_wait_for_idle_workers(db: Db, remote: RemoteFleet) -> None:
    remote.start("plain")
    start_tasks(db, "plain.note", "before")
    wait_for(db, 1)
    assert remote.server
    remote.server.send_signal(signal.SIGTERM)
    assert remote.server.wait(15) == 0  # a long poll is longer

    remote.start_server()
    start_tasks(db, "plain.note", "after")
    wait_for(db, 2)


def test_a_lease_that_runs_out_while_the_server_is_away_stops_what_was_held(db: Db, remote: RemoteFleet) -> None:
    worker = remote.start("plain", "--lease", "4s")
    (task,) = start_tasks(db, "plain.linger", 0.0, max_losses=3)
    wait_until(lambda: remote.effects() == ["begun"])

    remote.kill_server()
    wait_until(lambda: remote.effects() == ["begun", "asked to stop"])
    assert "the lease cannot be renewed" in worker.log
    wait_until(lambda: outcomes(db, task) == ["lost"])

    remote.start_server()
    wait_until(lambda: remote.effects().count("begun") == 2)  # a new session, the same worker


def test_a_key_that_is_revoked_claims_nothing_more_and_its_worker_says_so(db: Db, remote: RemoteFleet) -> None:
    worker = remote.start("plain", "--lease", "4s")
    db.execute("update tenuto.worker_keys set revoked_at = now()")
    start_tasks(db, "plain.note", "late")
    wait_until(lambda: "retrying" in worker.log)

    assert remote.effects() == []
    assert count(db, "ready_tasks") == 1
    assert remote.key not in worker.log


def one_line(remote: RemoteFleet, *flags: str, **environment: str) -> tuple[int, str]:
    refused = tenuto("worker", APP, *flags, TENUTO_HOME=remote.folder / "home", **environment)
    assert remote.key not in refused.stderr
    assert refused.stderr.count("\n") == 1, refused.stderr
    return refused.returncode, refused.stderr


def test_a_wrong_address_or_key_is_one_line_with_its_cure(db: Db, remote: RemoteFleet) -> None:
    known, url = {"TENUTO_URL": remote.url, "TENUTO_WORKER_KEY": remote.key}, remote.url
    other = make_worker_key(db, org_id=call(db, "create_org", slug="other"))
    db.execute("update tenuto.worker_keys set revoked_at = now() where org_id <> %s", [uuid4()])

    revoked = one_line(remote, **known)
    assert (revoked[0], "worker key" in revoked[1]) == (2, True)
    assert one_line(remote, **{**known, "TENUTO_WORKER_KEY": other})[0] == 2
    assert one_line(remote, "--url", url, "--key", remote.key[:-1])[0] == 2
    assert one_line(remote, "--url", url)[0] == 2
    assert one_line(remote, "--key", remote.key)[0] == 2
    assert one_line(remote, "--url", "ftp://nowhere", "--key", remote.key)[0] == 2
    assert one_line(remote, "--url", "http://127.0.0.1:1", "--key", remote.key)[0] == 3


def test_a_group_that_is_not_there_and_a_queue_that_is_not_the_keys_are_wrong_use(db: Db, remote: RemoteFleet) -> None:
    known = {"TENUTO_URL": remote.url, "TENUTO_WORKER_KEY": remote.key}
    mail = {**known, "TENUTO_WORKER_KEY": make_worker_key(db, "mail")}

    group, queue = one_line(remote, "--resource-group", "nowhere", **known), one_line(remote, "--queues", "web", **mail)
    assert (group[0], "nowhere" in group[1]) == (2, True)
    assert (queue[0], "web" in queue[1]) == (2, True)


def test_a_key_of_another_org_sees_nothing_of_this_one(db: Db, remote: RemoteFleet) -> None:
    remote.key = make_worker_key(db, org_id=call(db, "create_org", slug="other"))
    remote.start("plain")
    start_tasks(db, "plain.note", "mine")
    remote.key = make_worker_key(db)
    remote.start("plain")
    wait_for(db, 1)

    (worker,) = db.execute(
        "select s.worker_id from tenuto.task_attempts a join tenuto.sessions s on s.id = a.session_id"
    ).fetchall()
    assert worker == (remote.workers[1].name,)
