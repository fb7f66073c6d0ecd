"""Background parts: what counts as a death, and who hears of it."""

import asyncio
import threading

import pytest

from tenuto.runtimes.background import BackgroundTaskDied, BackgroundTasks, restarted


async def fail(word: str) -> None:
    raise ValueError(word)


def test_of_several_parts_that_die_the_first_is_told_with_its_cause():
    told: list[BackgroundTaskDied] = []

    async def work() -> None:
        parts = BackgroundTasks(told.append)
        await asyncio.wait({parts.start("first", fail("broken")), parts.start("second", fail("too"))})
        await parts.close()

    asyncio.run(work())

    assert [str(died) for died in told] == ["the first died of ValueError: broken"]
    assert isinstance(told[0].__cause__, ValueError)


def test_a_part_that_returns_or_is_closed_has_not_died():
    told: list[BackgroundTaskDied] = []

    async def work() -> None:
        parts = BackgroundTasks(told.append)
        short = parts.start("short", asyncio.sleep(0))
        parts.start("endless", asyncio.Event().wait())
        await short
        await parts.close()

    asyncio.run(work())

    assert told == []


def test_a_thread_that_exits_has_died_though_python_swallows_it():
    told: list[BackgroundTaskDied] = []

    def leave() -> None:
        raise SystemExit(3)

    thread: threading.Thread = BackgroundTasks(told.append).thread("lane", leave)
    thread.start()
    thread.join()

    assert [str(died) for died in told] == ["the lane died of SystemExit: 3"]


@pytest.mark.parametrize(
    ("module", "dies"), [("tenuto.worker.execution.executor", True), ("shop", False), ("tenuto.sdk.client.run", False)]
)
def test_a_callback_of_a_worker_that_fails_is_a_death_and_one_of_user_code_is_not(module, dies, caplog):
    told: list[BackgroundTaskDied] = []
    code: dict[str, object] = {"__name__": module}
    exec("def callback():\n    raise KeyError('route 7')", code)  # noqa: S102 - a function of another module

    async def work() -> None:
        loop = asyncio.get_running_loop()
        BackgroundTasks(told.append).watch_loop(loop)
        loop.call_soon(code["callback"])  # type: ignore[arg-type]
        await asyncio.sleep(0)

    asyncio.run(work())

    assert bool(told) == dies
    assert ("Exception in callback" in caplog.text) != dies


def test_a_part_that_is_restarted_says_what_it_died_of(caplog):
    async def work() -> None:
        lives, again = iter([fail("broken")]), asyncio.Event()

        async def run() -> None:
            for life in lives:
                await life
            again.set()
            await asyncio.Event().wait()

        part = asyncio.create_task(restarted("listener", run, pause=0))
        await again.wait()
        part.cancel()

    asyncio.run(work())

    assert "the listener died; restarting it in 0 s" in caplog.text
    assert "ValueError: broken" in caplog.text
