"""Dispatchers share out the loops: each is run by one of them at a time."""

from uuid import UUID, uuid4

from tests.support.clock import Clock
from tests.support.database.tasks import Db, call

LOOPS = ["fold_runs", "promote_due", "sweep_lanes"]


def take(db: Db, dispatcher: UUID, loops: list[str] = LOOPS) -> list[str]:
    return sorted(row["take_loops"] for row in call_rows(db, dispatcher, loops))


def call_rows(db: Db, dispatcher: UUID, loops: list[str]) -> list[dict[str, str]]:
    found = call(db, "take_loops", dispatcher_id=dispatcher, loops=loops)
    return found if isinstance(found, list) else [{"take_loops": found}]


def test_the_first_dispatcher_gets_all_loops_and_the_next_none(db: Db) -> None:
    first, second = uuid4(), uuid4()

    assert take(db, first) == LOOPS
    assert take(db, second) == []
    assert take(db, first) == LOOPS


def test_a_loop_that_only_some_dispatchers_have_is_run_by_one_of_them(db: Db) -> None:
    first, second = uuid4(), uuid4()
    take(db, first)

    assert take(db, second, [*LOOPS, "drain_outbox"]) == ["drain_outbox"]


def test_loops_of_a_dispatcher_that_died_are_taken_over_when_its_lease_is_over(db: Db, clock: Clock) -> None:
    first, second = uuid4(), uuid4()
    take(db, first)
    clock.advance(seconds=1.5)
    assert take(db, second) == []

    clock.advance(seconds=1)

    assert take(db, second) == LOOPS
    assert take(db, first) == []


def test_a_dispatcher_that_asks_in_time_keeps_its_loops(db: Db, clock: Clock) -> None:
    first, second = uuid4(), uuid4()
    for _ in range(5):
        assert take(db, first) == LOOPS
        clock.advance(seconds=1.2)

    assert take(db, second) == []


def test_a_dispatcher_that_asks_in_vain_writes_nothing(db: Db) -> None:
    take(db, uuid4())
    before = db.execute("select xmin::text, loop from tenuto.loop_leases order by 2").fetchall()

    take(db, uuid4())

    assert db.execute("select xmin::text, loop from tenuto.loop_leases order by 2").fetchall() == before


def test_a_dispatcher_that_says_goodbye_leaves_its_loops_to_others_at_once(db: Db) -> None:
    first, second = uuid4(), uuid4()
    take(db, first)

    call(db, "close_dispatcher", id=first)

    assert take(db, second) == LOOPS
    call(db, "close_dispatcher", id=first)
    assert take(db, second) == LOOPS
