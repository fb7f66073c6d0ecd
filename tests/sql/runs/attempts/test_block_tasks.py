"""running -> waiting: the code changed under a task, and only other code can continue it."""

from typing import Any
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.limits import a_key
from tests.support.database.loops import an_org, value
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Db,
    Worker,
    a_worker_with,
    call,
    history,
    run_status,
    start,
    start_one,
    status,
    task,
)

MISMATCH = {"step_no": 2, "expected": "step 'charge'", "found": "sleep"}


@pytest.fixture
def new(db: Db) -> Worker:
    return a_worker_with(db, "new")


def blocked(db: Db, worker: Worker, **more: Any) -> UUID:
    """A task that the code of this worker cannot continue."""
    task_id = start_one(db, **more)
    (claim,) = [claim for claim in worker.claim(9) if claim.task_id == task_id]
    assert worker.block(claim) == ["accepted"]
    return task_id


def explain(db: Db, task_id: UUID) -> str:
    return call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)


def test_a_blocked_task_waits_without_a_charge_and_says_why(db: Db, new: Worker) -> None:
    task_id = blocked(db, new, kind={"max_attempts": 1})

    row = task(db, task_id)
    assert (row["status"], row["waits_for"], row["failures"], row["losses"]) == ("waiting", "code", 0, 0)
    assert history(db, task_id) == [(1, "blocked")]
    assert value(db, "select error from tenuto.task_attempts where task_id = %s", task_id) == MISMATCH
    assert explain(db, task_id) == (
        "app.work is waiting: its code changed: step 2 was step 'charge' on an earlier attempt and is sleep in code "
        "version new; it continues when a worker with other code is alive"
    )
    assert run_status(db, task_id) == "running"


def test_only_a_worker_with_other_code_gets_it(db: Db, new: Worker) -> None:
    task_id = blocked(db, new)
    a_worker_with(db, "new", "another with the same code")
    assert call(db, "unblock_tasks") == 0
    fixed = a_worker_with(db, "fixed")

    assert call(db, "unblock_tasks") == 1

    assert status(db, task_id) == "queued"
    assert new.claim(9) == []
    claim = fixed.claim_one()
    assert (claim.task_id, claim.attempt) == (task_id, 2)
    fixed.complete(claim)
    assert run_status(db, task_id) == "completed"


@pytest.mark.parametrize("next_life", ["expected", "registered with other code"])
def test_what_an_old_session_blocks_is_blocked_for_its_own_code(db: Db, new: Worker, next_life: str) -> None:
    task_id = start_one(db)
    claim = new.claim_one()
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id=new.name)
    if next_life == "expected":
        call(db, "expect_worker", org_id=DEFAULT_ORG, worker_id=new.name, instance_type="worker")
    else:
        a_worker_with(db, "fixed", new.name)

    assert new.block(claim) == ["accepted"]

    assert a_worker_with(db, "new", "same code").claim(9) == []
    fixed = a_worker_with(db, "fixed", "other code")
    call(db, "unblock_tasks")
    assert fixed.claim_one().task_id == task_id


def test_it_is_queued_at_once_while_a_worker_with_other_code_is_alive(db: Db, new: Worker) -> None:
    old = a_worker_with(db, "old")

    task_id = blocked(db, new)

    assert status(db, task_id) == "queued"
    assert new.claim(9) == []
    assert old.claim_one().task_id == task_id


def test_each_version_tries_once_and_a_roll_back_continues_it(db: Db, new: Worker) -> None:
    task_id = blocked(db, new)
    newer = a_worker_with(db, "newer")
    call(db, "unblock_tasks")
    newer.block(newer.claim_one())
    assert status(db, task_id) == "waiting"
    assert (call(db, "unblock_tasks"), new.claim(9), newer.claim(9)) == (0, [], [])

    old = a_worker_with(db, "old", newer.name)
    assert call(db, "unblock_tasks") == 1

    assert old.claim_one().task_id == task_id


def test_it_stays_with_other_code_while_it_waits_and_retries(db: Db, new: Worker) -> None:
    old = a_worker_with(db, "old")
    task_id = blocked(db, new)
    old.wait(old.claim_one(), **{"for": "signal", "name": "go"})
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=task_id, name="go")
    assert new.claim(9) == []
    old.fail(old.claim_one(), retry=0)
    call(db, "promote_due")
    assert new.claim(9) == []

    assert old.claim_one().task_id == task_id


def test_other_tasks_of_the_type_are_not_affected(db: Db, new: Worker) -> None:
    blocked(db, new)

    fresh = start(db, 1, 2)

    assert sorted(claim.task_id for claim in new.claim(9)) == sorted(fresh)


