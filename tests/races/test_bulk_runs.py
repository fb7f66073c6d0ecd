"""Bulk operations against each other and against workers: in every order each run ends once."""

import pytest

from tests.support.database.interleave import Call, Play, Race, on
from tests.support.database.loops import settle
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, run_status, start, start_graph

WORK = {"type": "app.work", "max_attempts": 1}


def bulk(name: str, **options: object) -> Call:
    return lambda db: call(db, name, org_id=DEFAULT_ORG, type="app.work", **options)


@pytest.mark.parametrize("report", ["complete", "fail", "start_children"])
def test_a_bulk_cancel_meets_a_worker(race: Race, report: str) -> None:
    def scene(play: Play) -> None:
        runs = start(race.db, 1, 2, 3, kind=WORK)
        worker = a_worker(race.db)
        held = worker.claim_one()
        reports: dict[str, Call] = {
            "complete": lambda db: on(worker, db).complete(held),
            "fail": lambda db: on(worker, db).fail(held),
            "start_children": lambda db: on(worker, db).start_children(held, 1),
        }
        (done,), _ = play.run(bulk("cancel_runs"), reports[report])
        if report == "start_children":
            worker.fail(held)
        call(race.db, "sweep_cancelled")
        settle(race.db)
        ends = [run_status(race.db, id) for id in runs]
        assert ends[0] in {"complete": ("completed", "cancelled"), "fail": ("failed", "cancelled")}.get(
            report, ("cancelled",)
        )
        assert ends[1:] == ["cancelled", "cancelled"]
        # A worker that was first has ended the run: it is not reported as cancelled, even if the cancel had found it.
        assert (runs[0] in done["run_ids"]) == (play.order[0] == 0 or report == "start_children")
        assert len(done["refused"]) == (play.order[:2] == (1, 0) and report != "start_children")

    race.every_order(scene)


def test_two_bulk_retries_retry_each_run_once(race: Race) -> None:
    def scene(play: Play) -> None:
        start(race.db, 1, 2, kind=WORK)
        worker = a_worker(race.db)
        worker.fail(*worker.claim(2), final=True)
        settle(race.db)
        play.run(bulk("retry_runs"), bulk("retry_runs"))
        row = race.db.execute("select count(*) from tenuto.runs where retry_of is not null").fetchone()
        assert row == (2,)

    race.every_order(scene)


def test_a_deadline_meets_a_claim_and_a_report(race: Race) -> None:
    def scene(play: Play) -> None:
        (first, second) = [
            start_graph(race.db, 1, kinds=[WORK], run={"deadline_seconds": 0.001, "expires_seconds": 0.001})[0]
            for _ in range(2)
        ]
        worker = a_worker(race.db)
        held = worker.claim_one()
        _, claims = play.run(lambda db: call(db, "expire_runs"), lambda db: on(worker, db).claim(1))
        worker.complete(held)
        call(race.db, "expire_runs")
        call(race.db, "sweep_cancelled")
        settle(race.db)
        assert run_status(race.db, first) == "completed"
        # A task that is claimed while its run is cancelled is asked to stop.
        marked = race.db.execute("select bool_and(cancel) from tenuto.running_tasks").fetchone()
        assert (run_status(race.db, second) == "cancelled") if not claims else marked == (True,)

    race.every_order(scene)
