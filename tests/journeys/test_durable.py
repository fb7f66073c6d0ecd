"""Everything is killed while tasks sleep, wait and step: each step's effect is there once, and no slot is held."""

from uuid import UUID

import pytest

from tests.support.database.attempts import end_lease, running, start_tasks, wait_for
from tests.support.database.loops import count, value
from tests.support.database.tasks import DEFAULT_ORG, Db, call, statuses
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

KINDS = ("async", "thread", "process")


def effects_of(*steps: str) -> list[str]:
    return sorted(f"{step} {kind}" for step in steps for kind in KINDS)


def wait_while_waiting(db: Db, fleet: Fleet, orders: list[UUID], *steps: str) -> None:
    wait_until(lambda: sorted(fleet.effects()) == effects_of(*steps) and set(statuses(db, orders)) == {"waiting"})
    assert running(db) == 0


def wait_until_recorded(db: Db, fleet: Fleet, *steps: str) -> None:
    """A worker that is killed after the effect of a step, but before its record, does the step again."""
    wait_until(lambda: count(db, "task_steps", "kind = 'step'") == len(KINDS) * len(steps))
    assert sorted(fleet.effects()) == effects_of(*steps)


def pass_an_hour(db: Db) -> None:
    """For those who sleep."""
    db.execute(
        "update tenuto.task_steps"
        " set created_at = created_at - interval '1 hour', retry_at = retry_at - interval '1 hour'"
    )
    db.execute("update tenuto.waiting_tasks set wake_at = wake_at - interval '1 hour'")


def test_steps_sleeps_and_signals_survive_the_death_of_everything(db: Db, fleet: Fleet):
    worker = fleet.start("durable")
    orders = [
        *start_tasks(db, "durable.order", None, max_attempts=10),
        *start_tasks(db, "durable.order_thread", None, max_attempts=10),
        *start_tasks(db, "durable.order_process", None, max_attempts=10),
    ]
    wait_while_waiting(db, fleet, orders, "charge")  # in ctx.sleep
    worker.kill()

    pass_an_hour(db)
    worker = fleet.start("durable")
    wait_while_waiting(db, fleet, orders, "charge", "pack")  # in ctx.wait
    worker.kill()

    for order in orders:
        call(db, "send_signal", org_id=DEFAULT_ORG, run_id=order, name="approved", value={"by": "me"})
    worker = fleet.start("durable")
    wait_until_recorded(db, fleet, "charge", "pack", "ship")  # between two steps
    worker.kill()
    end_lease(db, worker.name)

    fleet.open_gate("after shipping")
    fleet.start("durable")
    wait_for(db, completed=3)
    assert sorted(fleet.effects()) == effects_of("charge", "pack", "ship", "bill")
    assert count(db, "task_attempts", "end_no = 0 and output = %s", '{"by": "me"}') == 3


def test_a_failure_that_was_handled_stays_handled_after_a_kill_and_a_sleep(db: Db, fleet: Fleet):
    worker = fleet.start("durable")
    sagas = [
        *start_tasks(db, "durable.saga", None, max_attempts=10),
        *start_tasks(db, "durable.saga_thread", None, max_attempts=10),
        *start_tasks(db, "durable.saga_process", None, max_attempts=10),
    ]
    wait_until_recorded(db, fleet, "charge", "cancel")  # between the two and the sleep
    worker.kill()
    end_lease(db, worker.name)

    fleet.open_gate("after cancelling")
    worker = fleet.start("durable")
    wait_while_waiting(db, fleet, sagas, "charge", "cancel")  # in ctx.sleep
    worker.kill()

    pass_an_hour(db)
    fleet.start("durable")
    wait_for(db, completed=3)
    assert sorted(fleet.effects()) == effects_of("charge", "cancel", "tell")
    outputs = {value(db, "select output from tenuto.task_attempts where task_id = %s and end_no = 0", s) for s in sagas}
    assert outputs == {f"cancelled, bank {kind}" for kind in KINDS}


def test_a_step_waits_for_its_next_try_without_a_slot_and_through_a_kill(db: Db, fleet: Fleet):
    worker = fleet.start("durable")
    tasks = [
        *start_tasks(db, "durable.retried", None, max_attempts=1),
        *start_tasks(db, "durable.retried_thread", None, max_attempts=1),
        *start_tasks(db, "durable.retried_process", None, max_attempts=1),
    ]
    wait_while_waiting(db, fleet, tasks, "try")
    worker.kill()

    pass_an_hour(db)
    worker = fleet.start("durable")
    wait_while_waiting(db, fleet, tasks, "try", "try")
    worker.kill()

    fleet.open_gate("the bank is back")
    pass_an_hour(db)
    fleet.start("durable")
    wait_for(db, completed=3)
    assert sorted(fleet.effects()) == effects_of("try", "try", "try")
    assert count(db, "task_steps", "tries = 3 and error is null and retry_at is null") == 3


@pytest.mark.parametrize("children", [1000, pytest.param(5000, marks=pytest.mark.soak)])
def test_thousands_of_children_of_one_parent_need_one_slot(db: Db, fleet: Fleet, children: int):
    fleet.start("durable", "--concurrency", "1")
    (parent,) = start_tasks(db, "durable.parent", [children])
    wait_for(db, completed=children + 1, timeout=100)

    total = value(db, "select output from tenuto.task_attempts where task_id = %s and end_no = 0", parent)
    assert total == sum(2 * number for number in range(children))
    assert count(db, "task_attempts", "outcome in ('lost', 'failed', 'retrying')") == 0
