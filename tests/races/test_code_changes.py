"""A task whose code changed, while workers come and go and people cancel it."""

from tests.support.database.interleave import Play, Race, on
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Db,
    Worker,
    a_worker_with,
    call,
    start_one,
    status,
)


def a_claim(race: Race) -> tuple[Worker, Claim]:
    """Held by a worker whose code cannot continue it."""
    start_one(race.db)
    worker = a_worker_with(race.db, "new")
    return worker, worker.claim_one()


def cancel(db: Db, claim: Claim) -> None:
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=claim.task_id)


def test_a_worker_that_registers_while_the_task_is_blocked_is_not_missed(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, claim = a_claim(race)
        (answer,), old = play.run(lambda db: on(worker, db).block(claim), lambda db: a_worker_with(db, "old"))
        call(race.db, "unblock_tasks")
        assert answer == "accepted"
        assert on(old, race.db).claim_one().task_id == claim.task_id

    race.every_order(scene)


def test_a_task_blocked_while_it_is_cancelled_is_cancelled(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, claim = a_claim(race)
        play.run(lambda db: on(worker, db).block(claim), lambda db: cancel(db, claim))
        call(race.db, "sweep_cancelled")
        assert status(race.db, claim.task_id) == "cancelled"

    race.every_order(scene)


def test_a_task_unblocked_while_it_is_cancelled_is_cancelled(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, claim = a_claim(race)
        worker.block(claim)
        a_worker_with(race.db, "old")
        play.run(lambda db: call(db, "unblock_tasks"), lambda db: cancel(db, claim))
        call(race.db, "sweep_cancelled")
        assert status(race.db, claim.task_id) == "cancelled"

    race.every_order(scene)


def test_a_task_is_unblocked_once(race: Race) -> None:
    def scene(play: Play) -> int:
        worker, claim = a_claim(race)
        worker.block(claim)
        a_worker_with(race.db, "old")
        return sum(play.run(lambda db: call(db, "unblock_tasks"), lambda db: call(db, "unblock_tasks")))

    assert set(race.every_order(scene)) == {1}


def test_a_task_set_aside_while_it_is_claimed_is_in_one_place(race: Race) -> None:
    def scene(play: Play) -> tuple[int, int]:
        worker, claim = a_claim(race)
        old = a_worker_with(race.db, "old")
        worker.block(claim)
        routes = old.routes()
        call(race.db, "terminate_worker", org_id=DEFAULT_ORG, worker_id=old.name)
        aside, claims = play.run(
            lambda db: call(db, "set_aside_tasks"), lambda db: on(worker, db).claim(1, routes=routes)
        )
        return aside, len(claims)

    assert set(race.every_order(scene)) == {(1, 0), (0, 1)}
