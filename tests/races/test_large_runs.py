"""Verbs on large runs against each other and against workers: in every order the run ends sound."""

import pytest

from tests.support.database.interleave import Call, Play, Race, on
from tests.support.database.loops import settle
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start_graph

SIZE = 1001
WORK = {"type": "app.work", "max_attempts": 1}


def verb(name: str, run_id: object) -> Call:
    return lambda db: call(db, name, org_id=DEFAULT_ORG, run_id=run_id)


def advance(db: object) -> int:
    return call(db, "advance_requests")  # pyright: ignore[reportArgumentType]


def finish(race: Race) -> None:
    while call(race.db, "advance_requests"):
        pass
    settle(race.db)
    call(race.db, "sweep_cancelled")


def test_two_dispatchers_do_not_work_on_one_request_at_a_time(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, _ = start_graph(race.db, SIZE, kinds=[WORK])
        call(race.db, "cancel_run", org_id=DEFAULT_ORG, run_id=run_id)
        advance(race.db)
        assert sum(play.run(advance, advance)) in (1, 2)
        finish(race)
        row = race.db.execute("select status, cancelled from tenuto.runs where id = %s", [run_id]).fetchone()
        assert row == ("cancelled", SIZE)

    race.every_order(scene)


@pytest.mark.parametrize("end", ["complete", "start_children"])
def test_a_piece_of_a_cancel_meets_a_worker(race: Race, end: str) -> None:
    def scene(play: Play) -> None:
        run_id, _ = start_graph(race.db, SIZE, kinds=[WORK])
        worker = a_worker(race.db)
        held = worker.claim_one()
        call(race.db, "cancel_run", org_id=DEFAULT_ORG, run_id=run_id)
        advance(race.db)
        advance(race.db)
        reports = {
            "complete": lambda db: on(worker, db).complete(held),
            "start_children": lambda db: on(worker, db).start_children(held, 1),
        }
        play.run(advance, reports[end])
        if end == "start_children":
            worker.fail(held)
        finish(race)
        row = race.db.execute("select status from tenuto.runs where id = %s", [run_id]).fetchone()
        assert row == ("cancelled",)

    race.every_order(scene)


def test_a_retry_and_a_delete_of_one_run_take_turns(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, _ = start_graph(race.db, SIZE, kinds=[WORK])
        call(race.db, "cancel_run", org_id=DEFAULT_ORG, run_id=run_id)
        finish(race)
        play.run(verb("retry_run", run_id), verb("delete_run", run_id))
        finish(race)
        runs = race.db.execute("select id, total from tenuto.runs").fetchall()
        tasks = race.db.execute("select count(*) from tenuto.tasks").fetchone()
        assert len(runs) in (0, 2)  # deleted first, or being copied
        assert tasks == (len(runs) * SIZE,)

    race.every_order(scene)
