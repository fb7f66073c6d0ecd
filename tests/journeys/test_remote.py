"""Workers that know only a server's address and their key do all that direct ones do."""

import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import json_array
from tests.support.database.attempts import end_lease, ended, error_of, outcomes, running, start_tasks, wait_for
from tests.support.database.loops import cancel_run, count, value
from tests.support.database.outbox import a_destination, effects
from tests.support.database.tasks import DEFAULT_ORG, Db, call, statuses
from tests.support.http.forward_proxy import an_http_proxy
from tests.support.processes.remote_workers import RemoteFleet, a_remote_fleet, make_worker_key
from tests.support.waiting import wait_until


@pytest.fixture
def remote(db: Db, database: str, tmp_path: Path) -> Iterator[RemoteFleet]:
    with a_remote_fleet(database, tmp_path, make_worker_key(db)) as fleet:
        yield fleet


def output_of(db: Db, task_id: UUID) -> Any:
    return value(db, "select output from tenuto.task_attempts where task_id = %s and end_no = 0", task_id)


def test_tasks_run_on_the_loop_in_threads_and_in_processes(db: Db, remote: RemoteFleet) -> None:
    remote.start("plain")
    start_tasks(db, "plain.note", *[f"n{no}" for no in range(20)])
    for kind in ("hold", "hold_thread", "hold_process"):
        start_tasks(db, f"plain.{kind}", kind)
        remote.open_gate(kind)
    wait_for(db, 23)

    notes = [line for line in remote.effects() if line.startswith("n")]
    assert sorted(notes) == sorted(f"n{no}" for no in range(20))


def _has_logged(db: Db, task: UUID) -> bool:
    return count(db, "task_logs", "task_id = %s and message = 'halfway'", task) >= 1


def test_a_run_that_failed_on_a_wrong_signal_is_retried_with_another(db: Db, remote: RemoteFleet) -> None:
    remote.start("remote")
    tasks = [start_tasks(db, f"remote.{kind}", [])[0] for kind in ("amount", "amount_process")]
    wait_until(lambda: count(db, "waiting_tasks", """signal_schema = '{"type": "integer"}'""") == 2)
    for task in tasks:
        call(db, "send_signal", org_id=DEFAULT_ORG, run_id=task, name="amount", value=Jsonb("much"))
    wait_until(lambda: ended(db, "failed") == 2)

    assert [error_of(db, task)["type"] for task in tasks] == ["BadSignal", "BadSignal"]
    assert count(db, "task_attempts", "outcome = 'retrying'") == 0
    again = [call(db, "retry_run", org_id=DEFAULT_ORG, run_id=task) for task in tasks]
    wait_until(lambda: count(db, "waiting_tasks", "signal = 'amount'") == 2)
    for run_id in again:
        call(db, "send_signal", org_id=DEFAULT_ORG, run_id=run_id, name="amount", value=Jsonb(3))
    wait_for(db, 2)
    assert [output_of(db, run_id) for run_id in again] == [3, 3]


def test_ctx_asks_everything_over_http(db: Db, remote: RemoteFleet) -> None:
    remote.start("remote", "--address", "node-9")
    assert value(db, "select address from tenuto.workers") == "node-9"
    a_destination(db)
    kinds = ("everything", "everything_thread", "everything_process")
    tasks = [start_tasks(db, f"remote.{kind}", kind)[0] for kind in kinds]
    wait_until(lambda: count(db, "waiting_tasks", "signal = 'approved'") == 3)
    for task in tasks:
        call(db, "send_signal", org_id=DEFAULT_ORG, run_id=task, name="approved", value={"by": "me"})
    wait_for(db, 3 + 9)

    for task, kind in zip(tasks, kinds, strict=True):
        charged = f"charged {kind}"
        assert output_of(db, task) == {
            "charged": charged,
            "doubled": [2, 4, 6],
            "approved": {"by": "me"},
            "found": {"total": charged},
            "content": b"\x00bytes".hex(),
        }
        wait_until(partial(_has_logged, db, task))  # lines go out in batches, after the result too
    assert sorted(remote.effects()) == sorted(f"charge {kind}" for kind in kinds)
    assert sorted(payload["body"] for _, payload, _ in effects(db)) == sorted(kinds)  # each once, although replayed
    kept = db.execute("select job_key, value from tenuto.operator_state where key = 'last' order by 1").fetchall()
    assert kept == [(f"remote.{kind}", "default True") for kind in sorted(kinds)]


def test_a_large_output_travels_as_a_data_object(db: Db, remote: RemoteFleet) -> None:
    remote.start("remote")
    (task,) = start_tasks(db, "remote.length_of_large", None)
    wait_for(db, 2)

    assert output_of(db, task) == 1_200_000


def test_inputs_too_large_for_the_answer_of_a_claim_are_fetched(db: Db, remote: RemoteFleet) -> None:
    remote.start("remote")
    inputs = [None, [[{"$slot": no} for no in range(40)]]]
    details = [{"task": 1, "slots": [{"task": 0}] * 40}]
    kinds = [{"type": "remote.text"}, {"type": "remote.lengths"}]
    params = {"kinds": Jsonb(kinds), "inputs": json_array(inputs), "task_kinds": [0, 1], "details": Jsonb(details)}
    call(db, "start_run", org_id=DEFAULT_ORG, run=Jsonb({}), **params)
    wait_for(db, 2)

    total = value(db, "select output::text::int from tenuto.task_attempts where jsonb_typeof(output) = 'number'")
    assert total == 34_000_000


