"""Work of orgs in threads: one piece per org at a time, and no org waits for all the work of another."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any
from uuid import UUID

import pytest

from tenuto.server.limits.org_threads import MAX_THREADS, MAX_WAITING, OrgThreads, TooMuchWork

ORGS = [UUID(int=no) for no in range(MAX_THREADS + 2)]


def run(steps: Coroutine[Any, Any, None]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(60):
            await steps

    asyncio.run(limited())


def test_one_org_has_one_thread_and_the_others_are_served_meanwhile() -> None:
    async def steps() -> None:
        threads, free, done = OrgThreads(), threading.Event(), list[int]()

        def work(no: int) -> int:
            free.wait(60)
            done.append(no)
            return no

        mine = [asyncio.create_task(threads.run(ORGS[0], lambda no=no: work(no))) for no in range(20)]
        assert [await threads.run(org, lambda: 7) for org in ORGS[1:]] == [7] * (len(ORGS) - 1)
        assert done == []
        free.set()
        assert await asyncio.gather(*mine) == done == list(range(20))
        threads.close()

    run(steps())


def test_an_org_with_too_much_work_is_asked_to_wait_and_others_are_not() -> None:
    async def steps() -> None:
        threads, free = OrgThreads(), threading.Event()
        mine = [asyncio.create_task(threads.run(ORGS[0], lambda: free.wait(60))) for _ in range(MAX_WAITING + 1)]
        await asyncio.sleep(0)

        with pytest.raises(TooMuchWork, match="requests of your org wait"):
            await threads.run(ORGS[0], lambda: True)
        assert await threads.run(ORGS[1], lambda: True)
        free.set()
        assert all(await asyncio.gather(*mine))
        assert await threads.run(ORGS[0], lambda: True)
        threads.close()

    run(steps())


def test_work_that_fails_or_is_cancelled_gives_its_turn_back() -> None:
    async def steps() -> None:
        threads, free = OrgThreads(), threading.Event()
        with pytest.raises(ZeroDivisionError):
            await threads.run(ORGS[0], lambda: 1 // 0)
        running, waiting, last = (asyncio.create_task(threads.run(ORGS[0], lambda: free.wait(60))) for _ in range(3))
        await asyncio.sleep(0)
        running.cancel()
        waiting.cancel()
        await asyncio.wait([running, waiting])
        assert not last.done(), "the cancelled work still runs"
        free.set()
        assert await last
        threads.close()

    run(steps())
