"""Workers of Headless-WGP without fences: claims, reports and resets at the same time."""

from collections.abc import Callable

import psycopg

from tests.support.database.compat import claim_wgp, complete_wgp, fail_wgp, insert_wgp, reset_wgp, rows, wgp_task
from tests.support.database.interleave import Play, Race


def outcome(report: Callable[[], None]) -> str:
    """accepted, or the code of the refusal."""
    try:
        report()
    except psycopg.Error as error:
        return error.sqlstate or "?"
    return "accepted"


def test_two_claims_of_a_new_worker_share_one_session(race: Race) -> None:
    def scene(play: Play) -> None:
        tasks = {insert_wgp(race.db), insert_wgp(race.db)}
        first, second = play.run(claim_wgp, claim_wgp)
        assert {task["id"] for task in (first, second) if task} <= tasks
        assert rows(race.db, "select count(*)::int as n from tenuto.sessions where ended_at is null") == [{"n": 1}]
        while claim_wgp(race.db):
            pass
        held = rows(race.db, "select count(*)::int as n from tenuto_compat_wgp.tasks where worker_id = 'gpu-1'")
        assert held == [{"n": 2}]

    race.every_order(scene)


def test_the_last_task_goes_to_one_of_two_workers(race: Race) -> None:
    def scene(play: Play) -> None:
        insert_wgp(race.db)
        claimed = play.run(lambda db: claim_wgp(db, "gpu-1"), lambda db: claim_wgp(db, "gpu-2"))
        assert sum(bool(task) for task in claimed) == 1

    race.every_order(scene)


def test_a_task_is_completed_or_given_back_never_both(race: Race) -> None:
    def scene(play: Play) -> str:
        task_id = insert_wgp(race.db)
        claim_wgp(race.db)
        reported, reset = play.run(
            lambda db: outcome(lambda: complete_wgp(db, task_id, worker="gpu-1")), lambda db: reset_wgp(db, "gpu-1")
        )
        assert (reported, reset) in (("accepted", 0), ("TN005", 1))
        assert wgp_task(race.db, task_id)["status"] == ("Queued" if reset else "Complete")
        return reported

    race.every_order(scene)


def test_a_completion_and_a_failure_of_the_same_worker_make_one_end(race: Race) -> None:
    def scene(play: Play) -> None:
        task_id = insert_wgp(race.db)
        claim_wgp(race.db)
        completed, failed = play.run(
            lambda db: outcome(lambda: complete_wgp(db, task_id)), lambda db: outcome(lambda: fail_wgp(db, task_id))
        )
        assert (completed == "accepted") != (failed == "accepted")
        assert wgp_task(race.db, task_id)["status"] == ("Complete" if completed == "accepted" else "Queued")


def test_a_completion_that_comes_twice_at_once_is_accepted_once_and_refused_never(race: Race) -> None:
    def scene(play: Play) -> None:
        task_id = insert_wgp(race.db)
        claim_wgp(race.db)
        results = play.run(*[lambda db: outcome(lambda: complete_wgp(db, task_id, {"ok": 1}))] * 2)
        assert results == ["accepted", "accepted"]

    race.every_order(scene)
