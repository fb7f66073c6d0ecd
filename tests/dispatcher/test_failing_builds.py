"""A version that became current: its own tasks and the updates of readers in other DAGs are parked apart."""

from tests.sql.reactions.test_reader_updates import add_partitions, two_versions
from tests.support.database.dags import cutover
from tests.support.database.events import queued
from tests.support.database.loops import count, value
from tests.support.database.tasks import DEFAULT_ORG, Db
from tests.support.faults.failing_rows import cure, poison, turn

TOLD = "select count(*) from tenuto.events where data ? 'cutover'"
PARKED = "select array_agg(key) from tenuto.parked_rows where loop = 'advance_builds' and error ~ 'poisoned'"
CURRENT = """select v.id::text from tenuto.dag_versions v join tenuto.dags d on d.id = v.dag_id
             where d.name = 'sales' and v.status = 'current'"""
OF_DAILY = "if new.input #>> '{job,job}' = 'daily' then raise exception 'poisoned row' using errcode = 'XX001'; end if"


def test_readers_are_told_of_a_cutover_if_a_task_of_the_dag_itself_cannot_be_started(db: Db, database: str):
    two_versions(db)
    add_partitions(db, 2500)
    cutover(db, 1, 2, name="sales")
    poison(db, "tasks", DEFAULT_ORG, on="insert", does=OF_DAILY)

    turn(database, "advance_builds")

    assert (value(db, TOLD), count(db, "reader_updates")) == (2502, 0)
    assert value(db, PARKED) == [value(db, CURRENT)]
    assert "daily" not in {row[0] for row in queued(db)}
    cure(db, "tasks")
    db.execute("update tenuto.parked_rows set retry_at = now()")
    turn(database, "retry_parked", "advance_builds")
    assert count(db, "parked_rows") == 0
    assert "daily" in {row[0] for row in queued(db)}


def test_a_dag_computes_its_own_partitions_if_readers_cannot_be_told(db: Db, database: str):
    two_versions(db)
    cutover(db, 1, 2, name="sales")
    poison(db, "reader_updates", DEFAULT_ORG)

    assert turn(database, "advance_builds", "advance_builds")[1] == 0, "what waits for a parked row is not due"

    assert value(db, PARKED) == [value(db, CURRENT) + ":readers"]
    assert value(db, TOLD) == 0
    assert "daily" in {row[0] for row in queued(db)}
    due = "select due_in_seconds from tenuto.list_due_maintenance() where what = 'advance_builds'"
    assert value(db, due) != 0
    cure(db, "reader_updates")
    db.execute("update tenuto.parked_rows set retry_at = now()")
    turn(database, "retry_parked")
    assert (value(db, TOLD), count(db, "reader_updates"), count(db, "parked_rows")) == (2, 0, 0)
