"""The only loop: what it runs, how often, and what it survives."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable

import pytest

from tenuto.dispatcher import loop
from tenuto.dispatcher.loop import Due, Loop, Ticker


class Yard:
    """What the loops of a test share: work that is left, calls that were made, and when enough was seen."""

    def __init__(self) -> None:
        self.left: dict[str, int] = {}
        self.calls: list[tuple[str, int]] = []
        self.stop = asyncio.Event()

    def limits(self, name: str) -> list[int]:
        return [limit for called, limit in self.calls if called == name]


Step = Callable[[Yard, int], Awaitable[int]]


def moving(name: str) -> Step:
    async def step(yard: Yard, limit: int) -> int:
        yard.calls.append((name, limit))
        moved = min(limit, yard.left[name])
        yard.left[name] -= moved
        return moved

    return step


async def ask(yard: Yard) -> Due:
    """What has work left is due; when nothing has, the test is over."""
    due = frozenset(name for name, left in yard.left.items() if left > 0)
    if not due:
        yard.stop.set()
    return Due(due)


async def run(yard: Yard, *loops: Loop[Yard]) -> Yard:
    async with asyncio.timeout(60):
        await Ticker(yard, loops, ask).run(yard.stop)
    return yard


def play(story: Callable[[Yard], Awaitable[None]]) -> None:
    async def main() -> None:
        await story(Yard())

    asyncio.run(main())


def test_only_what_is_due_runs_and_a_full_batch_is_followed_at_once():
    async def story(yard: Yard) -> None:
        yard.left = {"promote": 250, "fold": 0}
        await run(yard, Loop("promote", moving("promote"), batch=100), Loop("fold", moving("fold"), batch=100))
        assert yard.calls == [("promote", 100)] * 3

    play(story)


def test_what_comes_by_itself_runs_though_nobody_says_it_is_due():
    async def story(yard: Yard) -> None:
        async def beat(yard: Yard, limit: int) -> int:
            yard.left["beats"] -= 1
            return 0

        yard.left = {"beats": 3}
        await run(yard, Loop("beat", beat, every=0.05))

    play(story)


def test_upkeep_waits_after_the_start_unless_it_is_due(monkeypatch):
    async def prune(yard: Yard, limit: int) -> int:
        yard.calls.append(("prune", limit))
        yard.left["prune"] = yard.left["time"] = 0
        return 0

    upkeep = Loop("prune", prune, every=0.01, upkeep=True)

    async def not_due(yard: Yard) -> None:
        yard.left = {"promote": 3}
        await run(yard, upkeep, Loop("promote", moving("promote")))
        assert yard.calls == [("promote", 1)] * 3

    async def due(yard: Yard) -> None:
        yard.left = {"prune": 1}
        await run(yard, upkeep)
        assert yard.calls == [("prune", 1)]

    async def later(yard: Yard) -> None:
        yard.left = {"time": 1}
        await run(yard, upkeep)
        assert ("prune", 1) in yard.calls

    monkeypatch.setattr(loop, "UPKEEP_AFTER_SECONDS", 1000.0)
    play(not_due)
    play(due)
    monkeypatch.setattr(loop, "UPKEEP_AFTER_SECONDS", 0.1)
    play(later)


def test_a_slow_question_is_followed_by_a_pause_four_times_as_long():
    async def story(yard: Yard) -> None:
        asked_at: list[float] = []

        async def ask_slowly(yard: Yard) -> Due:
            asked_at.append(time.monotonic())
            await asyncio.sleep(0.05)  # stands for a query that reads many dead rows
            if len(asked_at) == 3:
                yard.stop.set()
            return Due(frozenset({"promote"}))

        yard.left = {"promote": 1000}
        async with asyncio.timeout(60):
            await Ticker(yard, [Loop("promote", moving("promote"))], ask_slowly).run(yard.stop)
        assert min(later - sooner for sooner, later in itertools.pairwise(asked_at)) > 0.24

    play(story)


def test_a_batch_that_fails_is_halved_until_it_is_small_enough_and_grows_again():
    async def story(yard: Yard) -> None:
        async def heavy(yard: Yard, limit: int) -> int:
            if limit > 200 and yard.left["heavy"] > 500:
                yard.calls.append(("timeout", limit))
                raise TimeoutError
            return await moving("heavy")(yard, limit)

        yard.left = {"heavy": 1000}
        await run(yard, Loop("heavy", heavy, batch=1000))
        assert yard.limits("timeout")[:3] == [1000, 500, 250]
        assert yard.limits("heavy")[0] == 125
        assert max(yard.limits("heavy")) > 200

    play(story)


def test_a_loop_that_fails_or_hangs_keeps_no_other_from_working():
    async def story(yard: Yard) -> None:
        async def broken(yard: Yard, limit: int) -> int:
            raise RuntimeError("no such function")

        async def hanging(yard: Yard, limit: int) -> int:
            return 0 if await yard.stop.wait() else 1

        yard.left = {"fine": 30}
        loops = Loop("broken", broken, every=0.01), Loop("hanging", hanging, every=0.01), Loop("fine", moving("fine"))
        await run(yard, *loops)
        assert yard.left == {"fine": 0}

    play(story)


def test_a_database_that_does_not_answer_is_asked_until_it_does(caplog: pytest.LogCaptureFixture):
    async def story(yard: Yard) -> None:
        silences = iter([ConnectionError("refused")] * 4)

        async def ask_sometimes(yard: Yard) -> Due:
            for silence in silences:
                raise silence
            return await ask(yard)

        yard.left = {"promote": 10}
        async with asyncio.timeout(60):
            await Ticker(yard, [Loop("promote", moving("promote"), batch=100)], ask_sometimes).run(yard.stop)
        assert yard.left == {"promote": 0}

    caplog.set_level("INFO")
    play(story)
    assert [record.message for record in caplog.records] == [
        "dispatcher loop due failed: refused; retrying",
        "dispatcher loop due works again",
    ]


def test_stopping_lets_the_batch_in_flight_finish():
    async def story(yard: Yard) -> None:
        async def slow(yard: Yard, limit: int) -> int:
            yard.stop.set()
            for _ in range(100):
                await asyncio.sleep(0)
            yard.left["slow"] = 0
            return 1

        yard.left = {"slow": 1}
        await run(yard, Loop("slow", slow))
        assert yard.left == {"slow": 0}

    play(story)


def test_stopping_does_not_wait_for_a_database_that_does_not_answer():
    async def story(yard: Yard) -> None:
        async def ask_in_vain(yard: Yard) -> Due:
            yard.stop.set()
            await asyncio.Event().wait()
            raise AssertionError

        async with asyncio.timeout(60):
            await Ticker(yard, [], ask_in_vain).run(yard.stop)

    play(story)
