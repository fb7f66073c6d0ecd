"""Alerts of jobs against other dispatchers and changes of their rule: each is recorded once, in order."""

from typing import Any

from tests.support.database.interleave import Play, Race
from tests.support.database.jobs import deployed, publication, trigger
from tests.support.database.outbox import take
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def put_rule(db: Db, target: str | None = None) -> None:
    call(db, "put_alert_rule", org_id=DEFAULT_ORG, name="watch", kind="job_alerts", target=target)


def evaluations(db: Db, *found: list[str]) -> None:
    """The evaluations of one partition, each held by another dispatcher: one, two, …"""
    deployed(db)
    put_rule(db)
    worker = a_worker(db)
    for owner, keys in zip(("one", "two"), found, strict=False):
        trigger(db)
        claim = worker.claim_one()
        alerts = [{"key": key, "summary": key, "severity": "info", "row": {}} for key in keys]
        worker.complete(claim, published=[[publication(claim, "mon", alerts=alerts)]])
        take(db, owner, kinds=("raise_alerts",))


def record(db: Db, owner: str) -> object:
    db.execute("set role tenuto_dispatcher")
    ids = [row[0] for row in db.execute("select id from tenuto.outbox where locked_by = %s", [owner]).fetchall()]
    return call(db, "raise_alerts", owner=owner, ids=ids)


def states(db: Db) -> list[Any]:
    return db.execute("select key, status, evaluations from tenuto.alerts order by key").fetchall()


def test_a_dispatcher_does_not_overtake_another(race: Race) -> None:
    def scene(play: Play) -> str:
        evaluations(race.db, ["a"], [])
        play.run(lambda db: record(db, "one"), lambda db: record(db, "two"))
        race.db.execute("update tenuto.outbox set available_at = tenuto.now() where status = 'pending'")
        take(race.db, "two", kinds=("raise_alerts",))
        record(race.db, "two")
        race.db.execute("reset role")
        return str(states(race.db))

    assert set(race.every_order(scene)) == {"[('sales/extract mon a', 'resolved', 1)]"}


def test_a_rule_that_gets_another_target_keeps_no_alert(race: Race) -> None:
    def scene(play: Play) -> set[str]:
        evaluations(race.db, ["a"])
        play.run(lambda db: record(db, "one"), lambda db: put_rule(db, "sales/daily"))
        return {status for _, status, _ in states(race.db)}

    for left in race.every_order(scene):
        assert left <= {"resolved"}


def test_an_effect_that_is_handled_twice_is_recorded_once(race: Race) -> None:
    def scene(play: Play) -> str:
        evaluations(race.db, ["a"])
        play.run(lambda db: record(db, "one"), lambda db: record(db, "one"))
        return str(states(race.db))

    assert set(race.every_order(scene)) == {"[('sales/extract mon a', 'firing', 1)]"}
