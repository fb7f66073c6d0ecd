"""A dispatcher gives what people did its place in the chain, and forgets requests that are over."""

from collections.abc import Callable

from tests.support.database.loops import count, value
from tests.support.database.tasks import Db
from tests.support.database.users import an_entry
from tests.support.waiting import wait_until


def test_entries_get_their_place_while_dispatchers_run(db: Db, dispatcher: Callable[[], None]) -> None:
    an_entry(db)
    dispatcher()
    dispatcher()
    for _ in range(20):
        an_entry(db)

    wait_until(lambda: count(db, "audit_unsealed") == 0)
    assert value(db, "select array_agg(seq order by seq) from tenuto.audit_log") == list(range(1, 22))
