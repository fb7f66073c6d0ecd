"""Routing events against cutovers, pauses and other dispatchers: every event reaches every job once."""

from typing import Any

from tests.support.database.dags import cutover, deploy, set_status
from tests.support.database.events import a_reader, commit, queued, reactions, readers, route, route_delayed, versions
from tests.support.database.interleave import Play, Race, on
from tests.support.database.jobs import deployed
from tests.support.database.outbox import take
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

BOTH = readers(a_reader(), a_reader("each", execution_strategy="PerUpdate"))


def an_event(race: Race, document: dict[str, Any] = BOTH, partition: str = "mon") -> None:
    deployed(race.db, document)
    commit(a_worker(race.db), partition)


def routes(db: Db, owner: str = "one") -> Any:
    """What one dispatcher does with the effects that it took."""
    ids = [row[0] for row in db.execute("select id from tenuto.outbox where locked_by = %s", [owner]).fetchall()]
    return call(db, "route_events", owner=owner, ids=ids)


def test_a_pause_and_an_event_leave_it_waiting_or_started(race: Race) -> None:
    def pause(db: Db) -> None:
        call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="daily")

    def scene(play: Play) -> str:
        an_event(race, readers(a_reader()))
        take(race.db, kinds=("route_event",))
        play.run(routes, pause)
        route_delayed(race.db)
        ((_, _, reaction),) = reactions(race.db)
        assert len(queued(race.db)) == (reaction == "triggered")
        return reaction

    assert set(race.every_order(scene)) == {"triggered", "paused"}


def test_a_resume_loses_no_event(race: Race) -> None:
    def resume(db: Db) -> None:
        call(db, "resume_job", org_id=DEFAULT_ORG, dag="sales", name="daily")

    def scene(play: Play) -> list[str]:
        an_event(race, readers(a_reader()))
        call(race.db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="daily")
        take(race.db, kinds=("route_event",))
        play.run(routes, resume)
        route_delayed(race.db)
        return [reaction for _, _, reaction in reactions(race.db)]

    assert all(outcome == ["triggered"] for outcome in race.every_order(scene))


def test_a_cutover_loses_no_event(race: Race) -> None:
    def cut_over(db: Db) -> None:
        cutover(db, 1, 2, name="sales")
        db.execute("select tenuto._route_paused(org_id, id) from tenuto.dag_versions where version = 2")

    def scene(play: Play) -> tuple[tuple[int, str], ...]:
        an_event(race, readers(a_reader()))
        deploy(race.db, readers(a_reader(config={"sql": "select 2"})))
        set_status(race.db, 2, "ready")
        take(race.db, kinds=("route_event",))
        play.run(routes, cut_over)
        route_delayed(race.db)
        return tuple(versions(race.db))

    # Before the cutover both versions get the event, after it the new one.
    assert set(race.every_order(scene)) == {((1, "triggered"), (2, "triggered")), ((2, "triggered"),)}


def test_two_dispatchers_with_one_event_start_its_tasks_once(race: Race) -> None:
    def again(db: Db) -> Any:
        """The effect of the same event once more, as after a lease that ran out too early."""
        return call(db, "route_events", owner="two", ids=[second(db)])

    def second(db: Db) -> int:
        return db.execute("select id from tenuto.outbox where locked_by = 'two'").fetchall()[0][0]

    def scene(play: Play) -> int:
        an_event(race)
        take(race.db, kinds=("route_event",))
        race.db.execute(
            """insert into tenuto.outbox
                 (org_id, kind, payload, status, locked_by, locked_until, available_at, created_at)
               select org_id, kind, payload, 'processing', 'two', locked_until, available_at, created_at
               from tenuto.outbox"""
        )
        play.run(routes, again)
        assert reactions(race.db) == [("daily", "mon", "triggered"), ("each", "mon", "triggered")]
        return len(queued(race.db))

    assert all(tasks == 2 for tasks in race.every_order(scene))


def test_two_events_of_one_partition_at_two_dispatchers_start_one_task(race: Race) -> None:
    def scene(play: Play) -> tuple[str, ...]:
        an_event(race, readers(a_reader()))
        take(race.db, "one", kinds=("route_event",))
        commit(a_worker(race.db, "other"), "mon")
        take(race.db, "two", kinds=("route_event",))
        play.run(routes, lambda db: routes(db, "two"))
        assert len(queued(race.db)) == 1
        return tuple(sorted(reaction for _, _, reaction in reactions(race.db)))

    assert set(race.every_order(scene)) == {("deduped", "triggered")}


def test_a_claim_and_an_event_never_leave_an_old_pin(race: Race) -> None:
    """The queued task is claimed before the event, which then starts another, or after it, with the new data."""

    def scene(play: Play) -> int:
        an_event(race, readers(a_reader()))
        route(race.db)
        latest = commit(a_worker(race.db, "other"), "mon")
        take(race.db, kinds=("route_event",))
        worker = a_worker(race.db, "claimer")
        _, claims = play.run(routes, lambda db: on(worker, db).claim(1))
        location = claims[0].input["job"]["inputs"][0]["location"] if claims else None
        left = len(queued(race.db))
        assert left == 1 or (location or "").endswith(f"/{latest.task_id}-1/")
        return left

    assert set(race.every_order(scene)) >= {1}
