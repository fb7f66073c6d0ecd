"""Hot statements read what they need and no more, among 20,000 tasks and with the statistics of empty tables."""

from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from tests.plans.crowd import SERVED, routes_of
from tests.plans.plans import Plans, explained
from tests.support.clock import Clock
from tests.support.database.tasks import Worker, a_worker, start

HOT = ("ready_tasks", "running_tasks", "delayed_tasks", "waiting_tasks", "pending_tasks", "tasks", "task_attempts")


def ready_worker(db: psycopg.Connection, tasks: int) -> tuple[Worker, list[UUID]]:
    """A worker that has claimed before, so that its statements are planned as they always will be."""
    ids = start(db, *range(tasks + 10), kind=SERVED)
    worker = a_worker(db)
    claims = worker.claim(10, routes=routes_of(db, "app.served"))
    worker.complete(*claims)
    return worker, ids


def assert_no_scan_of_all(plans: Plans, *allowed: str) -> None:
    assert plans.nodes, "nothing was explained"
    assert plans.scans_of_all(*(table for table in HOT if table not in allowed)) == []


def test_a_claim_reads_a_few_rows_beyond_its_limit_whatever_stands_in_front(crowded: psycopg.Connection) -> None:
    worker, _ = ready_worker(crowded, 200)
    routes = routes_of(crowded, "app.served")

    with explained(crowded) as plans:
        claims = worker.claim(50, routes=routes)

    assert len(claims) == 50
    assert_no_scan_of_all(plans)
    found = [node for node in plans.on("ready_tasks") if node.index]
    assert found
    assert {node.index for node in found} == {"ready_tasks_pkey"}
    assert max(node.read for node in found) <= 60
    assert plans.read("tasks") <= 50 * 2
    assert [plans.read(table) for table in ("delayed_tasks", "waiting_tasks", "pending_tasks")] == [0, 0, 0]


def test_a_claim_that_finds_nothing_reads_next_to_nothing(crowded: psycopg.Connection) -> None:
    worker = a_worker(crowded)
    routes = routes_of(crowded, "app.done")
    worker.claim(1, routes=routes)

    with explained(crowded) as plans:
        assert worker.claim(50, routes=routes) == []

    assert_no_scan_of_all(plans)
    assert plans.read("ready_tasks") == 0


def test_a_claim_by_id_goes_straight_to_its_task(crowded: psycopg.Connection) -> None:
    worker, ids = ready_worker(crowded, 20)
    statement = "select result from tenuto.claim_task(%s, %s, 99, %s)"

    with explained(crowded) as plans:
        answer = crowded.execute(statement, [worker.session_id, worker.token, ids[-1]]).fetchone()

    assert answer == ("claimed",)
    assert_no_scan_of_all(plans)
    assert plans.read("ready_tasks") <= 4


def test_a_completion_touches_running_tasks_by_their_key(crowded: psycopg.Connection) -> None:
    worker, _ = ready_worker(crowded, 200)
    claims = worker.claim(100, routes=routes_of(crowded, "app.served"))

    with explained(crowded) as plans:
        worker.complete(*claims[:50])

    assert_no_scan_of_all(plans)
    found = [node for node in plans.on("running_tasks") if node.index]
    assert {node.index for node in found} == {"running_tasks_pkey"}
    assert max(node.read for node in found) <= 55
    assert plans.read("tasks") == 0


def test_ends_that_are_not_completions_stay_with_their_own_rows(crowded: psycopg.Connection) -> None:
    worker, _ = ready_worker(crowded, 200)
    claims = worker.claim(100, routes=routes_of(crowded, "app.served"))

    with explained(crowded) as plans:
        worker.fail(*claims[:10])
        worker.snooze(*claims[10:20])
        worker.interrupt(*claims[20:30])
        worker.wait(claims[30], **{"for": "signal", "name": "go"})

    assert_no_scan_of_all(plans)
    assert max(node.read for node in plans.on("running_tasks")) <= 15
    assert max(node.read for node in plans.on("tasks")) <= 30


def test_what_is_due_is_found_among_those_that_are_not(crowded: psycopg.Connection) -> None:
    clock = Clock(crowded)
    start(crowded, *range(20), kind=SERVED, details=Jsonb([{"task": n, "delay_seconds": 60} for n in range(20)]))
    worker, _ = ready_worker(crowded, 20)
    for claim in worker.claim(5, routes=routes_of(crowded, "app.served")):
        worker.wait(claim, **{"for": "time", "seconds": 60})
    clock.advance(minutes=2)

    with explained(crowded) as plans:
        promoted = crowded.execute("select tenuto.promote_due()").fetchone()
        awake = crowded.execute("select tenuto.wake_waiting()").fetchone()

    assert (promoted, awake) == ((20,), (5,))
    assert_no_scan_of_all(plans)
    assert max(node.read for node in plans.on("delayed_tasks")) <= 25
    assert max(node.read for node in plans.on("waiting_tasks")) <= 10


def test_a_sweep_of_lost_attempts_reads_only_what_runs(crowded: psycopg.Connection) -> None:
    clock = Clock(crowded)
    worker, _ = ready_worker(crowded, 100)
    worker.claim(50, routes=routes_of(crowded, "app.served"))
    clock.advance(minutes=5)

    with explained(crowded) as plans:
        crowded.execute("select tenuto.expire_sessions()")
        lost = crowded.execute("select tenuto.expire_attempts(20)").fetchone()
        crowded.execute("select tenuto.expire_deadlines()")

    assert lost == (20,)
    # What runs is as much as the workers hold, and is meant to be read whole: nothing else is.
    assert_no_scan_of_all(plans, "running_tasks")
    assert plans.read("ready_tasks") <= 2  # the first task of each lane, to know whom to wake
    assert max(node.read for node in plans.on("tasks")) <= 40


def test_the_state_of_one_task_is_read_by_its_id(crowded: psycopg.Connection) -> None:
    _, ids = ready_worker(crowded, 20)

    with explained(crowded) as plans:
        row = crowded.execute("select status from tenuto.task_status where id = %s", [ids[0]]).fetchone()

    assert row == ("completed",)
    assert_no_scan_of_all(plans)
    assert all(node.read <= 2 for table in HOT for node in plans.on(table))


def test_the_record_of_a_task_is_looked_for_in_one_partition(crowded: psycopg.Connection) -> None:
    _, ids = ready_worker(crowded, 20)

    with explained(crowded) as plans:
        crowded.execute("select * from tenuto.tasks where id = %s", [ids[0]])
        crowded.execute("select * from tenuto.task_attempts where task_id = %s", [ids[0]])

    assert len(plans.on("tasks")) == 1
    assert len(plans.on("task_attempts")) == 1


def test_folding_runs_touches_the_runs_that_changed(crowded: psycopg.Connection) -> None:
    worker, _ = ready_worker(crowded, 20)
    graph = {"org_id": worker.org_id, "run": Jsonb({}), "kinds": Jsonb([SERVED]), "inputs": [Jsonb(1)] * 3}
    arguments = ", ".join(f"p_{name} => %s" for name in graph)
    crowded.execute(f"select tenuto.start_run({arguments})".encode(), list(graph.values()))
    claims = worker.claim(100, routes=routes_of(crowded, "app.served"))
    worker.complete(*claims)

    with explained(crowded) as plans:
        folded = crowded.execute("select tenuto.fold_runs()").fetchone()

    assert folded == (1,)
    assert plans.scans_of_all("runs") == []
    assert max(node.read for node in plans.on("runs")) <= 2
