"""Alerts that jobs publish: queued with the completion, one per key, resolved by the next evaluation."""

from typing import Any

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.attempts import error_of
from tests.support.database.jobs import deployed, publication, sales, trigger
from tests.support.database.loops import an_org
from tests.support.database.outbox import a_destination, effects, take
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call


def a_rule(db: Db, name: str = "watch", **options: Any) -> None:
    values = {"org_id": DEFAULT_ORG, "name": name, "kind": "job_alerts", "destination": "pager", **options}
    call(db, "put_alert_rule", **values)


def ready(db: Db, **rule: Any) -> Worker:
    deployed(db)
    a_destination(db, "pager")
    a_rule(db, **rule)
    return a_worker(db)


def alert(key: str, **changes: Any) -> dict[str, Any]:
    return {"key": key, "summary": f"{key} is late", "severity": "warning", "row": {"id": key}, **changes}


def found(claim: Claim, *keys: str, partition: str = "mon") -> list[dict[str, Any]]:
    return [publication(claim, partition, alerts=[alert(key) for key in keys])]


def publish(db: Db, worker: Worker, *keys: str, partition: str = "mon") -> Claim:
    """Run the job: it finds these keys in a partition."""
    trigger(db)
    claim = worker.claim_one()
    assert worker.complete(claim, published=[found(claim, *keys, partition=partition)]) == ["accepted"]
    return claim


def record(db: Db, owner: str = "one", ids: list[int] | None = None) -> list[bool]:
    """Record the alerts as a dispatcher does, and return which effects are done."""
    ids = take(db, owner, kinds=("raise_alerts",)) if ids is None else ids
    return [row["done"] for row in call(db, "raise_alerts", owner=owner, ids=ids)]


def evaluate(db: Db, worker: Worker, *keys: str, partition: str = "mon") -> Claim:
    claim = publish(db, worker, *keys, partition=partition)
    assert record(db) == [True]
    return claim


def alerts(db: Db, **options: Any) -> set[tuple[str, str, int]]:
    rows = call(db, "list_alerts", **{"org_id": DEFAULT_ORG, **options})
    return {(row["key"], row["status"], row["evaluations"]) for row in rows}


def delivered(db: Db) -> list[str]:
    rows = db.execute(
        "select payload #>> '{body,key}', payload #>> '{body,status}' from tenuto.outbox where kind = 'deliver'"
        " order by id"
    ).fetchall()
    return sorted(" ".join(row) for row in rows)


def test_a_key_is_one_alert_until_it_is_no_longer_found(db: Db):
    worker = ready(db)

    evaluate(db, worker, "a", "b")
    evaluate(db, worker, "a", "b")
    assert alerts(db) == {("sales/extract mon a", "firing", 2), ("sales/extract mon b", "firing", 2)}
    assert delivered(db) == ["sales/extract mon a firing", "sales/extract mon b firing"]
    evaluate(db, worker, "b")

    assert alerts(db) == {("sales/extract mon a", "resolved", 2), ("sales/extract mon b", "firing", 3)}
    assert "sales/extract mon a resolved" in delivered(db)
    (row,) = call(db, "list_alerts", org_id=DEFAULT_ORG, status="firing")
    assert row["summary"] == "b is late"
    assert row["details"] == {"job": "sales/extract", "partition": "mon", "severity": "warning", "row": {"id": "b"}}
    evaluate(db, worker)
    assert alerts(db, status="firing") == set()


def test_another_partition_resolves_nothing(db: Db):
    worker = ready(db)
    evaluate(db, worker, "a", partition="mon")

    evaluate(db, worker, partition="tue")

    assert alerts(db) == {("sales/extract mon a", "firing", 1)}


def test_a_repeated_or_late_completion_raises_nothing_new(db: Db, clock: Clock):
    worker = ready(db)
    claim = evaluate(db, worker, "a")
    assert worker.complete(claim, published=[found(claim, "x")]) == ["already_accepted"]
    trigger(db)
    lost = worker.claim_one()
    clock.advance(minutes=5)
    for loop in ("expire_sessions", "expire_attempts", "promote_due"):
        call(db, loop)

    assert worker.complete(lost, published=[found(lost, "y")]) == ["stale_lease"]
    assert record(db) == []
    assert alerts(db) == {("sales/extract mon a", "firing", 1)}
    assert delivered(db) == ["sales/extract mon a firing"]


def test_an_older_task_that_completes_later_changes_nothing(db: Db):
    worker = ready(db)
    trigger(db)
    older = worker.claim_one()
    evaluate(db, worker, "a")

    assert worker.complete(older, published=[found(older, "b")]) == ["accepted"]
    assert record(db) == []

    assert alerts(db) == {("sales/extract mon a", "firing", 1)}


def test_nothing_found_between_two_updates_is_lost(db: Db, clock: Clock):
    worker = ready(db)
    publish(db, worker, "a")
    publish(db, worker)
    first, second = take(db, kinds=("raise_alerts",))

    assert record(db, ids=[second]) == [False]  # it waits for the first
    assert record(db, ids=[first]) == [True]
    assert record(db) == []  # not due yet
    clock.advance(seconds=1)
    assert record(db) == [True]

    assert alerts(db) == {("sales/extract mon a", "resolved", 1)}
    assert delivered(db) == ["sales/extract mon a firing", "sales/extract mon a resolved"]


