"""Claims against each other, against beats and against cancels."""

from tenuto.model.errors import TenutoError
from tests.support.database.interleave import Play, Race, on
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start, start_one, status
from tests.support.faults.failing_rows import cure, poison


def test_two_claims_at_once_share_no_task(race: Race) -> None:
    def scene(play: Play) -> int:
        tasks = start(race.db, 1, 2, 3)
        call(race.db, "follow_arrivals")  # else the claim that opens the lane has it alone until its commit
        one, two = a_worker(race.db, "one"), a_worker(race.db, "two")
        first, second = play.run(lambda db: on(one, db).claim(2), lambda db: on(two, db).claim(2))
        claims = [*first, *second, *a_worker(race.db, "last").claim(3)]
        assert sorted(claim.task_id for claim in claims) == sorted(tasks)
        return len(second)

    assert set(race.every_order(scene)) == {1, 2}


def test_a_claim_of_many_and_a_claim_by_id_share_no_task(race: Race) -> None:
    def scene(play: Play) -> str:
        task_id = start_one(race.db)
        one, two = a_worker(race.db, "one"), a_worker(race.db, "two")
        claims, (answer,) = play.run(
            lambda db: on(one, db).claim(1), lambda db: call(db, "claim_task", **two.fence, claim_no=1, task_id=task_id)
        )
        assert len(claims) == (answer["result"] != "claimed")
        return answer["result"]

    assert set(race.every_order(scene)) == {"claimed", "already_running"}


def test_an_attempt_claimed_while_a_heartbeat_is_on_its_way_stays(race: Race) -> None:
    def scene(play: Play) -> None:
        start(race.db, 1, 2)
        worker = a_worker(race.db)
        held = worker.claim_one()
        (new,), beat = play.run(lambda db: on(worker, db).claim(1), lambda db: on(worker, db).beat(held, settled=1))
        assert beat["lost"] == []
        assert worker.beat(held, new, settled=2)["lost"] == []

    race.every_order(scene)


def test_a_forgotten_attempt_that_is_reported_after_all_is_accepted_or_stale_never_both(race: Race) -> None:
    def scene(play: Play) -> str:
        start_one(race.db)
        worker = a_worker(race.db)
        held = worker.claim_one()
        (answer,), _ = play.run(lambda db: on(worker, db).complete(held), lambda db: on(worker, db).beat(settled=1))
        assert status(race.db, held.task_id) == ("completed" if answer == "accepted" else "queued")
        return answer

    assert set(race.every_order(scene)) == {"accepted", "stale_lease"}


def test_a_task_cancelled_while_it_is_claimed_ends_or_hears_of_it(race: Race) -> None:
    def scene(play: Play) -> str:
        task_id = start_one(race.db)
        worker = a_worker(race.db)
        claims, _ = play.run(
            lambda db: on(worker, db).claim(1), lambda db: call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)
        )
        call(race.db, "sweep_cancelled")
        if claims:
            assert worker.beat(*claims)["cancelled"] == [task_id]
            assert worker.fail(*claims) == ["accepted"]
        assert status(race.db, task_id) == "cancelled"
        call(race.db, "sweep_cancelled")
        assert race.db.execute("select from tenuto.cancel_requests").fetchall() == []
        return "claimed" if claims else "not claimed"

    assert set(race.every_order(scene)) == {"claimed", "not claimed"}


def test_a_task_whose_time_comes_while_it_is_cancelled_is_cancelled(race: Race) -> None:
    def scene(play: Play) -> int:
        task_id = start_one(race.db)
        worker = a_worker(race.db)
        worker.fail(worker.claim_one(), retry=0)
        promoted, _ = play.run(
            lambda db: call(db, "promote_due"), lambda db: call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)
        )
        call(race.db, "sweep_cancelled")
        assert status(race.db, task_id) == "cancelled"
        assert worker.claim(1) == []
        return promoted

    assert set(race.every_order(scene)) == {0, 1}


def test_a_run_with_a_task_being_claimed_is_not_deleted(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id = start_one(race.db)
        worker = a_worker(race.db)
        claims, refused = play.run(
            lambda db: on(worker, db).claim(1), lambda db: call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
        )
        assert isinstance(refused, TenutoError)
        assert worker.complete(*claims) == ["accepted"]

    race.every_order(scene)


def test_two_claims_at_once_keep_a_group_within_its_quota(race: Race) -> None:
    call(race.db, "set_resource_group", org_id=DEFAULT_ORG, external_id="small", quota=2)

    def scene(play: Play) -> int:
        start(race.db, 1, 2, 3, 4, group="small")
        call(race.db, "follow_arrivals")  # else the lane is the first claim's own until it commits
        one, two = a_worker(race.db, "one"), a_worker(race.db, "two")
        first, second = play.run(lambda db: on(one, db).claim(4), lambda db: on(two, db).claim(4))
        assert len(first) + len(second) == 2
        assert a_worker(race.db, "last").claim(4) == []
        return len(first)

    assert set(race.every_order(scene)) == {0, 2}


def test_a_task_claimed_while_its_queue_is_paused_is_the_last_one(race: Race) -> None:
    def scene(play: Play) -> int:
        start(race.db, 1, 2)
        worker = a_worker(race.db)
        claims, _ = play.run(
            lambda db: on(worker, db).claim(1), lambda db: call(db, "pause_queue", org_id=DEFAULT_ORG, queue="default")
        )
        assert worker.claim(1) == []
        call(race.db, "resume_queue", org_id=DEFAULT_ORG, queue="default")
        assert len(worker.claim(2)) == 2 - len(claims)
        return len(claims)

    assert set(race.every_order(scene)) == {0, 1}


def test_two_workers_that_cannot_claim_a_task_postpone_it_once(race: Race) -> None:
    def scene(play: Play) -> int:
        task_id, other = start(race.db, 1, 2)
        call(race.db, "follow_arrivals")
        poison(race.db, "running_tasks", task_id, on="insert", column="id")
        workers = a_worker(race.db, "one"), a_worker(race.db, "two")
        routes = workers[0].routes()
        answers = play.run(
            *(
                lambda db, worker=worker: call(db, "postpone_unclaimable", **worker.fence, routes=routes, limit=10)
                for worker in workers
            )
        )
        cure(race.db, "running_tasks")
        assert [claim.task_id for claim in workers[0].claim(5)] == [other]
        return sum(len(rows) for rows in answers)

    assert set(race.every_order(scene)) == {1}
