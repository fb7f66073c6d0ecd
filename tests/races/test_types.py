"""Workers that declare their types at the same time, and starts beside them."""

from collections.abc import Callable
from typing import Any

from tests.support.database.interleave import Play, Race
from tests.support.database.loops import value
from tests.support.database.tasks import Db, Worker, a_worker, call, start_one, task


def declaring(worker: Worker, types: dict[str, Any]) -> Callable[[Db], None]:
    return lambda db: call(db, "declare_types", **worker.fence, types=types)


def test_workers_that_declare_at_once_do_not_wait_for_each_other_in_a_circle(race: Race) -> None:
    """Their types lie crosswise in the queues: each would make first what the other makes last."""

    def scene(play: Play) -> int:
        one, two = a_worker(race.db, "one"), a_worker(race.db, "two")
        first = {"a.x": {"kind": {"queue": "q"}}, "b.both": {"kind": {"queue": "r", "max_attempts": 1}}}
        second = {
            "a.y": {"kind": {"queue": "r"}},
            "b.both": {"kind": {"queue": "r", "max_attempts": 2}},
            "c.z": {"kind": {"queue": "q"}},
        }
        play.run(declaring(one, first), declaring(two, second))
        assert value(race.db, "select count(*) from tenuto.task_types") == 4
        return value(race.db, "select kind ->> 'max_attempts' from tenuto.task_types where type = 'b.both'")

    assert set(race.every_order(scene)) == {"1", "2"}


def test_a_start_inherits_what_was_declared_before_it_or_the_kernels_own(race: Race) -> None:
    def scene(play: Play) -> int:
        worker = a_worker(race.db)
        declare = declaring(worker, {"shop.send": {"kind": {"queue": "mail", "max_attempts": 9}}})
        _, task_id = play.run(declare, lambda db: start_one(db, kind={"type": "shop.send", "inherit": True}))
        found = task(race.db, task_id)
        assert (found["queue"], found["max_attempts"]) in (("mail", 9), ("default", 3))
        return found["max_attempts"]

    assert set(race.every_order(scene)) == {9, 3}