def test_one_that_was_dead_records_nothing_after_a_later_one(db: Db):
    worker = ready(db)
    publish(db, worker, "old")
    (old,) = take(db, kinds=("raise_alerts",))
    db.execute("update tenuto.outbox set status = 'dead', locked_by = null, locked_until = null where id = %s", [old])
    evaluate(db, worker, "new")
    call(db, "replay_effects", org_id=DEFAULT_ORG)

    assert record(db) == [True]

    assert alerts(db) == {("sales/extract mon new", "firing", 1)}


def test_only_the_owner_of_an_effect_records_it_and_once(db: Db):
    worker = ready(db)
    publish(db, worker, "a")
    ids = take(db, "one", kinds=("raise_alerts",))

    assert record(db, "two", ids) == []
    assert record(db, "one", ids) == [True]
    assert record(db, "one", ids) == []

    assert alerts(db) == {("sales/extract mon a", "firing", 1)}
    assert [status for kind, _, status in effects(db) if kind == "raise_alerts"] == ["done"]


def test_rules_select_jobs_and_can_be_silenced(db: Db):
    worker = ready(db, target="sales/extract")
    a_rule(db, "other", target="sales/daily")
    a_rule(db, "quiet")
    call(db, "silence_alert_rule", org_id=DEFAULT_ORG, name="quiet", seconds=3600)

    evaluate(db, worker, "a")

    assert sorted(row["rule"] for row in call(db, "list_alerts", org_id=DEFAULT_ORG)) == ["quiet", "watch"]
    assert delivered(db) == ["sales/extract mon a firing"]
    db.execute("update tenuto.alert_rules set due_at = tenuto.now()")
    assert call(db, "evaluate_alerts") == 0  # and resolves nothing
    assert len(alerts(db, status="firing")) == 1
    a_rule(db, "watch", target="sales/daily")
    a_rule(db, "quiet", kind="dead_effects")
    assert alerts(db, status="firing") == set()


def test_the_rules_of_another_org_get_nothing(db: Db):
    worker = ready(db)
    other = an_org(db, "other")
    a_destination(db, "pager", org_id=other)
    a_rule(db, org_id=other)

    evaluate(db, worker, "a")

    assert alerts(db, org_id=other) == set()
    assert db.execute("select distinct org_id from tenuto.alerts").fetchall() == [(DEFAULT_ORG,)]


def test_a_version_that_is_not_current_raises_nothing(db: Db):
    worker = ready(db)
    evaluate(db, worker, "a")
    trigger(db)
    old = worker.claim_one()
    document = sales()
    document["jobs"] = [{**document["jobs"][0], "config": {"task": "shop.other"}}, document["jobs"][1]]
    deployed(db, document, expected=1)

    assert worker.complete(old, published=[found(old, "b")]) == ["accepted"]
    assert record(db) == []

    assert alerts(db) == {("sales/extract mon a", "firing", 1)}


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({}, "alerts are not a list"),
        ([alert("a")] * 2, "the same key"),
        ([alert(str(no)) for no in range(101)], "more than 100"),
        ([alert("a", severity="bad")], "a severity"),
        ([alert("ä" * 151)], "up to 300 bytes"),
        ([alert("a", summary="✓" * 334)], "up to 1,000"),
        ([alert("a", row=[])], "a row"),
        ([alert("a", row={"x": "y" * 9000})], "8 KB"),
        ([1], "an alert needs"),
        ([alert(str(no), row={str(n): n for n in range(500)}) for no in range(100)], "900 KB"),
    ],
)
def test_wrong_alerts_fail_their_task_alone(db: Db, wrong: Any, problem: str):
    worker = ready(db)
    trigger(db)
    bad = worker.claim_one()
    trigger(db)
    good = worker.claim_one()
    publications = [[publication(bad, "mon", alerts=wrong)], found(good, "a", partition="tue")]

    assert worker.complete(bad, good, published=publications) == ["refused", "accepted"]
    assert record(db) == [True]

    assert alerts(db) == {("sales/extract tue a", "firing", 1)}
    assert problem in error_of(db, bad.task_id)["message"]


def test_the_largest_allowed_alert_is_stored(db: Db):
    worker = ready(db)
    evaluate(db, worker, "ä" * 150, partition="p" * 200)

    ((key, _, _),) = alerts(db)
    assert len(key) == 32  # too long with the partition: its hash


def test_a_rule_about_no_job_is_refused(db: Db):
    with pytest.raises(InvalidInput):
        a_rule(db, target="extract", destination=None)


@pytest.mark.parametrize("leave", ["cutover", "delete"])
def test_alerts_of_a_job_that_leaves_with_a_version_or_its_dag_are_resolved(db: Db, leave: str):
    worker = ready(db)
    for partition in ("mon", "tue"):
        evaluate(db, worker, "a", partition=partition)

    if leave == "cutover":
        deployed(db, {**sales(), "jobs": [{**sales()["jobs"][0], "name": "fetch"}]}, expected=1)
    else:
        trigger(db)
        late = worker.claim_one()
        call(db, "delete_dag", org_id=DEFAULT_ORG, name="sales", actor="ann", force=True)
        assert worker.complete(late, published=[found(late, "late")]) == ["accepted"]
    record(db)

    assert alerts(db) == {("sales/extract mon a", "resolved", 1), ("sales/extract tue a", "resolved", 1)}
