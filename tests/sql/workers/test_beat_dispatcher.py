"""A dispatcher says that it lives and where."""

from uuid import UUID, uuid4

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.tasks import Db, call


def dispatchers(db: Db) -> dict[UUID, tuple[str, int]]:
    return {row[0]: (row[1], row[2]) for row in db.execute("select id, address, port from tenuto.dispatchers")}


def beat(db: Db, dispatcher: UUID, address: str = "10.0.0.1", port: int = 8080) -> None:
    call(db, "beat_dispatcher", id=dispatcher, address=address, port=port)


def test_dispatchers_appear_with_their_address(db: Db) -> None:
    one, two = uuid4(), uuid4()

    beat(db, one)
    beat(db, two, port=0)

    assert dispatchers(db) == {one: ("10.0.0.1", 8080), two: ("10.0.0.1", 0)}


def test_a_dispatcher_that_moved_is_known_by_its_new_address_and_its_old_start(db: Db, clock: Clock) -> None:
    one, started = uuid4(), clock.now
    beat(db, one)
    clock.advance(minutes=59)

    beat(db, one, "10.0.0.2", 9090)

    assert dispatchers(db) == {one: ("10.0.0.2", 9090)}
    assert db.execute("select started_at, heartbeat from tenuto.dispatchers").fetchone() == (started, clock.now)


def test_those_silent_for_an_hour_are_forgotten(db: Db, clock: Clock) -> None:
    silent, late, here = uuid4(), uuid4(), uuid4()
    beat(db, silent)
    clock.advance(minutes=2)
    beat(db, late)
    clock.advance(minutes=59)

    beat(db, here)

    assert set(dispatchers(db)) == {late, here}


def test_one_that_was_silent_for_long_comes_back_by_its_own_beat(db: Db, clock: Clock) -> None:
    one = uuid4()
    beat(db, one)
    clock.advance(hours=5)

    beat(db, one)

    assert set(dispatchers(db)) == {one}


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_cannot_be_is_refused(db: Db, port: int) -> None:
    with pytest.raises(InvalidInput, match="port_is_a_port"):
        beat(db, uuid4(), port=port)

    assert dispatchers(db) == {}


def test_one_that_says_goodbye_is_gone_at_once_and_twice_is_fine(db: Db) -> None:
    one, two = uuid4(), uuid4()
    beat(db, one)
    beat(db, two)

    for _ in range(2):
        call(db, "close_dispatcher", id=one)

    assert set(dispatchers(db)) == {two}
