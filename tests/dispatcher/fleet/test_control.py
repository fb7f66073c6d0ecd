"""The control of pools: rows before machines, zombies on both sides, and providers that fail or hang."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.pool import open_pool
from tenuto.dispatcher.fleet import control, machines
from tenuto.dispatcher.fleet.control import Fleet
from tenuto.providers.base import MachineRequest, ProviderError
from tests.support.database.pools import machines as rows
from tests.support.database.pools import registers
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start
from tests.support.database.workers import worker_row
from tests.support.processes.cloud import Cloud


@pytest.fixture(autouse=True)
def _compares_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "RECONCILE_SECONDS", -1.0)
    monkeypatch.setattr(machines, "QUICK_RECONCILE_SECONDS", -1.0)


def a_pool(db: Db, name: str = "gpu", provider: str = "cloud", **policy: Any) -> UUID:
    policy = {"provider": provider, "max_workers": 4, **policy}
    return call(db, "set_pool", org_id=DEFAULT_ORG, name=name, policy=Jsonb(policy))


def controlled(database: str, scene: Callable[..., Coroutine[Any, Any, None]], **clouds: Cloud) -> None:
    """Run a scene with a dispatcher that has these providers."""

    async def play() -> None:
        async with _fleet(database, clouds) as fleet:
            await scene(fleet)

    asyncio.run(play())


@asynccontextmanager
async def _fleet(database: str, clouds: dict[str, Cloud]) -> AsyncIterator[Fleet]:
    async with open_pool(database, size=4) as pool:
        fleet = Fleet(pool, uuid4(), clouds)
        try:
            yield fleet
        finally:
            await fleet.close()


async def cycle(fleet: Fleet, *, waits: bool = True) -> None:
    """One turn of the loop, until every pool's cycle has ended."""
    for state in fleet._states.values():
        state.rests_until = 0.0
    await fleet.step()
    if waits:
        await asyncio.gather(*(state.work for state in fleet._states.values() if state.work))


def pool_row(db: Db, name: str = "gpu") -> dict[str, Any]:
    (row,) = call(db, "list_pools", org_id=DEFAULT_ORG, name=name)
    return row


def test_work_starts_machines_whose_ids_are_recorded(db: Db, database: str) -> None:
    start(db, 1, 2)
    a_pool(db, settings={"image": "x"}, queues=["default"], tasks_per_worker=1)
    cloud = Cloud()

    controlled(database, cycle, cloud=cloud)

    names = {request.name for request in cloud.running.values()}
    assert (set(rows(db)), len(names)) == (names, 2)
    request = cloud.running["c1"]
    assert request.settings == {"image": "x"}
    assert worker_row(db, request.name)["provider_id"] == "c1"
    assert request.environment()["TENUTO_QUEUES"] == "default"


def test_a_spawn_that_fails_rolls_its_row_back_and_is_shown(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db)
    cloud = Cloud()
    cloud.fails = ProviderError("429 too many requests")

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        assert list(rows(db).values()) == ["terminated"]
        assert pool_row(db)["problem"] == "429 too many requests"
        cloud.fails = None
        await cycle(fleet)
        assert (len(cloud.running), pool_row(db)["problem"]) == (1, None)

    controlled(database, scene, cloud=cloud)


def test_machines_that_keep_failing_are_not_requested_again_and_again(db: Db, database: str) -> None:
    start(db, *range(4))
    a_pool(db)
    cloud = Cloud()
    cloud.fails = ProviderError("500")

    async def scene(fleet: Fleet) -> None:
        for _ in range(8):
            await cycle(fleet)

    controlled(database, scene, cloud=cloud)

    assert cloud.calls.count("spawn") == 5  # 4 at once, 1 probe, then the brake
    assert "failed to start: none is requested" in pool_row(db)["reason"]
    assert pool_row(db)["problem"] == "500"  # nobody knows yet whether the provider works again


def test_the_next_tier_is_tried_when_one_has_no_capacity(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db, settings={"size": "default", "image": "x"}, tiers=[{"size": "72"}, {"size": "48"}])
    cloud = Cloud()
    cloud.without = {"72"}

    controlled(database, cycle, cloud=cloud)

    request = cloud.running["c1"]
    assert request.settings == {"size": "48", "image": "x"}
    assert worker_row(db, request.name)["metadata"]["tier"] == 1


