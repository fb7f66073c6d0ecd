"""Every type that an org has anybody for."""

from typing import Any

import psycopg

from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start


def listed(db: psycopg.Connection, **more: Any) -> list[str]:
    found = call(db, "list_types", **{"org_id": DEFAULT_ORG, **more})
    return [row["list_types"] for row in found] if isinstance(found, list) else [found]


def test_types_are_what_workers_said_and_declared_and_what_bundles_run_each_once(db: psycopg.Connection) -> None:
    a_worker(db, metadata={"types": ["shop.said", "shop.both"]})
    a_worker(db, "odd", metadata={"types": "shop.odd"})
    call(db, "declare_types", **a_worker(db, "second").fence, types={"shop.declared": {}, "shop.both": {}})
    bundle: dict[str, Any] = {"name": "images", "tasks": {"resize": "code:resize"}}
    call(db, "put_bundle", org_id=DEFAULT_ORG, sha256="a" * 64, manifest=bundle, size=3, created_by="ann")
    start(db, kind={"type": "shop.sned"})

    assert listed(db) == ["images.resize", "shop.both", "shop.declared", "shop.said"]
    assert listed(db, limit=1) == ["images.resize"]


def test_an_org_sees_its_own_types_only(db: psycopg.Connection) -> None:
    a_worker(db, metadata={"types": ["shop.said"]})

    assert listed(db, org_id=call(db, "create_org", slug="other")) == []
