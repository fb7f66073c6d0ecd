"""Partitions are made ahead of their time, without anybody waiting for it, whatever ids clients make."""

from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.loops import value
from tests.support.database.old_runs import ids_at, week_of
from tests.support.database.tasks import a_worker, call, start, statuses


def make(db: psycopg.Connection, weeks: int = 8) -> list[str]:
    return [row["create_partitions"] for row in call(db, "create_partitions", weeks=weeks)]


def lives_in(db: psycopg.Connection, task_id: UUID) -> str:
    return value(db, "select tableoid::regclass::text from tenuto.tasks where id = %s", task_id)


def random_id_of(db: psycopg.Connection, clock: Clock, **ahead: float) -> UUID:
    """A random id that happens to lie between the UUIDv7 of a week."""
    (there,) = ids_at(db, clock.now + timedelta(**ahead), 1)
    return UUID(str(there)[:14] + str(uuid4())[14:])


def test_behind_a_reader_it_is_left_to_the_next_call_and_holds_nobody_up(
    db: psycopg.Connection, database: str, clock: Clock
) -> None:
    (task,) = start(db)
    with psycopg.connect(database) as reader:
        reader.execute("select from tenuto.tasks")

        made = make(db)

        assert [name for name in made if name.startswith("tasks_")] == []
        assert a_worker(db).claim_one().task_id == task
    assert f"tasks_{week_of(clock.now + timedelta(weeks=6))}" in make(db)
    assert make(db) == []


def test_two_dispatchers_do_not_make_the_same(db: psycopg.Connection, database: str, clock: Clock) -> None:
    with psycopg.connect(database) as other:
        assert make(other) != []
        assert make(db) == []
    assert make(db) == []


def test_a_partition_is_as_one_that_was_made_at_once(db: psycopg.Connection, clock: Clock) -> None:
    make(db)
    indexes = """
    select count(*) from pg_index i join pg_class c on c.oid = i.indrelid where c.relname = %s and i.indisvalid
    """
    week = week_of(clock.now + timedelta(weeks=6))

    for table in ("runs", "tasks", "task_attempts", "task_slots", "task_logs"):
        (of_parent,) = db.execute(indexes, [table]).fetchone() or (0,)
        assert db.execute(indexes, [f"{table}_{week}"]).fetchone() == (of_parent,)
    unattached = "select count(*) from pg_class c where c.relname ~ '_w[0-9]{2}$' and not c.relispartition"
    assert value(db, unattached) == 0


def test_rows_of_a_week_move_from_the_default_partition_into_it(db: psycopg.Connection, clock: Clock) -> None:
    early = random_id_of(db, clock, weeks=6)
    start(db, None, ids=[early])
    assert lives_in(db, early) == "tenuto.tasks_default"

    make(db)

    assert lives_in(db, early) == f"tenuto.tasks_{week_of(clock.now + timedelta(weeks=6))}"
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    assert statuses(db, [early]) == ["completed"]


def test_an_id_of_a_clock_that_is_far_ahead_is_refused(db: psycopg.Connection, clock: Clock) -> None:
    (wild,) = ids_at(db, clock.now + timedelta(weeks=6), 1)

    with pytest.raises(
        InvalidInput, match=f"the timestamp of id {wild} is .*, more than a week ahead of the database's clock"
    ):
        start(db, None, ids=[wild])

    assert f"tasks_{week_of(clock.now + timedelta(weeks=6))}" in make(db)


@pytest.mark.parametrize("days", [-400, -1, 2, 6])
def test_other_ids_are_taken(db: psycopg.Connection, clock: Clock, days: int) -> None:
    (task,) = ids_at(db, clock.now + timedelta(days=days), 1)

    start(db, None, ids=[task])
    start(db, None, ids=[uuid4()])

    assert len(a_worker(db).claim(5)) == 2
