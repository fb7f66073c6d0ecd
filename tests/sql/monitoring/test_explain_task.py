"""Why a task does not run, in one sentence for each reason."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.db import monitoring
from tenuto.model.errors import NotFound
from tests.support.clock import Clock
from tests.support.database.limits import a_key, a_queue, a_rate, start_limited
from tests.support.database.loops import an_org, cancel_task, lose_workers, settle, value
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_graph, start_one
from tests.support.database.wrappers import call_wrapper
from tests.support.faults.failing_rows import park


def why(db: Db, task_id: UUID) -> str:
    return call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)


def said(clock: Clock, **later: float) -> str:
    return (clock.now + timedelta(**later)).strftime("%Y-%m-%d %H:%M:%S UTC")


def a_dispatcher(db: Db) -> None:
    call(db, "beat_dispatcher", id=uuid4(), address="a", port=1)


def test_it_waits_for_other_tasks_by_name(db: Db) -> None:
    kinds = [{"type": "app.extract"}, {"type": "app.report"}]
    details = [{"task": 0, "name": "first"}]
    _, (first, second, last) = start_graph(db, 3, [(0, 2), (1, 2)], kinds=kinds, task_kinds=[0, 0, 1], details=details)

    assert why(db, last) == (
        f"app.report is pending: it waits for first {first} (queued), app.extract {second} (queued)"
    )


def test_it_waits_for_many_tasks(db: Db) -> None:
    _, tasks = start_graph(db, 6, [(n, 5) for n in range(5)])

    assert why(db, tasks[-1]).endswith(f"app.work {tasks[2]} (queued) and 2 more")


def test_it_is_a_handler(db: Db) -> None:
    kinds = [{"type": "app.work"}, {"type": "app.after", "handler": "failed"}]
    _, (_, handler) = start_graph(db, 2, kinds=kinds, task_kinds=[0, 1])

    assert (
        why(db, handler) == "app.after is pending: it runs after all other tasks of its run, if the run ends as failed"
    )


def test_it_waits_for_children_a_signal_or_a_time(db: Db, clock: Clock) -> None:
    start(db, 1, 2, 3, kind={"type": "app.parent"})
    worker = a_worker(db)
    parent, waiter, sleeper = worker.claim(3)
    children = worker.start_children(parent, 1, 2, 3)
    worker.wait(parent, **{"for": "children", "tasks": [str(child) for child in children[:2]]})
    worker.wait(waiter, **{"for": "signal", "name": "approved", "timeout_seconds": 60})
    worker.wait(sleeper, **{"for": "time", "seconds": 60})

    assert why(db, parent.task_id) == "app.parent is waiting: 2 of 3 children have not ended"
    at_most = f", and it waits until {said(clock, seconds=60)} at most"
    assert why(db, waiter.task_id) == f"app.parent is waiting: signal approved was not sent yet{at_most}"
    assert why(db, sleeper.task_id) == f"app.parent is waiting: it sleeps until {said(clock, seconds=60)}"

    clock.advance(seconds=61)
    assert why(db, sleeper.task_id).endswith("; no dispatcher is alive to move it")
    a_dispatcher(db)
    assert why(db, sleeper.task_id).endswith("; a dispatcher is about to move it")


NO_WORKER = {
    "nobody": ({}, None, "no worker is alive"),
    "a language": ({"language": "rust"}, {}, "no worker alive runs language rust"),
    "a label": ({"labels": ["gpu=1"]}, {}, "no worker alive has label gpu=1"),
    "labels": ({"labels": ["gpu=1", "eu"]}, {"labels": ["eu"]}, "no worker alive has labels eu and gpu=1"),
    "a queue": ({"queue": "mail"}, {"metadata": {"queues": ["other"]}}, "no worker alive serves queue mail"),
    "a type": ({}, {"metadata": {"queues": None, "types": ["app.other"]}}, "no worker alive has task type app.work"),
    "a group": ({}, {"metadata": {"resource_group": "gold"}}, "no worker alive serves resource group default"),
}


@pytest.mark.parametrize(("kind", "worker", "reason"), NO_WORKER.values(), ids=NO_WORKER)
def test_no_worker_could_take_it(db: Db, kind: dict, worker: dict | None, reason: str) -> None:
    task_id = start_one(db, kind=kind)
    if worker is not None:
        a_worker(db, **worker)

    assert why(db, task_id) == f"app.work is queued: {reason}"


def test_a_worker_that_is_silent_or_gone_is_not_alive(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    a_worker(db, "silent")
    gone = a_worker(db, "gone")
    call(db, "close_session", **gone.fence)
    clock.advance(minutes=5)

    assert why(db, task_id) == "app.work is queued: no worker is alive"


def test_every_worker_drains(db: Db) -> None:
    task_id = start_one(db)
    a_worker(db, "going")
    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="going")

    assert why(db, task_id) == "app.work is queued: every worker that could take it is draining (going)"


def test_its_inputs_are_elsewhere(db: Db) -> None:
    thing = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x")
    call(db, "place_object", org_id=DEFAULT_ORG, object_id=thing, addresses=["far"], hard=True)
    _, (task_id,) = start_graph(db, 1, details=[{"task": 0, "slots": [{"object": str(thing)}]}])
    a_worker(db, address="near")

    assert why(db, task_id) == "app.work is queued: no worker alive is at far, where its inputs are held"


def test_it_is_ready_behind_others(db: Db, clock: Clock) -> None:
    first, _, third = start(db, 1, 2, 3)
    a_worker(db)

    assert why(db, first) == f"app.work is queued: ready since {said(clock)}; tasks ahead of it: none"
    assert why(db, third) == f"app.work is queued: ready since {said(clock)}; tasks ahead of it: 2"

    (urgent,) = start(db, 4, kind={"priority": 5})
    start(db, 5, kind={"priority": -5})

    assert why(db, urgent).endswith("; tasks ahead of it: none")
    assert why(db, first).endswith("; tasks ahead of it: 1")
    assert why(db, third).endswith("; tasks ahead of it: 3")


def test_no_claim_has_opened_its_lane(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    a_worker(db)
    clock.advance(seconds=6)
    hidden = "; its lane is not open yet: the next claim opens it"
    assert why(db, task_id).endswith(hidden)

    arrival = value(db, "select id::text from tenuto.arrivals")
    park(db, "follow_arrivals", arrival)

    assert f"{hidden}, but follow_arrivals failed on that 1 times and tries again at " in why(db, task_id)


def test_its_queue_is_paused(db: Db, clock: Clock) -> None:
    task_id = start_one(db, kind={"queue": "mail"})
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="mail")

    assert why(db, task_id) == f"app.work is queued: queue mail is paused since {said(clock)}"


def test_its_resource_group_is_at_its_quota(db: Db) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="default", quota=1)
    _, task_id = start(db, 1, 2)
    a_worker(db).claim(5)

    assert why(db, task_id) == "app.work is queued: resource group default is at its quota (1 of 1 running)"


def test_its_limit_is_full(db: Db) -> None:
    holder, next_one, last = start_limited(db, 3, a_key("customer_id=7", 1))
    queue_holder, queued = start_limited(db, 2, a_queue("mail", 1))
    call(db, "follow_arrivals")

    held = f"(1 of 1, held by app.work {holder})"
    assert why(db, next_one) == f"app.work is queued: limit customer_id=7 is full {held}; tasks ahead of it: 0"
    assert why(db, last) == f"app.work is queued: limit customer_id=7 is full {held}; tasks ahead of it: 1"
    held = f"(1 of 1, held by app.work {queue_holder})"
    assert why(db, queued) == f"app.work is queued: limit of queue mail is full {held}; tasks ahead of it: 0"


def test_its_rate_has_not_come_to_it(db: Db, clock: Clock) -> None:
    a_dispatcher(db)
    _, second, third = start_limited(db, 3, a_rate("mail", 1, 60))
    call(db, "admit_rates")

    at = said(clock, seconds=60)
    assert why(db, second) == f"app.work is queued: rate mail admits 1 per 60 s, the next at {at}; tasks ahead of it: 0"
    assert why(db, third).endswith(f"the next at {at}; tasks ahead of it: 1")


def test_it_backs_off_after_an_error(db: Db, clock: Clock) -> None:
    failed, lost = start(db, 1, 2)
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(2)}
    worker.fail(claims[failed], retry=60, error="no disk")
    worker.lose(claims[lost], error="exit code 9")

    until = f"app.work is retrying: backoff until {said(clock, seconds=60)} after attempt 1 failed"
    assert why(db, failed) == f"{until}: no disk"
    assert "after attempt 1 failed: the attempt was lost: exit code 9; no dispatcher is alive" in why(db, lost)


def test_it_is_delayed_or_snoozed(db: Db, clock: Clock) -> None:
    delayed = start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 60}]))
    snoozed = start_one(db)
    worker = a_worker(db)
    worker.snooze(worker.claim_one(), seconds=60)

    assert why(db, delayed) == f"app.work is queued: delayed until {said(clock, seconds=60)}"
    assert why(db, snoozed) == f"app.work is queued: snoozed until {said(clock, seconds=60)}"


def test_it_runs(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    a_worker(db, "w1").claim_one()
    running = f"app.work is running: on worker w1 since {said(clock)}, attempt 1 of 3"
    assert why(db, task_id) == running

    cancel_task(db, task_id)
    assert why(db, task_id) == f"{running}; its cancellation was requested"
    lease_ends = said(clock, seconds=60)
    clock.advance(seconds=31)
    silent = f"; its worker has sent no heartbeat for 31 s: if none comes by {lease_ends}, another worker gets it"
    assert why(db, task_id).endswith(silent)
    clock.advance(minutes=5)
    assert why(db, task_id).endswith("; the lease of its worker has expired, so another worker gets it soon")


def test_it_has_ended(db: Db, clock: Clock) -> None:
    done, failed, stopped, lost = start(db, 1, 2, 3, 4, kind={"max_attempts": 1})
    worker = a_worker(db, lease="10 seconds")
    claims = {claim.task_id: claim for claim in worker.claim(4)}
    worker.complete(claims[done])
    call(db, "fail_tasks", **worker.fence, task_ids=[failed], attempts=[1], errors=[Jsonb({"type": "ValueError"})])
    cancel_task(db, stopped)
    worker.fail(claims[stopped])

    assert why(db, done) == f"app.work completed at {said(clock)}"
    assert why(db, failed) == f"app.work failed at {said(clock)}, attempt 1 of 1: ValueError"
    assert why(db, stopped).startswith(f"app.work was cancelled at {said(clock)}")
    lose_workers(db, clock, seconds=11)
    assert why(db, lost) == f"app.work failed at {said(clock)}, attempt 1 of 1: its worker w was lost"


def test_it_was_skipped(db: Db, clock: Clock) -> None:
    _, (_, skipped) = start_graph(db, 2, [(0, 1, "failed")])
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    settle(db)

    assert why(db, skipped) == f"app.work was skipped at {said(clock)}: a task that it depends on had another outcome"


def test_what_is_not_there_is_not_found(db: Db, database: str) -> None:
    theirs = start_one(db, org_id=an_org(db, "other"))
    for missing in (uuid4(), theirs):
        with pytest.raises(NotFound, match=str(missing)):
            call_wrapper(database, monitoring.explain_task, org_id=DEFAULT_ORG, task_id=missing)


def test_the_view_lists_every_task_that_does_not_run(db: Db) -> None:
    start_graph(db, 2, [(0, 1)])
    start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 60}]))
    start_limited(db, 2, a_key("k", 1))
    a_worker(db).claim_one()

    rows = db.execute(
        "select status, count(*), bool_and(reason <> '') from tenuto.why_not_running group by 1"
    ).fetchall()

    assert sorted(rows) == [("pending", 1, True), ("queued", 3, True)]