def test_a_worker_of_another_org_type_queue_or_state_does_not_count(db: Db, new: Worker, clock: Clock) -> None:
    task_id = blocked(db, new)
    a_worker_with(db, "old", org_id=an_org(db, "other"))
    for limits in ({"types": ["app.other"]}, {"queues": ["mail"]}):
        call(
            db, "register_worker", org_id=DEFAULT_ORG, worker_id=str(limits),
            metadata=Jsonb({"code_version": "old", **limits}),
        )  # fmt: skip
    a_worker_with(db, "old", "draining")
    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="draining")
    assert call(db, "unblock_tasks") == 0

    a_worker_with(db, "old", "dead", lease="10 seconds")
    clock.advance(seconds=11)

    assert call(db, "unblock_tasks") == 0
    assert status(db, task_id) == "waiting"


def test_a_repeated_report_is_accepted_and_a_late_one_is_not(db: Db, new: Worker, clock: Clock) -> None:
    start_one(db)
    claim = new.claim_one()
    assert [new.block(claim), new.block(claim)] == [["accepted"], ["already_accepted"]]
    assert new.complete(claim) == ["stale_lease"]

    start_one(db)
    late = new.claim_one()
    clock.advance(minutes=5)
    call(db, "expire_sessions")
    call(db, "expire_attempts")

    assert new.block(late) == ["stale_lease"]
    assert status(db, late.task_id) != "waiting"


def test_a_blocked_task_is_cancelled_like_any_other(db: Db, new: Worker) -> None:
    task_id = blocked(db, new)

    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)

    assert (status(db, task_id), run_status(db, task_id)) == ("cancelled", "cancelled")
    a_worker_with(db, "old")
    assert call(db, "unblock_tasks") == 0


def test_a_task_whose_cancel_was_requested_is_cancelled_instead(db: Db, new: Worker) -> None:
    task_id = start_one(db)
    claim = new.claim_one()
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)

    assert new.block(claim) == ["accepted"]

    assert status(db, task_id) == "cancelled"


def test_a_blocked_task_holds_no_slot_of_its_limit(db: Db, new: Worker) -> None:
    limited = {"details": Jsonb([{"task": 0, "limits": [a_key("one", 1)]}])}
    blocked(db, new, **limited)
    next_one = start_one(db, **limited)

    assert new.claim_one().task_id == next_one


def test_a_ready_task_is_set_aside_when_its_only_worker_is_gone(db: Db, new: Worker) -> None:
    limited = {"details": Jsonb([{"task": 0, "limits": [a_key("one", 1)]}])}
    old = a_worker_with(db, "old")
    task_id = blocked(db, new, **limited)
    next_one = start_one(db, **limited)
    assert (status(db, task_id), new.claim(9), call(db, "set_aside_tasks")) == ("queued", [], 0)
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id=old.name)
    assert "no worker alive has other code than version new" in explain(db, task_id)

    assert [call(db, "set_aside_tasks"), call(db, "set_aside_tasks")] == [1, 0]

    assert (status(db, task_id), new.claim_one().task_id) == ("waiting", next_one)
    assert "step 2 was step 'charge'" in explain(db, task_id)


@pytest.mark.parametrize(
    "mismatch",
    [
        None, "sleep", {}, {**MISMATCH, "more": 1}, {**MISMATCH, "found": None},
        *({**MISMATCH, "step_no": no} for no in ("2", -1, 1.5, 2.0, 2_147_483_648, 99_999_999_999)),
    ],
)  # fmt: skip
def test_a_mismatch_that_says_too_little_or_too_much_is_refused(db: Db, new: Worker, mismatch: Any) -> None:
    start_one(db)
    claim = new.claim_one()

    with pytest.raises(InvalidInput):
        call(
            db, "block_tasks", **new.fence, task_ids=[claim.task_id], attempts=[claim.attempt],
            mismatches=[Jsonb(mismatch)],
        )  # fmt: skip

    assert status(db, claim.task_id) == "running"


def test_the_last_ten_versions_are_remembered(db: Db) -> None:
    task_id = start_one(db)
    for number in range(12):
        worker = a_worker_with(db, f"v{number}", "w")
        call(db, "unblock_tasks")
        worker.block(worker.claim_one())

    assert status(db, task_id) == "waiting"
    route = "select blocked_versions from tenuto.routes where id = (select route_id from tenuto.waiting_tasks)"
    assert value(db, route) == [f"v{number}" for number in range(2, 12)]


