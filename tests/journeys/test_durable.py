"""Everything is killed while tasks sleep, wait and step: each step's effect is there once, and no slot is held."""

from uuid import UUID

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


def pass_an_hour(db: Db) -> None:
    """For those who sleep."""
    db.execute("update tenuto.task_steps set created_at = created_at - interval '1 hour'")
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
    wait_until(lambda: sorted(fleet.effects()) == effects_of("charge", "pack", "ship"))  # between two steps
    worker.kill()
    end_lease(db, worker.name)

    fleet.open_gate("after shipping")
    fleet.start("durable")
    wait_for(db, completed=3)
    assert sorted(fleet.effects()) == effects_of("charge", "pack", "ship", "bill")
    assert count(db, "task_attempts", "end_no = 0 and output = %s", '{"by": "me"}') == 3


def test_five_thousand_children_of_one_parent_need_one_slot(db: Db, fleet: Fleet):
    fleet.start("durable", "--concurrency", "1")
    (parent,) = start_tasks(db, "durable.parent", [5000])
    wait_for(db, completed=5001, timeout=100)

    total = value(db, "select output from tenuto.task_attempts where task_id = %s and end_no = 0", parent)
    assert total == sum(2 * number for number in range(5000))
    assert count(db, "task_attempts", "outcome in ('lost', 'failed', 'retrying')") == 0
