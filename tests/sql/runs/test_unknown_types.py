"""Types that a strict start would refuse."""

import psycopg

from tests.support.kernel import DEFAULT_ORG, a_worker, call, start


def unknown(db: psycopg.Connection, *types: str, org_id: object = DEFAULT_ORG) -> list[str]:
    return [row["unknown_types"] for row in call_rows(db, types, org_id)]


def call_rows(db: psycopg.Connection, types: tuple[str, ...], org_id: object) -> list[dict[str, str]]:
    found = call(db, "unknown_types", org_id=org_id, types=list(types))
    return found if isinstance(found, list) else [{"unknown_types": found}]


def test_a_type_is_known_once_a_worker_said_it_or_something_was_started_of_it(db: psycopg.Connection) -> None:
    a_worker(db, metadata={"types": ["shop.said"]})
    worker = a_worker(db, "second")
    worker.routes(queues=["default"], types=["shop.served"])
    start(db, kind={"type": "shop.started"})

    assert unknown(db, "shop.said", "shop.served", "shop.started") == []
    assert unknown(db, "b.x", "shop.said", "a.x", "b.x") == ["a.x", "b.x"]


def test_what_another_org_knows_is_unknown_here(db: psycopg.Connection) -> None:
    start(db, kind={"type": "shop.started"})
    other = call(db, "create_org", slug="other")

    assert unknown(db, "shop.started", org_id=other) == ["shop.started"]
