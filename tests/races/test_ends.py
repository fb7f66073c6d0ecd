"""The end of an attempt against whatever else wants its task."""

from tenuto.model.errors import TenutoError
from tests.support.database.interleave import Play, Race, on, rolled_back
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Worker,
    a_worker,
    call,
    history,
    run_status,
    start_graph,
    start_one,
    status,
    statuses,
)


def running(race: Race, **more: object) -> tuple[Worker, Claim]:
    start_one(race.db, **more)
    worker = a_worker(race.db)
    return worker, worker.claim_one()


def test_a_completion_and_the_reaper_never_both_win(race: Race) -> None:
    def scene(play: Play) -> str:
        worker, held = running(race)
        call(race.db, "close_session", **worker.fence)
        (answer,), taken = play.run(lambda db: on(worker, db).complete(held), lambda db: call(db, "expire_attempts"))
        assert (answer == "accepted") == (taken == 0)
        assert history(race.db, held.task_id) == [(1, "completed" if answer == "accepted" else "lost")]
        return answer

    assert set(race.every_order(scene)) == {"accepted", "stale_lease"}


def test_a_completion_and_the_deadline_never_both_win(race: Race) -> None:
    def scene(play: Play) -> str:
        worker, held = running(race, kind={"timeout_seconds": 60})
        race.db.execute("update tenuto.running_tasks set deadline_at = now() - interval '1 second'")
        (answer,), taken = play.run(lambda db: on(worker, db).complete(held), lambda db: call(db, "expire_deadlines"))
        assert (answer == "accepted") == (taken == 0)
        return answer

    assert set(race.every_order(scene)) == {"accepted", "stale_lease"}


def test_a_loss_reported_and_seen_by_the_reaper_is_charged_once(race: Race) -> None:
    def scene(play: Play) -> str:
        worker, held = running(race)
        call(race.db, "close_session", **worker.fence)
        (answer,), taken = play.run(lambda db: on(worker, db).lose(held), lambda db: call(db, "expire_attempts"))
        assert (answer == "accepted") == (taken == 0)
        assert history(race.db, held.task_id) == [(1, "lost")]
        return answer

    assert set(race.every_order(scene)) == {"accepted", "stale_lease"}


def test_a_completion_sent_twice_at_once_is_accepted_once(race: Race) -> None:
    def scene(play: Play) -> str:
        _, tasks = start_graph(race.db, 3, [(0, 2), (1, 2)])
        worker = a_worker(race.db)
        held = worker.claim_one()
        answers = play.run(lambda db: on(worker, db).complete(held), lambda db: on(worker, db).complete(held))
        assert sorted(answers) == [["accepted"], ["already_accepted"]]
        assert statuses(race.db, tasks) == ["completed", "queued", "pending"]
        return answers[0][0]

    assert set(race.every_order(scene)) == {"accepted", "already_accepted"}


def test_a_completion_whose_twin_is_rolled_back_is_accepted(race: Race) -> None:
    def scene(play: Play) -> None:
        worker, held = running(race)
        _, kept = play.run(
            rolled_back(lambda db: on(worker, db).complete(held)), lambda db: on(worker, db).complete(held)
        )
        assert kept == ["accepted"]
        assert status(race.db, held.task_id) == "completed"

    race.every_order(scene)


def test_of_a_completion_and_a_failure_one_is_accepted(race: Race) -> None:
    def scene(play: Play) -> str:
        worker, held = running(race)
        answers = play.run(lambda db: on(worker, db).complete(held), lambda db: on(worker, db).fail(held, final=True))
        assert sorted(answers) == [["accepted"], ["stale_lease"]]
        return status(race.db, held.task_id)

    assert set(race.every_order(scene)) == {"completed", "failed"}


def test_a_task_that_completes_while_its_run_is_cancelled_is_completed_and_the_rest_is_not_started(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, tasks = start_graph(race.db, 3, [(0, 1), (1, 2)])
        worker = a_worker(race.db)
        held = worker.claim_one()
        answer, _ = play.run(
            lambda db: on(worker, db).complete(held),
            lambda db: call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=run_id),
        )
        assert answer == ["accepted"]
        call(race.db, "sweep_cancelled")
        assert statuses(race.db, tasks) == ["completed", "cancelled", "cancelled"]
        assert run_status(race.db, run_id) == "cancelled"

    race.every_order(scene)


