"""Queries that run at a time are divided between orgs."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

from tenuto.query.slots import QuerySlots


class Queries:
    """Starts queries that hold their slots until they are told to end."""

    def __init__(self, total: int) -> None:
        self.slots = QuerySlots(total)
        self.running: list[UUID] = []
        self.ends: list[tuple[UUID, asyncio.Event]] = []

    async def start(self, org_id: UUID, count: int = 1) -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(self._hold(org_id)) for _ in range(count)]
        await self.settle()
        return tasks

    async def end(self, org_id: UUID) -> None:
        _, event = next(pair for pair in self.ends if pair[0] == org_id)
        event.set()
        await self.settle()

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def _hold(self, org_id: UUID) -> None:
        async with self.slots.take(org_id):
            end = (org_id, asyncio.Event())
            self.ends.append(end)
            self.running.append(org_id)
            await end[1].wait()
            self.ends.remove(end)
            self.running.remove(org_id)


def run(steps: Callable[[Queries], Awaitable[None]], total: int = 4) -> None:
    async def all_of_it() -> None:
        queries = Queries(total)
        try:
            await steps(queries)
        finally:
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

    asyncio.run(all_of_it())


def test_one_org_leaves_a_slot_to_others() -> None:
    async def steps(queries: Queries) -> None:
        greedy, other = uuid4(), uuid4()
        await queries.start(greedy, 10)
        assert queries.running == [greedy] * 3
        await queries.start(other, 2)
        assert queries.running == [greedy] * 3 + [other]
        await queries.end(greedy)
        assert sorted(queries.running) == sorted([greedy, other] * 2)  # the org with fewer gets the next one

    run(steps)


def test_orgs_with_as_many_take_turns() -> None:
    async def steps(queries: Queries) -> None:
        first, second, third = uuid4(), uuid4(), uuid4()
        await queries.start(first)
        for org_id in (second, second, third):
            await queries.start(org_id)
        assert queries.running == [first]
        await queries.end(first)
        await queries.end(second)
        assert queries.running == [third]
        await queries.end(third)
        assert queries.running == [second]

    run(steps, total=1)


def test_a_query_that_leaves_the_queue_takes_no_slot() -> None:
    async def steps(queries: Queries) -> None:
        first, second, third = uuid4(), uuid4(), uuid4()
        await queries.start(first)
        (leaving,) = await queries.start(second)
        leaving.cancel()
        await queries.settle()
        (both,) = await queries.start(second)
        await queries.start(third)
        queries.ends[0][1].set()
        await asyncio.sleep(0)
        both.cancel()  # in the moment in which it gets the slot, or just before
        await queries.settle()
        assert queries.running == [third]

    run(steps, total=1)
