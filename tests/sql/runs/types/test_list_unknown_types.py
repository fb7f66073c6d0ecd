"""Types that a strict start would refuse."""

import psycopg

from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start


def unknown(db: psycopg.Connection, *types: str, org_id: object = DEFAULT_ORG) -> list[str]:
    return [row["list_unknown_types"] for row in call_rows(db, types, org_id)]


def call_rows(db: psycopg.Connection, types: tuple[str, ...], org_id: object) -> list[dict[str, str]]:
    found = call(db, "list_unknown_types", org_id=org_id, types=list(types))
    return found if isinstance(found, list) else [{"list_unknown_types": found}]


def test_a_type_is_known_once_a_worker_said_that_it_serves_it(db: psycopg.Connection) -> None:
    a_worker(db, metadata={"types": ["shop.said"]})
    call(db, "declare_types", **a_worker(db, "second").fence, types={"shop.declared": {}})

    assert unknown(db, "shop.said", "shop.declared") == []
    assert unknown(db, "b.x", "shop.said", "a.x", "b.x") == ["a.x", "b.x"]


def test_that_something_was_started_of_a_type_does_not_make_it_known(db: psycopg.Connection) -> None:
    start(db, kind={"type": "shop.sned"})

    assert unknown(db, "shop.sned") == ["shop.sned"]


def test_what_another_org_knows_is_unknown_here(db: psycopg.Connection) -> None:
    a_worker(db, metadata={"types": ["shop.said"]})
    other = call(db, "create_org", slug="other")

    assert unknown(db, "shop.said", org_id=other) == ["shop.said"]