def test_with_eleven_live_versions_it_is_tried_after_a_pause_that_grows(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    workers = [a_worker_with(db, f"v{number}", lease="1 day") for number in range(11)]
    at_once, pauses = 0, list[float]()
    while len(pauses) < 6:
        tries = [(worker, claim) for worker in workers for claim in worker.claim(1)]
        if tries:
            at_once += not pauses
            for worker, claim in tries:
                worker.block(claim)
        else:
            left = "select extract(epoch from available_at - tenuto.now())::float8 from tenuto.delayed_tasks"
            pauses.append(value(db, left))
            assert "a worker with other code is alive, and is tried again at" in explain(db, task_id)
            clock.advance(seconds=pauses[-1] + 1)
            call(db, "promote_due")

    assert at_once <= 10
    assert pauses[-1] > 8 * pauses[0]


def test_a_version_that_did_not_run_it_is_not_booked(db: Db, new: Worker) -> None:
    first, second = start(db, 1, 2)
    claims = {claim.task_id: claim for claim in new.claim(9)}
    assert new.block(claims[first], claims[second], versions=["newer", None]) == ["accepted", "accepted"]

    assert (status(db, first), status(db, second)) == ("queued", "waiting")
    again = new.claim_one()
    new.block(again, versions=["newer"])  # the worker still runs files that are not the ones it registered with

    assert (again.task_id, new.claim(9)) == (first, [])
    assert value(db, "select id from tenuto.delayed_tasks") == first


def test_a_worker_of_another_resource_group_does_not_count(db: Db, new: Worker) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="gpu")
    gpu = Jsonb({"code_version": "old", "resource_group": "gpu"})
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="gpu", metadata=gpu)

    task_id = blocked(db, new)

    assert (status(db, task_id), call(db, "unblock_tasks")) == ("waiting", 0)
    old = a_worker_with(db, "old")
    assert call(db, "unblock_tasks") == 1
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id=old.name)
    assert (call(db, "set_aside_tasks"), status(db, task_id)) == (1, "waiting")


def test_many_blocked_types_of_one_org_do_not_delay_another_org(db: Db, new: Worker) -> None:
    for number in range(9):
        blocked(db, new, kind={"type": f"app.type{number}"})
    other = an_org(db, "other")
    start(db, *range(9), org_id=other)
    worker = a_worker_with(db, "new", org_id=other)
    worker.block(*worker.claim(9))
    a_worker_with(db, "old")
    a_worker_with(db, "old", org_id=other)

    call(db, "unblock_tasks", limit=10)

    ready = "select count(*) from tenuto.ready_tasks where org_id = %s"
    assert (value(db, ready, DEFAULT_ORG), value(db, ready, other)) == (9, 5)


def test_a_bundles_task_continues_with_another_bundle(db: Db) -> None:
    def upload(sha256: str) -> None:
        db.execute(
            "insert into tenuto.bundles (id, org_id, sha256, name, manifest, size, created_by, created_at)"
            " values (gen_random_uuid(), %s, %s, 'shop', '{}', 1, 'me', now())",
            [DEFAULT_ORG, sha256],
        )
        db.execute(
            "insert into tenuto.bundle_types values (%s, 'app.work', %s, 'main:run')"
            " on conflict (org_id, type) do update set sha256 = excluded.sha256",
            [DEFAULT_ORG, sha256],
        )

    upload("a" * 64)
    worker = a_worker_with(db, "same", metadata=Jsonb({"code_version": "same", "bundles": True, "types": []}))
    task_id = blocked(db, worker)
    assert call(db, "unblock_tasks") == 0

    upload("b" * 64)

    assert call(db, "unblock_tasks") == 1
    assert worker.claim_one().task_id == task_id


def test_the_overview_and_the_list_show_how_many_are_blocked_and_why(db: Db, new: Worker) -> None:
    first = blocked(db, new)
    blocked(db, new)
    blocked(db, new, kind={"type": "app.other"})

    (overview,) = call(db, "get_overview", org_id=DEFAULT_ORG)
    work, other = call(db, "list_blocked", org_id=DEFAULT_ORG)

    assert overview["blocked"] == 3
    assert (work["type"], work["code_versions"], work["tasks"], work["task_id"]) == ("app.work", ["new"], 2, first)
    assert (work["step_no"], work["expected"], work["found"]) == (2, "step 'charge'", "sleep")
    assert (other["type"], other["tasks"]) == ("app.other", 1)
    assert call(db, "list_blocked", org_id=an_org(db, "other")) == []


def test_many_blocked_tasks_of_one_org_do_not_delay_another_org(db: Db, new: Worker) -> None:
    start(db, *range(50))
    new.block(*new.claim(50))
    a_worker_with(db, "old")
    other = an_org(db, "other")
    task_id = start_one(db, org_id=other)
    worker = a_worker_with(db, "new", org_id=other)
    worker.block(worker.claim_one())
    a_worker_with(db, "old", org_id=other)

    assert call(db, "unblock_tasks", limit=10) == 6

    assert status(db, task_id) == "queued"
