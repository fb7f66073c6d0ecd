"""Async attempts share asyncio tasks, and nothing else."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from functools import wraps
from typing import Any, cast

import pytest

from tenuto import App
from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.invoke import CoroutineRuntime
from tenuto.runtimes.outcomes import Completed, Failed, Outcome
from tenuto.runtimes.process_settings import ProcessSettings
from tenuto.sdk.hooks import NO_HOOKS
from tenuto.worker.backends.sql_attempt_api import SqlAttemptApis
from tenuto.worker.execution.executor import Executor
from tenuto.worker.execution.logs import LogBuffer
from tenuto.worker.process.held_attempts import CrashLedger, make_ledger_file
from tenuto.worker.process.slots import Slots


def on_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run the test in an event loop of its own."""

    @wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(test(**fixtures))

    return run


Function = Callable[..., Awaitable[Any]]
seen: ContextVar[int] = ContextVar("seen", default=0)


class Bench:
    """An executor with rows of one task, and what became of them."""

    def __init__(self, function: Function, *, capacity: int = 10, timeout: float | None = None) -> None:
        self.crew = Slots(capacity)
        self.told: list[Outcome] = []
        ports = cast("Any", SqlAttemptApis)(None, None, None, None)  # these tasks ask nothing
        places = CrashLedger(make_ledger_file(100))
        self.executor = Executor(asyncio.get_running_loop(), self.crew, ports, places, report=self._tell)
        self.executor.tasks[1] = App("a").task(function)
        executor = self.executor
        host = RuntimeHost(
            loop=asyncio.get_running_loop(),
            process=ProcessSettings(),
            hooks=NO_HOOKS,
            open_api=ports.open,
            logs=LogBuffer(),
            began=executor.began,
            ended=executor.end,
            preparing=cast("Any", None),  # these tasks run here
            next_attempt=executor.next_attempt,
        )
        executor.runtimes["async"] = CoroutineRuntime(host)
        self._timeout = timeout

    def _tell(self, _: Attempt, outcome: Outcome) -> None:
        self.told.append(outcome)

    async def run(self, count: int) -> list[str | None]:
        """What the completed ones answered, in their order."""
        rows = [
            (None, f"task {no}", 1, f"task {no}", 1, f"[{no}]", None, self._timeout, None, None) for no in range(count)
        ]
        self.executor.arrive(rows)
        await self.over()
        return [report[2] for report in self.crew.reports]

    async def over(self) -> None:
        async with asyncio.timeout(60):
            while self.executor.waiting or self.executor.running:
                await asyncio.sleep(0.001)
        await asyncio.sleep(0)


@on_a_loop
async def test_short_attempts_run_one_after_the_other_in_one_asyncio_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenuto.worker.execution.executor.MAX_TURN_SECONDS", 60.0)  # no turn is over too early
    tasks: set[Any] = set()

    async def short(n: int) -> int:
        tasks.add(asyncio.current_task())
        return n

    answers = await Bench(short).run(50)

    assert answers == [str(n) for n in range(50)]
    assert len(tasks) < 10


@pytest.mark.parametrize("capacity", [1, 2, 7, 100])
@on_a_loop
async def test_attempts_begin_in_the_order_of_their_claim(capacity: int) -> None:
    begun: list[int] = []

    async def sometimes_waits(n: int) -> None:
        begun.append(n)
        if n % 3 == 0:
            await asyncio.sleep(0)

    await Bench(sometimes_waits, capacity=capacity).run(60)

    assert begun == list(range(60))


@on_a_loop
async def test_attempts_that_wait_run_side_by_side_up_to_the_capacity() -> None:
    together, most = 0, 0
    full = asyncio.Event()

    async def waits(n: int) -> int:
        nonlocal together, most
        together += 1
        most = max(most, together)
        if together == 7:
            full.set()
        await full.wait()
        await asyncio.sleep(0)
        together -= 1
        return n

    assert len(await Bench(waits, capacity=7).run(21)) == 21
    assert most == 7


@on_a_loop
async def test_a_context_variable_that_one_attempt_sets_is_unknown_to_the_next() -> None:
    async def sets(n: int) -> int:
        found = seen.get()
        seen.set(found + 1)
        return found

    assert await Bench(sets).run(20) == ["0"] * 20


@on_a_loop
async def test_a_changed_context_variable_is_as_it_was_for_the_next() -> None:
    seen.set(5)

    async def changes(n: int) -> int:
        found = seen.get()
        seen.set(found + 1)
        return found

    assert await Bench(changes).run(20) == ["5"] * 20


@on_a_loop
async def test_an_attempt_that_cancels_its_own_asyncio_task_as_it_ends_does_not_stop_the_next() -> None:
    async def cancels_itself(n: int) -> int:
        if n % 2 == 0:
            cast("Any", asyncio.current_task()).cancel()
        else:
            await asyncio.sleep(0)
        return n

    assert sorted(map(int, cast("Any", await Bench(cancels_itself).run(10)))) == list(range(10))


@on_a_loop
async def test_a_timeout_ends_the_attempt_it_belongs_to_and_no_other() -> None:
    async def one_is_slow(n: int) -> int:
        await asyncio.sleep(60 if n == 3 else 0)
        return n

    bench = Bench(one_is_slow, timeout=2)
    assert sorted(map(int, cast("Any", await bench.run(8)))) == [0, 1, 2, 4, 5, 6, 7]
    assert [cast("Failed", told).error["type"] for told in bench.told] == ["Timeout"]


@on_a_loop
async def test_a_failure_leaves_the_others_alone() -> None:
    async def fails(n: int) -> int:
        if n == 4:
            raise ValueError("no")
        return n

    bench = Bench(fails)
    assert len(await bench.run(9)) == 8
    assert not [told for told in bench.told if isinstance(told, Completed)]
    assert len(bench.told) == 1


@on_a_loop
async def test_a_worker_that_stops_gives_back_what_has_not_begun() -> None:
    async def stops(n: int) -> int:
        if n == 2:
            bench.crew.stop_claiming()
        return n

    bench = Bench(stops, capacity=1)  # with more, a turn that took long would have let the next ones begin
    assert await bench.run(6) == ["0", "1", "2"]
    assert [type(told).__name__ for told in bench.told] == ["Interrupted"] * 3


@on_a_loop
async def test_other_work_of_the_loop_is_not_kept_waiting_by_a_long_row_of_short_attempts() -> None:
    looked: list[int] = []

    async def busy(n: int) -> int:
        until = asyncio.get_running_loop().time() + 0.002
        while asyncio.get_running_loop().time() < until:
            pass
        return n

    bench = Bench(busy, capacity=1)

    async def looks() -> None:
        while len(bench.crew.reports) < 40:
            looked.append(len(bench.crew.reports))
            await asyncio.sleep(0)

    _, answers = await asyncio.gather(looks(), bench.run(40))
    assert len(answers) == 40
    assert len(set(looked)) > 5
