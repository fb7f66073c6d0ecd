"""What ends a machine: never facts that are stale, a list of another host, or more machines than a provider may run."""

from typing import Any

import pytest

from tenuto.dispatcher.fleet import machines
from tenuto.dispatcher.fleet.control import Fleet
from tenuto.model.text import hide
from tenuto.providers.base import ProviderError
from tests.dispatcher.fleet.test_control import a_pool, controlled, cycle, pool_row
from tests.support.database.pools import machines as rows
from tests.support.database.pools import registers
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start
from tests.support.database.workers import worker_row
from tests.support.processes.cloud import Cloud


@pytest.fixture(autouse=True)
def _compares_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "RECONCILE_SECONDS", -1.0)
    monkeypatch.setattr(machines, "QUICK_RECONCILE_SECONDS", -1.0)


def one_name(db: Db) -> str:
    (name,) = rows(db)
    return name


def test_a_worker_that_returns_after_the_facts_were_read_keeps_its_machine(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db)
    cloud = Cloud()

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        name = one_name(db)
        registers(db, name)
        call(db, "fail_worker", org_id=DEFAULT_ORG, worker_id=name, error="its lease expired")
        cloud.during["describe c1"] = lambda: registers(db, name)
        await cycle(fleet)

    controlled(database, scene, cloud=cloud)
    first, *_ = rows(db)
    assert (rows(db)[first], "terminate c1" in cloud.calls) == ("active", False)
    assert worker_row(db, first)["diagnostics"] is None


def test_a_worker_that_beats_after_the_list_was_made_keeps_its_machine(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db)
    cloud = Cloud(lists_all=True)

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        registers(db, one_name(db))
        cloud.unlisted.add("c1")
        beat = {"org_id": DEFAULT_ORG, "worker_id": one_name(db)}
        cloud.during["describe c1"] = lambda: call(db, "beat_worker", **beat)
        await cycle(fleet)

    controlled(database, scene, cloud=cloud)
    assert (list(rows(db).values()), "terminate c1" in cloud.calls) == (["active"], False)


def test_a_machine_without_a_row_that_registers_meanwhile_lives(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db)
    cloud = Cloud()

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        name = one_name(db)
        # The response to the request was lost, and its row has ended.
        call(db, "fail_spawn", org_id=DEFAULT_ORG, worker_id=name, error="timeout")
        registers(db, name)
        db.execute("update tenuto.workers set machine_ended_at = now()")
        await cycle(fleet)

    controlled(database, scene, cloud=cloud)
    assert ("active" in rows(db).values(), "terminate c1" in cloud.calls) == (True, False)


def test_machines_of_another_host_are_left_alone_until_their_workers_are_terminated(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db)
    there, here = Cloud(lists_all=True), Cloud(lists_all=True)
    here.id_prefix = "here/"

    async def spawns(fleet: Fleet) -> None:
        await cycle(fleet)
        registers(db, one_name(db))

    async def controls(fleet: Fleet) -> None:
        db.execute("update tenuto.pools set controlled_until = null")
        await cycle(fleet)
        name = one_name(db)
        assert rows(db) == {name: "active"}
        call(db, "fail_worker", org_id=DEFAULT_ORG, worker_id=name, error="its lease expired")
        await cycle(fleet)
        assert worker_row(db, name)["machine_ended_at"] is None
        call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id=name)
        await cycle(fleet)
        assert worker_row(db, name)["machine_ended_at"] is not None

    controlled(database, spawns, cloud=there)
    controlled(database, controls, cloud=here)
    assert [call for call in here.calls if call.startswith(("terminate", "describe"))] == []


def test_a_machine_that_takes_long_to_end_counts_until_it_has(db: Db, database: str) -> None:
    start(db, 1)
    a_pool(db, max_workers=1)
    cloud = Cloud()
    cloud.slow.add("c1")

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        name = one_name(db)
        call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id=name)
        await cycle(fleet)
        assert worker_row(db, name)["machine_ended_at"] is None
        cloud.slow.clear()
        await cycle(fleet)
        assert worker_row(db, name)["machine_ended_at"] is not None

    controlled(database, scene, cloud=cloud)


def test_a_provider_runs_at_most_its_machines_for_all_pools(db: Db, database: str) -> None:
    start(db, *range(9))
    a_pool(db, "a")
    a_pool(db, "b")
    cloud = Cloud()
    cloud.max_machines = 5

    async def scene(fleet: Fleet) -> None:
        for _ in range(3):
            await cycle(fleet)

    controlled(database, scene, cloud=cloud)
    assert len(cloud.running) == 5
    reasons = [pool_row(db, name)["reason"] for name in ("a", "b")]
    assert any("provider cloud runs" in reason and "of at most 5 machines" in reason for reason in reasons)


@pytest.mark.parametrize("text", ["quota\x00 exceeded for key s3cr3t-k3y", "\ud800 s3cr3t-k3y"])
def test_what_a_provider_raises_is_stored_without_secrets_and_nul(db: Db, database: str, text: str) -> None:
    hide("s3cr3t-k3y")
    start(db, 1)
    a_pool(db)
    cloud = Cloud()
    cloud.fails = ProviderError(text)

    controlled(database, cycle, cloud=cloud)

    problem, error = pool_row(db)["problem"], worker_row(db, one_name(db))["error"]
    assert (problem, "s3cr3t-k3y" in problem, "***" in problem) == (error, False, True)


def test_a_description_with_secrets_and_nul_is_kept_without_them(db: Db, database: str) -> None:
    hide("s3cr3t-k3y")
    start(db, 1)
    a_pool(db)
    cloud = Cloud()
    cloud.details = {"log": ["\x00boot", {"key": "s3cr3t-k3y"}]}

    async def scene(fleet: Fleet) -> None:
        await cycle(fleet)
        call(db, "fail_worker", org_id=DEFAULT_ORG, worker_id=one_name(db), error="CUDA")
        await cycle(fleet)

    controlled(database, scene, cloud=cloud)
    first, *_ = rows(db)
    kept: Any = worker_row(db, first)["diagnostics"]
    assert kept["machine"] == {"log": ["\\0boot", {"key": "***"}]}
