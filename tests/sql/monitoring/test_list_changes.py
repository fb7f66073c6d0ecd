"""What changed, in order: whoever goes on from a place misses nothing, however late others commit."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start
from tests.support.postgres.server import connect_as
from tests.support.waiting import wait_until

LONG_AGO = datetime.now(UTC) - timedelta(hours=1)


def clock(db: psycopg.Connection) -> datetime:
    (now,) = db.execute("select clock_timestamp()").fetchone() or (LONG_AGO,)
    return now


def settled(db: psycopg.Connection) -> datetime:
    return call(db, "get_change_horizon")


def changes(db: psycopg.Connection, after: datetime, until: datetime, **more: Any) -> list[dict[str, Any]]:
    return call(db, "list_changes", org_id=more.pop("org_id", DEFAULT_ORG), after=after, until=until, **more)


def everything(db: psycopg.Connection) -> list[dict[str, Any]]:
    """All changes, once all that happened until now is settled."""
    now = clock(db)
    wait_until(lambda: settled(db) > now)
    return changes(db, LONG_AGO, settled(db), limit=1000)


def test_runs_attempts_and_workers_are_told_in_the_order_of_their_times(db: psycopg.Connection) -> None:
    (alone,) = start(db)
    kinds, inputs = Jsonb([{"type": "a.b"}]), [Jsonb(None), Jsonb(None)]
    (graph,) = call(db, "start_run", org_id=DEFAULT_ORG, run=Jsonb({}), kinds=kinds, inputs=inputs)
    worker = a_worker(db)
    drain(db, worker)
    call(db, "fold_runs")
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")

    found = everything(db)

    assert [(one["kind"], one["status"]) for one in found] == [
        ("run", "pending"),
        ("run", "pending"),
        ("worker", "active"),
        ("task", "completed"),
        ("run", "completed"),
        ("task", "completed"),
        ("task", "completed"),
        ("run", "completed"),
        ("worker", "terminated"),
    ]
    about = [one["run_id"] for one in found if one["kind"] != "worker"]
    assert about == [alone, graph["run_id"], alone, alone, *[graph["run_id"]] * 3]
    assert found == sorted(found, key=lambda one: (one["at"], one["id"], one["no"]))


def test_pages_go_on_after_the_last_place_also_within_one_moment(db: psycopg.Connection) -> None:
    ids = start(db, *range(25))
    whole = everything(db)
    until, place, seen = settled(db), (LONG_AGO, "", -1), []
    while page := changes(db, place[0], until, after_id=place[1], after_no=place[2], limit=7):
        seen += page
        place = (page[-1]["at"], page[-1]["id"], page[-1]["no"])

    assert seen == whole
    assert sorted(UUID(one["id"]) for one in seen) == sorted(ids)


def test_what_is_not_committed_holds_everything_back_that_came_after_it(database: str, db: psycopg.Connection) -> None:
    start(db)  # the first of its type makes others wait
    everything(db)
    begin = settled(db)
    with psycopg.connect(database) as late:
        (held,) = start(late)
        (quick,) = start(db)
        now = clock(db)
        wait_until(lambda: db.execute("select clock_timestamp() > %s + interval '0.5 s'", [now]).fetchone() == (True,))
        until = settled(db)
        before = changes(db, begin, until)
        late.commit()
    wait_until(lambda: settled(db) > now)
    after = changes(db, until, settled(db))

    assert before == []
    assert [UUID(one["id"]) for one in after] == [held, quick]


def test_a_transaction_that_wrote_elsewhere_or_only_reads_holds_nothing_back(
    database: str, db: psycopg.Connection
) -> None:
    db.execute("create table elsewhere (x int)")
    with psycopg.connect(database) as writer, psycopg.connect(database) as reader:
        writer.execute("insert into elsewhere values (1)")
        reader.execute("select * from tenuto.runs")
        now = clock(db)

        wait_until(lambda: settled(db) > now)


def test_without_the_right_to_see_sessions_a_minute_must_do(db: psycopg.Connection) -> None:
    with db.transaction(force_rollback=True):
        db.execute("revoke pg_read_all_stats from tenuto_owner")
        (lag,) = db.execute("select statement_timestamp() - tenuto.get_change_horizon()").fetchone() or (None,)

    assert lag == timedelta(minutes=1)


def test_an_org_sees_its_own_changes_and_the_api_may_ask(database: str, db: psycopg.Connection) -> None:
    other = call(db, "create_org", slug="other")
    start(db)
    everything(db)
    with connect_as(database, "tenuto_api") as api:
        until = call(api, "get_change_horizon")
        api.execute("select set_config('tenuto.org_id', %s, false)", [str(other)])

        assert changes(api, LONG_AGO, until) == changes(api, LONG_AGO, until, org_id=other) == []


@pytest.mark.parametrize("limit", [0, 1001])
def test_a_page_has_bounds(db: psycopg.Connection, limit: int) -> None:
    with pytest.raises(InvalidInput, match="not between 1 and 1000"):
        changes(db, LONG_AGO, settled(db), limit=limit)


def test_only_what_changed_lately_is_read(database: str, db: psycopg.Connection) -> None:
    inputs = [Jsonb(None)] * 10_000
    call(db, "start_many", org_id=DEFAULT_ORG, kinds=Jsonb([{"type": "app.work"}]), inputs=inputs)
    drain(db, a_worker(db), limit=500)
    db.execute("analyze tenuto.task_attempts")

    assert (call(db, "index_recent_changes") > 0, call(db, "index_recent_changes")) == (True, 0)
    with connect_as(database, "tenuto_api") as api:
        api.execute("select set_config('tenuto.org_id', %s, false)", [str(DEFAULT_ORG)])
        api.execute("set enable_seqscan = off")
        query = "explain (analyze, timing off) select from tenuto.task_attempts where ended_at > now()"
        plan = "\n".join(row[0] for row in api.execute(query.encode()).fetchall())
    read = [int(line.split(":")[1]) for line in plan.splitlines() if "Rows Removed by Index Recheck" in line]
    assert "ended_at_idx" in plan
    assert sum(read) < 5_000, plan


def test_nobody_waits_for_another_who_prepares(database: str, db: psycopg.Connection) -> None:
    start(db)
    with psycopg.connect(database) as other:
        found = other.execute(
            "select inhrelid::regclass::text from pg_inherits where inhparent = 'tenuto.runs'::regclass"
        )
        for (partition,) in found.fetchall():
            other.execute(f"lock table {partition} in share update exclusive mode".encode())

        assert call(db, "index_recent_changes") == 0
