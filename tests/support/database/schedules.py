"""Schedules in tests: put one, fire it, see what it started."""

from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG, Db, call

CRON = "0 3 * * *"


def put(db: Db, next_at: datetime, name: str = "nightly", **more: Any) -> dict[str, Any]:
    """The schedule as it is after the put; JSON is wrapped here."""
    kind = {"type": "app.report", **more.pop("kind", {})}
    values = {name: Jsonb(value) if name in ("input", "details") else value for name, value in more.items()}
    params = {"org_id": DEFAULT_ORG, "cron": CRON, **values}
    (row,) = call(db, "put_schedule", name=name, kind=Jsonb(kind), next_at=next_at, **params)
    return row


def fire(db: Db, expected: datetime, *times: datetime, next_at: datetime, name: str = "nightly") -> list[UUID] | None:
    """The runs it started; None when it was not ours to fire."""
    moments = {"expected": expected, "fire_times": list(times), "next_at": next_at}
    return call(db, "fire_schedule", org_id=DEFAULT_ORG, name=name, **moments)


def schedule(db: Db, name: str = "nightly") -> dict[str, Any]:
    rows = call(db, "list_schedules", org_id=DEFAULT_ORG)
    return next((row for row in rows if row["name"] == name), {})
