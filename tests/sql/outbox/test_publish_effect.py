"""Effects that clients and running attempts publish: checked, and once per key."""

from typing import Any

import pytest

from tenuto.model.errors import InvalidInput, NotFound, StaleLease, TooLarge
from tests.support.clock import Clock
from tests.support.database.loops import an_org, fenced, lose_workers
from tests.support.database.outbox import a_destination, effect, effects
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one

TO_CRM = {"destination": "crm", "body": {"order": 7}}


def publish(db: Db, payload: object = TO_CRM, **more: Any) -> dict[str, Any]:
    (row,) = call(db, "publish_effect", **{"org_id": DEFAULT_ORG, "kind": "deliver", "payload": payload, **more})
    return row


def test_an_effect_is_queued_with_its_destination(db: Db) -> None:
    a_destination(db)

    row = publish(db)

    assert row["created"]
    assert effects(db) == [("deliver", TO_CRM, "pending")]
    stored = effect(db, row["id"])
    assert (stored["destination"], stored["scope"], stored["key"]) == ("crm", "", None)
    assert publish(db)["id"] != row["id"]  # without a key each call is an effect


def test_an_effect_with_a_key_is_published_once_per_org(db: Db) -> None:
    other = an_org(db, "other")
    for org_id in (DEFAULT_ORG, other):
        a_destination(db, org_id=org_id)

    first = publish(db, key="order-7")
    again = publish(db, {"destination": "crm", "body": "other"}, key="order-7")

    assert (again["id"], again["created"]) == (first["id"], False)
    assert effects(db) == [("deliver", TO_CRM, "pending")]
    assert publish(db, key="order-7", org_id=other)["created"]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"kind": "route_event"}, InvalidInput),
        ({"kind": "telegram"}, InvalidInput),
        ({"payload": ["crm"]}, InvalidInput),
        ({"payload": {"destination": "crm"}}, InvalidInput),
        ({"payload": {"body": 1}}, InvalidInput),
        ({"payload": {"destination": 1, "body": 1}}, InvalidInput),
        ({"payload": {**TO_CRM, "url": "http://169.254.169.254/"}}, InvalidInput),
        ({"key": ""}, InvalidInput),
        ({"key": "x" * 513}, InvalidInput),
        ({"payload": {"destination": "erp", "body": 1}}, NotFound),
        ({"payload": {"destination": "crm", "body": "x" * 1_100_000}}, TooLarge),
    ],
)
def test_a_wrong_effect_is_refused(db: Db, wrong: dict[str, Any], error: type[Exception]) -> None:
    a_destination(db)

    with pytest.raises(error):
        publish(db, **wrong)

    assert effects(db) == []


def test_a_running_attempt_publishes_once_per_key_and_type(db: Db) -> None:
    a_destination(db)
    start_one(db)
    start_one(db, kind={"type": "app.other"})
    worker = a_worker(db)
    one, two = worker.claim(2)

    def published(held: Any) -> dict[str, Any]:
        (row,) = call(db, "publish_task_effect", **fenced(worker, held, kind="deliver", payload=TO_CRM, key="k"))
        return row

    assert published(one)["created"]
    assert not published(one)["created"]
    assert published(two)["created"]  # another type cannot take its keys
    assert len(effects(db)) == 2


def test_a_worker_that_lost_the_task_publishes_nothing(db: Db, clock: Clock) -> None:
    a_destination(db)
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    lose_workers(db, clock)

    with pytest.raises(StaleLease):
        call(db, "publish_task_effect", **fenced(worker, held, kind="deliver", payload=TO_CRM))

    assert effects(db) == []
