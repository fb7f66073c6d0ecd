"""Runs that were started weeks ago, by their ids and by the clock."""

from datetime import datetime, timedelta
from uuid import UUID

from tests.support.clock import Clock
from tests.support.database.loops import settle, value
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start_graph


def ids_at(db: Db, moment: datetime, count: int) -> list[UUID]:
    """Ids that a client would have made at that moment."""
    floor: UUID = value(db, "select tenuto._uuid7_floor(%s)", moment)
    first = floor.int + value(db, "select nextval('tenuto.ready_seq')") * 1000
    return [UUID(int=first + i) for i in range(count)]


def make_weeks(db: Db) -> None:
    """Partitions for the time around the clock, as a dispatcher makes them."""
    call(db, "create_partitions")


def start_now(db: Db, clock: Clock, size: int, *, org_id: UUID = DEFAULT_ORG, key: str | None = None) -> UUID:
    """A run whose ids are of the clock's time."""
    run_id, *tasks = ids_at(db, clock.now, size + 1)
    about = {"name": "old", "id": str(tasks[0] if size == 1 else run_id)}
    if key is not None:
        about["dedupe_key"] = key
    return start_graph(db, size, [(i, i + 1) for i in range(size - 1)], org_id=org_id, ids=tasks, run=about)[0]


def finished_now(db: Db, clock: Clock, size: int, *, org_id: UUID = DEFAULT_ORG, key: str | None = None) -> UUID:
    run_id = start_now(db, clock, size, org_id=org_id, key=key)
    drain(db, a_worker(db, "finisher", org_id=org_id))
    settle(db)
    return run_id


def a_month_ago(clock: Clock) -> None:
    clock.advance(days=-35)


def week_of(moment: datetime) -> str:
    year, week, _ = moment.isocalendar()
    return f"{year:04}_w{week:02}"


def back_to_now(clock: Clock, days: float = 35) -> None:
    clock.advance(seconds=timedelta(days=days).total_seconds())
