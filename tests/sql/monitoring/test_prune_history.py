"""Repairs and alerts that ended long ago are deleted, piece by piece, each org by its own retention."""

from typing import LiteralString
from uuid import UUID

from tests.support.database.alerts import a_firing_alert
from tests.support.database.backfills import backfill
from tests.support.database.jobs import deployed
from tests.support.database.loops import an_org, count
from tests.support.database.tasks import DEFAULT_ORG, Db, call

LONG_AGO = "tenuto.now() - interval '91 days'"
TABLES = ("backfills", "data_invalidations", "invalidation_consumers", "repair_tasks", "alerts")


def end(db: Db, table: LiteralString, id: UUID) -> None:
    text: LiteralString = f"update tenuto.{table} set status = 'completed', due_at = null, ended_at = {LONG_AGO}"
    db.execute(text + " where id = %s", [id])


def an_old_alert(db: Db, org: UUID = DEFAULT_ORG) -> UUID:
    id = a_firing_alert(db, org)
    db.execute(f"update tenuto.alerts set status = 'resolved', resolved_at = {LONG_AGO} where id = %s", [id])
    return id


def some_tasks(db: Db, repair_id: UUID, number: int) -> None:
    db.execute(
        "insert into tenuto.repair_tasks select %s, gen_random_uuid(), %s, gen_random_uuid(), 'k', true, true, 'all',"
        " true from generate_series(1, %s)",
        [repair_id, DEFAULT_ORG, number],
    )


def counts(db: Db) -> list[int]:
    return [count(db, table) for table in TABLES]


def test_what_ended_long_ago_is_deleted_with_its_rows(db: Db) -> None:
    deployed(db)
    old, kept = (backfill(db) for _ in range(2))
    invalidation = call(db, "invalidate_dataset", org_id=DEFAULT_ORG, dataset="raw", reason="late", first="a", last="z")
    assert count(db, "invalidation_consumers") == 1
    some_tasks(db, old, 3)
    some_tasks(db, kept, 1)
    an_old_alert(db)
    a_firing_alert(db)
    end(db, "backfills", old)
    end(db, "data_invalidations", invalidation)

    assert call(db, "prune_history") == 3 + 2 + 1
    assert counts(db) == [1, 0, 0, 1, 1]
    assert call(db, "prune_history") == 0


def test_a_repair_with_many_tasks_is_deleted_in_pieces(db: Db) -> None:
    deployed(db)
    old = backfill(db)
    some_tasks(db, old, 5)
    end(db, "backfills", old)

    assert [call(db, "prune_history", limit=2) for _ in range(4)] == [2, 2, 2, 0]
    assert counts(db)[0] == 0


def test_an_org_keeps_them_as_long_as_its_runs_if_that_is_longer(db: Db) -> None:
    archive = an_org(db, "archive")
    db.execute("update tenuto.orgs set settings = settings || '{\"retention_days\": 400}' where id = %s", [archive])
    an_old_alert(db, archive)
    gone = an_old_alert(db)

    assert call(db, "prune_history", keys=["alert:no"]) == 0
    assert call(db, "prune_history", keys=[f"alert:{gone}"]) == 1
    assert db.execute("select org_id from tenuto.alerts").fetchall() == [(archive,)]


def test_starting_a_backfill_deletes_nothing(db: Db) -> None:
    deployed(db)
    old = backfill(db)
    end(db, "backfills", old)
    backfill(db)

    assert count(db, "backfills") == 2