def test_a_task_cancelled_while_it_completes_takes_its_dependents_along(race: Race) -> None:
    def scene(play: Play) -> bool:
        _, tasks = start_graph(race.db, 3, [(0, 1)])
        worker = a_worker(race.db)
        held = worker.claim_one()
        answer, refused = play.run(
            lambda db: on(worker, db).complete(held),
            lambda db: call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=tasks[0]),
        )
        assert answer == ["accepted"]
        call(race.db, "sweep_cancelled")
        was_final = isinstance(refused, TenutoError)
        assert statuses(race.db, tasks) == ["completed", "queued" if was_final else "cancelled", "queued"]
        return was_final

    assert set(race.every_order(scene)) == {True, False}


def test_the_last_two_parents_release_their_child_once(race: Race) -> None:
    def scene(play: Play) -> None:
        _, tasks = start_graph(race.db, 3, [(0, 2), (1, 2)])
        worker = a_worker(race.db)
        one, two = worker.claim(2)
        answers = play.run(lambda db: on(worker, db).complete(one), lambda db: on(worker, db).complete(two))
        assert answers == [["accepted"], ["accepted"]]
        assert [claim.task_id for claim in worker.claim(9)] == [tasks[2]]

    race.every_order(scene)


def test_a_child_is_cancelled_once_when_one_parent_fails_while_the_other_completes(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, tasks = start_graph(race.db, 4, [(0, 2), (1, 2), (2, 3)])
        worker = a_worker(race.db)
        one, two = worker.claim(2)
        play.run(lambda db: on(worker, db).complete(one), lambda db: on(worker, db).fail(two, final=True))
        assert statuses(race.db, tasks) == ["completed", "failed", "cancelled", "cancelled"]
        assert run_status(race.db, run_id) == "failed"

    race.every_order(scene)


def test_two_parents_that_fail_together_cancel_their_child_once(race: Race) -> None:
    def scene(play: Play) -> None:
        _, tasks = start_graph(race.db, 4, [(0, 2), (1, 2), (0, 3, "failed"), (1, 3, "continue")])
        worker = a_worker(race.db)
        one, two = worker.claim(2)
        play.run(lambda db: on(worker, db).fail(one, final=True), lambda db: on(worker, db).fail(two, final=True))
        assert statuses(race.db, tasks) == ["failed", "failed", "cancelled", "queued"]

    race.every_order(scene)


def test_a_run_whose_last_two_tasks_end_while_it_is_folded_completes_once_with_both_counted(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, _ = start_graph(race.db, 2)
        worker = a_worker(race.db)
        one, two = worker.claim(2)
        play.run(
            lambda db: on(worker, db).complete(one),
            lambda db: on(worker, db).complete(two),
            lambda db: call(db, "fold_runs"),
        )
        assert run_status(race.db, run_id) == "completed"
        counts = "select completed_tasks, total_tasks from tenuto.run_status where id = %s"
        assert race.db.execute(counts, [run_id]).fetchone() == (2, 2)

    assert len(race.every_order(scene, 1, 1, 1)) == 90


def test_two_folds_count_an_end_once(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, _ = start_graph(race.db, 2)
        worker = a_worker(race.db)
        worker.complete(worker.claim_one())
        play.run(lambda db: call(db, "fold_runs"), lambda db: call(db, "fold_runs"))
        call(race.db, "fold_runs")
        assert race.db.execute("select completed from tenuto.runs where id = %s", [run_id]).fetchone() == (1,)

    race.every_order(scene)


def test_a_run_deleted_while_its_task_completes_goes_whole_or_stays_whole(race: Race) -> None:
    def scene(play: Play) -> str:
        worker, held = running(race)
        answer, refused = play.run(
            lambda db: on(worker, db).complete(held),
            lambda db: call(db, "delete_run", org_id=DEFAULT_ORG, run_id=held.run_id),
        )
        assert answer == ["accepted"]
        left = "completed" if isinstance(refused, TenutoError) else "gone"
        assert (status(race.db, held.task_id), run_status(race.db, held.run_id)) == (left, left)
        assert len(history(race.db, held.task_id)) == (left == "completed")
        return left

    assert set(race.every_order(scene)) == {"completed", "gone"}


def test_a_late_report_of_a_run_being_deleted_is_answered_and_brings_nothing_back(race: Race) -> None:
    def scene(play: Play) -> str:
        worker, held = running(race)
        worker.complete(held)
        answer, _ = play.run(
            lambda db: on(worker, db).complete(held),
            lambda db: call(db, "delete_run", org_id=DEFAULT_ORG, run_id=held.run_id),
        )
        assert status(race.db, held.task_id) == "gone"
        assert history(race.db, held.task_id) == []
        return answer[0]

    assert set(race.every_order(scene)) == {"already_accepted", "stale_lease"}
