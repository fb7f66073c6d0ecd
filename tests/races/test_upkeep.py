"""What is cleaned up while somebody begins to use it."""

from uuid import uuid4

from tests.support.database.interleave import Play, Race, on
from tests.support.database.limits import a_key, start_limited
from tests.support.database.tasks import Db, a_worker, call, drain, start


def an_idle_limit(race: Race) -> None:
    start_limited(race.db, 1, a_key("db", 1))
    drain(race.db, a_worker(race.db, "before"))
    race.db.execute("update tenuto.limits set idle_since = now() - interval '1 week'")


def test_a_task_that_lines_up_while_its_limit_is_removed_runs_with_the_next_claims(race: Race) -> None:
    def scene(play: Play) -> tuple[int, int]:
        an_idle_limit(race)

        def start(db: Db) -> object:
            return start_limited(db, 2, a_key("db", 1))

        tasks, (pruned,) = play.run(start, lambda db: call(db, "prune_limits"))
        lost = race.db.execute(
            "select count(*) from tenuto.waiting_tasks where limit_id not in (select id from tenuto.limits)"
        ).fetchone()
        worker = a_worker(race.db)
        (claim,) = worker.claim(9)
        worker.complete(claim)
        (last,) = worker.claim(9)
        assert {claim.task_id, last.task_id} == set(tasks)
        return pruned["removed"], lost[0] if lost else 0

    seen = set(race.every_order(scene))

    assert (1, 2) in seen, "no start met a limit that was being removed"
    assert {removed for removed, _ in seen} == {0, 1}


def test_a_floor_that_moves_while_a_task_is_given_back_does_not_hide_it(race: Race) -> None:
    def scene(play: Play) -> list[object]:
        start(race.db, *range(3))
        worker, other = a_worker(race.db), a_worker(race.db, "other")
        held = worker.claim(2)
        play.run(lambda db: on(worker, db).interrupt(*held), lambda db: call(db, "move_floors"))
        call(race.db, "move_floors")
        return [other.claim_one().input for _ in range(3)]

    assert set(map(tuple, race.every_order(scene))) == {(0, 1, 2)}


def test_two_dispatchers_that_ask_at_once_never_get_the_same_loop(race: Race) -> None:
    def take(db: Db) -> int:
        db.execute("set role tenuto_dispatcher")
        try:
            return len(db.execute("select tenuto.take_loops(%s, '{a,b,c}')", [uuid4()]).fetchall())
        finally:
            db.execute("set role tenuto_worker")

    assert {tuple(sorted(play)) for play in race.every_order(lambda play: play.run(take, take))} == {(0, 3)}