def test_what_fails_is_retried_what_is_too_long_is_stopped_and_a_snooze_costs_nothing(
    db: Db, remote: RemoteFleet
) -> None:
    remote.start("remote")
    (failing,) = start_tasks(db, "remote.fails_once", None, max_attempts=3, backoff_seconds=0.1)
    (too_long,) = start_tasks(db, "remote.too_long", None, max_attempts=1, timeout_seconds=0.5)
    (snoozing,) = start_tasks(db, "remote.snoozes", None, max_attempts=1)
    wait_until(lambda: ended(db) == 2 and ended(db, "failed") == 1)

    assert outcomes(db, failing) == ["retrying", "completed"]
    assert outcomes(db, too_long) == ["failed"]
    assert error_of(db, too_long)["type"] == "Timeout"
    assert outcomes(db, snoozing) == ["snoozed", "completed"]


def test_the_schedules_of_its_app_are_made_known(db: Db, remote: RemoteFleet) -> None:
    remote.start("cron")

    assert value(db, "select cron from tenuto.schedules where name = 'cron.tick'") == "* * * * *"


def test_what_is_cancelled_is_told_long_before_the_next_heartbeat(db: Db, remote: RemoteFleet) -> None:
    remote.start("plain", "--lease", "1h")
    (task,) = start_tasks(db, "plain.linger", 0.0)
    wait_until(lambda: remote.effects() == ["begun"])

    cancel_run(db, task)
    wait_until(lambda: statuses(db, [task]) == ["cancelled"])

    assert remote.effects() == ["begun", "asked to stop"]


def test_a_worker_that_is_stopped_gives_back_what_it_cannot_finish(db: Db, remote: RemoteFleet) -> None:
    first = remote.start("plain", "--grace", "0s")
    (task,) = start_tasks(db, "plain.hold", "gate")
    wait_until(lambda: remote.effects() == ["begun gate"])

    first.tell(signal.SIGTERM)
    assert first.wait() == 0
    assert (outcomes(db, task), running(db)) == (["interrupted"], 0)
    assert value(db, "select count(*) from tenuto.sessions where ended_at is null") == 0

    remote.open_gate("gate")
    remote.start("plain")
    wait_for(db, 1)


def test_a_drained_worker_finishes_and_ends(db: Db, remote: RemoteFleet) -> None:
    worker = remote.start("plain", "--lease", "6s")
    start_tasks(db, "plain.hold", "gate")
    wait_until(lambda: remote.effects() == ["begun gate"])

    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id=worker.name, reason="new version")
    wait_until(lambda: "is being drained" in worker.log)
    remote.open_gate("gate")

    assert worker.wait() == 0
    assert ended(db) == 1


def test_a_killed_worker_loses_nothing_but_its_lease(db: Db, remote: RemoteFleet) -> None:
    worker = remote.start("plain")
    (task,) = start_tasks(db, "plain.hold", "gate", max_losses=3)
    wait_until(lambda: remote.effects() == ["begun gate"])
    worker.kill()
    end_lease(db, worker.name)

    remote.open_gate("gate")
    remote.start("plain")
    wait_for(db, 1)
    assert outcomes(db, task) == ["lost", "completed"]


def test_a_key_for_some_queues_claims_from_no_other(db: Db, remote: RemoteFleet) -> None:
    remote.key = make_worker_key(db, "mail")
    worker = remote.start("remote")
    remote.start("cron")  # whose schedule is of another queue
    start_tasks(db, "remote.slow_note", "default")
    start_tasks(db, "remote.mail", "a", queue="mail")
    start_tasks(db, "remote.mail", "b", inherit=True)  # its worker declared the queue
    wait_for(db, 2)

    assert sorted(remote.effects()) == ["mail a", "mail b"]
    assert "tasks of the app are in queues that the worker key does not allow: default" in worker.log
    assert count(db, "schedules") == 0


def test_everything_goes_through_a_proxy(db: Db, remote: RemoteFleet, monkeypatch: pytest.MonkeyPatch) -> None:
    with an_http_proxy() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        worker = remote.start("remote")
        (task,) = start_tasks(db, "remote.length_of_large", None)
        wait_for(db, 2)
        worker.tell(signal.SIGTERM)
        assert worker.wait() == 0

        asked = {line.split("/")[1] + "/" + line.split("/")[2] for line in proxy.seen if line.count("/") > 1}
        assert output_of(db, task) == 1_200_000
        assert {"internal/sessions", "internal/claim", "internal/wait", "internal/heartbeat", "v1/task"} <= asked


def test_a_worker_whose_resource_group_is_deleted_ends_and_says_so(db: Db, remote: RemoteFleet) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="team-a")
    worker = remote.start("plain", "--resource-group", "team-a")

    call(db, "delete_group", org_id=DEFAULT_ORG, external_id="team-a")

    assert worker.wait() == 2
    assert "no resource group 'team-a' in org" in worker.log
    assert "registering again" not in worker.log
