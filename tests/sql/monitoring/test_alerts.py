"""Alerts: rules about the health of an org's work raise one alert per cause, deliver it once, and resolve it."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.support.database.builds import advance, with_data
from tests.support.database.dags import deploy
from tests.support.database.events import a_reader, commit, readers, route
from tests.support.database.jobs import deployed, sales, trigger
from tests.support.database.loops import an_org
from tests.support.database.outbox import publish
from tests.support.database.pools import a_pool, scale
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one


def a_rule(db: Db, name: str = "r", **options: Any) -> bool:
    return call(db, "put_alert_rule", **{"org_id": DEFAULT_ORG, "name": name, "kind": "dead_effects", **options})


def evaluate(db: Db) -> None:
    db.execute("update tenuto.alert_rules set due_at = tenuto.now()")
    call(db, "evaluate_alerts")


def alerts(db: Db, org_id: UUID = DEFAULT_ORG) -> list[tuple[str, str, str]]:
    """(rule, key, status), newest first."""
    return [(row["rule"], row["key"], row["status"]) for row in call(db, "list_alerts", org_id=org_id)]


def delivered(db: Db) -> list[tuple[str, str]]:
    """(destination, status of the alert) of the effects, in their order."""
    return db.execute(
        "select destination, payload #>> '{body,status}' from tenuto.outbox where key like 'alert:%' order by id"
    ).fetchall()


def die(db: Db) -> None:
    """Makes an effect a dead letter."""
    publish(db, 1)
    db.execute("update tenuto.outbox set status = 'dead', last_error = 'x' where status = 'pending' and key is null")


def test_a_cause_is_one_alert_that_is_delivered_once_and_resolved(db: Db):
    call(db, "put_destination", org_id=DEFAULT_ORG, name="pager", url="https://example.com", secret=b"x")
    assert a_rule(db, destination="pager") is True
    evaluate(db)
    assert alerts(db) == []
    die(db)
    for _ in range(3):
        evaluate(db)

    assert alerts(db) == [("r", "outbox", "firing")]
    (row,) = call(db, "list_alerts", org_id=DEFAULT_ORG, status="firing")
    assert (row["evaluations"], row["summary"]) == (3, "1 effect is a dead letter")
    assert delivered(db) == [("pager", "firing")]
    db.execute("update tenuto.outbox set status = 'done', processed_at = now(), last_error = null where key is null")
    evaluate(db)
    assert alerts(db) == [("r", "outbox", "resolved")]
    assert delivered(db) == [("pager", "firing"), ("pager", "resolved")]
    die(db)
    evaluate(db)
    assert alerts(db) == [("r", "outbox", "firing"), ("r", "outbox", "resolved")]


def test_a_rule_is_evaluated_every_30_seconds(db: Db):
    a_rule(db)
    assert [call(db, "evaluate_alerts") for _ in range(2)] == [1, 0]


def test_a_silenced_rule_delivers_nothing(db: Db):
    call(db, "put_destination", org_id=DEFAULT_ORG, name="pager", url="https://example.com", secret=b"x")
    a_rule(db, destination="pager")
    call(db, "silence_alert_rule", org_id=DEFAULT_ORG, name="r", seconds=60)
    die(db)
    evaluate(db)

    assert (alerts(db), delivered(db)) == ([("r", "outbox", "firing")], [])
    assert call(db, "list_alert_rules", org_id=DEFAULT_ORG)[0]["silenced_until"] is not None
    call(db, "silence_alert_rule", org_id=DEFAULT_ORG, name="r", seconds=0)
    assert call(db, "list_alert_rules", org_id=DEFAULT_ORG)[0]["silenced_until"] is None


def test_an_alert_is_acknowledged_until_it_is_resolved(db: Db):
    a_rule(db)
    die(db)
    evaluate(db)
    (row,) = call(db, "list_alerts", org_id=DEFAULT_ORG)
    for actor in ("ann", "bob"):
        call(db, "acknowledge_alert", org_id=DEFAULT_ORG, id=row["id"], actor=actor)
    evaluate(db)

    (row,) = call(db, "list_alerts", org_id=DEFAULT_ORG)
    assert (row["status"], row["acknowledged_by"], row["evaluations"]) == ("acknowledged", "ann", 2)
    call(db, "delete_alert_rule", org_id=DEFAULT_ORG, name="r")
    assert alerts(db) == [("r", "outbox", "resolved")]
    with pytest.raises(Conflict, match="is resolved"):
        call(db, "acknowledge_alert", org_id=DEFAULT_ORG, id=row["id"], actor="ann")


def test_failed_tasks_of_a_build_are_no_failures_of_the_job(db: Db):
    worker = a_worker(db)
    with_data(db, worker, "mon")
    a_rule(db, "any", kind="job_failures", threshold=1)
    deploy(db, sales("select 2"))
    advance(db)
    worker.fail(worker.claim_one(), final=True)

    evaluate(db)

    assert alerts(db) == []


def test_a_job_that_failed_often_enough_raises_an_alert(db: Db):
    deployed(db, readers(a_reader("other")))
    worker = a_worker(db)
    a_rule(db, "often", kind="job_failures", threshold=2)
    a_rule(db, "other", kind="job_failures", target="sales/other")
    for _ in range(2):
        evaluate(db)
        assert alerts(db) == []
        trigger(db)
        worker.fail(worker.claim_one(), final=True)
    evaluate(db)

    assert alerts(db) == [("often", "sales/extract", "firing")]


def test_a_task_whose_input_only_looks_like_that_of_a_job_is_passed_over(db: Db):
    worker = a_worker(db)
    a_rule(db, kind="job_failures")
    for input in ({"job": 5}, {"job": {"dag": "x", "job": "y"}}):
        start(db, input)
        worker.fail(worker.claim_one(), final=True)
    evaluate(db)

    assert alerts(db) == []


def test_a_dataset_without_a_new_commit_raises_an_alert(db: Db):
    deployed(db, readers())
    a_rule(db, "fresh", kind="dataset_age", target="raw", seconds=60)
    evaluate(db)
    assert alerts(db) == []
    db.execute("update tenuto.alert_rules set created_at = created_at - interval '1 hour'")
    evaluate(db)
    assert alerts(db) == [("fresh", "raw", "firing")]
    commit(a_worker(db), "mon")
    route(db)
    evaluate(db)
    assert alerts(db) == [("fresh", "raw", "resolved")]


def test_tasks_that_no_live_worker_takes_raise_an_alert(db: Db):
    start_one(db)
    a_rule(db, "workers", kind="no_worker", seconds=60)
    evaluate(db)
    assert alerts(db) == []
    db.execute("update tenuto.ready_tasks set queued_at = queued_at - interval '1 hour'")
    evaluate(db)

    assert alerts(db) == [("workers", "default", "firing")]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"name": ""}, InvalidInput, "the name of an alert rule is missing"),
        ({"kind": "mood"}, InvalidInput, "the kind of an alert rule is 'mood'"),
        ({"threshold": 0}, InvalidInput, "threshold is not"),
        ({"kind": "dataset_age"}, InvalidInput, "name the dataset"),
        ({"kind": "dataset_age", "target": "nothing"}, NotFound, "no dataset nothing"),
        ({"kind": "job_failures", "target": "daily"}, InvalidInput, "'daily' is not a job"),
        ({"kind": "job_failures", "target": "sales/dayly"}, NotFound, "no job dayly in a DAG sales"),
        ({"destination": "nowhere"}, NotFound, "no destination 'nowhere'"),
    ],
)
def test_wrong_rules_are_refused(db: Db, options: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        a_rule(db, **options)


def test_rules_and_alerts_are_of_one_org(db: Db):
    other = call(db, "create_org", slug="other")
    a_rule(db)
    assert a_rule(db, threshold=2) is False
    die(db)
    evaluate(db)

    assert (call(db, "list_alert_rules", org_id=other), alerts(db, other)) == ([], [])
    for verb, arguments in (
        ("delete_alert_rule", {"name": "r"}),
        ("silence_alert_rule", {"name": "r", "seconds": 1}),
        ("acknowledge_alert", {"id": uuid4(), "actor": "ann"}),
    ):
        with pytest.raises(NotFound, match="no alert"):
            call(db, verb, org_id=other, **arguments)


def test_the_age_of_a_dataset_is_that_of_its_newest_commit_not_of_its_events(db: Db):
    deployed(db, readers())
    commit(a_worker(db), "mon")
    route(db)
    db.execute("update tenuto.partition_versions set committed_at = now() - interval '20 days'")
    db.execute("delete from tenuto.events")  # their retention is over
    db.execute("update tenuto.alert_rules set created_at = now() - interval '1 year'")
    for name, days in (("fresh", 30), ("stale", 10)):
        a_rule(db, name, kind="dataset_age", target="raw", seconds=days * 86400)
    db.execute("update tenuto.alert_rules set created_at = now() - interval '1 year'")
    evaluate(db)

    assert alerts(db) == [("stale", "raw", "firing")]


def test_an_org_has_up_to_1000_rules(db: Db):
    a_rule(db)
    db.execute(
        "insert into tenuto.alert_rules select (jsonb_populate_record(r, jsonb_build_object('name', n))).*"
        " from tenuto.alert_rules r, generate_series(2, 1000) n"
    )
    with pytest.raises(InvalidInput, match="1,000 alert rules"):
        a_rule(db, "one more")
    assert a_rule(db, threshold=2) is False
    assert a_rule(db, "another org", org_id=an_org(db, "other")) is True


def test_a_pool_whose_provider_fails_or_whose_work_jumps_is_an_alert(db: Db) -> None:
    call(db, "set_pool", org_id=DEFAULT_ORG, name="gpu", policy=Jsonb({"max_workers": 4}))
    pool_id = a_pool(db, "cpu")
    a_rule(db, "pools", kind="pool_trouble")
    evaluate(db)
    assert alerts(db) == []

    gpu = db.execute("select id from tenuto.pools where name = 'gpu'").fetchall()[0][0]
    call(db, "note_pool_problem", org_id=DEFAULT_ORG, pool_id=gpu, problem="429 too many requests")
    start(db, *range(4))
    scale(db, pool_id)
    evaluate(db)

    rows = call(db, "list_alerts", org_id=DEFAULT_ORG)
    assert sorted(row["summary"] for row in rows) == [
        "pool cpu: 4 machines are requested at once",
        "pool gpu: 429 too many requests",
    ]
    call(db, "note_pool_problem", org_id=DEFAULT_ORG, pool_id=gpu)
    db.execute("update tenuto.scaling_decisions set decided_at = decided_at - interval '2 hours'")
    evaluate(db)
    assert {status for _, _, status in alerts(db)} == {"resolved"}
    with pytest.raises(NotFound, match="no pool other"):
        a_rule(db, "one", kind="pool_trouble", target="other")