def test_a_machine_without_a_row_is_ended(db: Db, database: str) -> None:
    pool_id = a_pool(db)
    cloud = Cloud()
    cloud.running["zombie"] = MachineRequest("unknown", pool_id, "gpu", "default")
    cloud.running["other"] = MachineRequest("unknown", uuid4(), "another pool", "default")

    controlled(database, cycle, cloud=cloud)

    assert set(cloud.running) == {"other"}


def test_a_machine_that_was_requested_by_a_dispatcher_that_died_is_adopted(db: Db, database: str) -> None:
    pool_id = a_pool(db, min_workers=1)
    call(db, "expect_worker", org_id=DEFAULT_ORG, worker_id="m1", instance_type="cloud", pool_id=pool_id)
    cloud = Cloud()
    cloud.running["c9"] = MachineRequest("m1", pool_id, "gpu", "default")

    controlled(database, cycle, cloud=cloud)

    assert (worker_row(db, "m1")["provider_id"], set(cloud.running)) == ("c9", {"c9"})


def test_a_machine_that_has_stopped_is_diagnosed_replaced_and_its_tasks_return(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db)
    cloud = Cloud()

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        (name,) = rows(db)
        held = registers(db, name).claim_one()
        cloud.stopped.add("c1")
        await cycle(fleet)
        row = worker_row(db, name)
        assert (row["status"], row["error"]) == ("error", "its machine has ended")
        assert (row["diagnostics"]["machine"], row["diagnostics"]["running"]) == ({"exit_code": 137}, 1)
        call(db, "expire_attempts")
        assert db.execute("select count(*) from tenuto.running_tasks").fetchone() == (0,)
        assert held.attempt == 1

    controlled(database, scene, cloud=cloud)
    assert cloud.calls.index("describe c1") < cloud.calls.index("terminate c1")


def test_a_live_worker_that_a_late_list_misses_is_left_alone(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db)
    cloud = Cloud()

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        registers(db, next(iter(rows(db))))
        cloud.unlisted.add("c1")
        await cycle(fleet)

    controlled(database, scene, cloud=cloud)
    assert (list(rows(db).values()), set(cloud.running)) == (["active"], {"c1"})


def test_a_machine_that_never_comes_is_given_up(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db, spawn_timeout_seconds=1)
    cloud = Cloud()

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        db.execute("update tenuto.workers set created_at = created_at - interval '1 minute'")
        call(db, "expire_workers")
        await cycle(fleet)
        await cycle(fleet)

    controlled(database, scene, cloud=cloud)
    first, *rest = rows(db).values()
    assert (first, rest, "terminate c1" in cloud.calls) == ("error", ["starting"], True)


def test_a_failed_worker_s_machine_is_ended_even_if_that_fails_first(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db)
    cloud = Cloud()

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        name = next(iter(rows(db)))
        registers(db, name)
        call(db, "fail_worker", org_id=DEFAULT_ORG, worker_id=name, error="CUDA")
        cloud.fails = ProviderError("cannot terminate")
        await cycle(fleet)
        assert "c1" in cloud.running
        assert worker_row(db, name)["machine_ended_at"] is None
        cloud.fails = None
        await cycle(fleet)
        assert "c1" not in cloud.running
        assert worker_row(db, name)["machine_ended_at"] is not None

    controlled(database, scene, cloud=cloud)


def test_a_provider_that_hangs_or_raises_stops_no_other_pool(
    db: Db, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "LATE_SECONDS", -1.0)
    start(db, 1)
    hung, broken, fine = Cloud(), Cloud(), Cloud()
    hung.hangs, broken.fails = True, RuntimeError("a bug of the provider")
    for name, provider in (("a", "hung"), ("b", "broken"), ("c", "fine")):
        a_pool(db, name, provider)

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet, waits=False)
        works = [state.work for state in fleet._states.values() if state.pool.name != "a" and state.work]
        await asyncio.gather(*works)
        await cycle(fleet, waits=False)

    controlled(database, scene, hung=hung, broken=broken, fine=fine)

    assert len(fine.running) == 1
    assert pool_row(db, "b")["problem"] == "a bug of the provider"
    assert "has not responded" in pool_row(db, "a")["problem"]
    assert pool_row(db, "c")["problem"] is None


def test_one_dispatcher_alone_controls_a_pool(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db)
    cloud = Cloud()

    async def scene(first: Fleet) -> None:
        async with _fleet(database, {"cloud": cloud}) as second:
            await asyncio.gather(cycle(first), cycle(second))
            await asyncio.gather(cycle(first), cycle(second))

    controlled(database, scene, cloud=cloud)
    assert cloud.calls.count("spawn") == 1
