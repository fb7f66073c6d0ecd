"""Local machines are processes of this one: found again by whoever asks, and ended with their dispatcher."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tenuto.providers.base import MachineRequest, ProviderError
from tenuto.providers.local import STOP_SECONDS, LocalProvider, pid_of
from tests.support.waiting import wait_until

# A worker with a child that has the same variables.
WORKER = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).wait()"


def a_provider(code: str = WORKER) -> LocalProvider:
    return LocalProvider([sys.executable, "-c", code], environment=os.environ)


def request(pool_id: UUID, name: str = "m1") -> MachineRequest:
    return MachineRequest(name, pool_id, "gpu", "acme")


async def ends(provider: LocalProvider, machine_id: str) -> None:
    while not await provider.terminate(machine_id):
        await asyncio.sleep(0.05)


def test_a_machine_is_listed_once_and_by_every_provider_until_it_ends() -> None:
    async def scene() -> None:
        pool_id, provider = uuid4(), a_provider()
        machine_id = await provider.spawn(request(pool_id))
        other = a_provider()  # of a dispatcher that was started after the first one was killed
        assert [(entry.id, entry.name) for entry in await other.list_machines(pool_id)] == [(machine_id, "m1")]
        assert await provider.list_machines(uuid4()) == []
        await ends(other, machine_id)
        assert await other.terminate(machine_id)
        assert machine_id not in [entry.id for entry in await provider.list_machines(pool_id)]
        assert (await provider.describe(machine_id))["is_running"] is False

    asyncio.run(scene())


def test_settings_of_a_pool_are_refused_because_nothing_would_use_them() -> None:
    async def scene() -> None:
        wanted = MachineRequest("m1", uuid4(), "gpu", "acme", settings={"cpu": 4})
        with pytest.raises(ProviderError, match="a pool cannot set cpu of a local process"):
            await a_provider().spawn(wanted)

    asyncio.run(scene())


def test_a_program_that_deletes_its_variables_is_started_and_ended() -> None:
    async def scene() -> None:
        provider = LocalProvider(["env", "-i", "sleep", "60"], environment=os.environ)
        machine_id = await provider.spawn(request(uuid4()))
        await ends(provider, machine_id)
        assert (await provider.describe(machine_id))["is_running"] is False

    asyncio.run(scene())


def test_a_killed_machine_is_not_listed() -> None:
    async def scene() -> None:
        pool_id, provider = uuid4(), a_provider("import time; time.sleep(60)")
        machine_id = await provider.spawn(request(pool_id))
        os.kill(pid_of(machine_id), signal.SIGKILL)

        async def gone() -> bool:
            return await provider.list_machines(pool_id) == []

        while not await gone():
            await asyncio.sleep(0.05)
        assert (await provider.describe(machine_id))["exit_code"] == -signal.SIGKILL

    asyncio.run(scene())


def test_closing_ends_all_machines() -> None:
    async def scene() -> list[int]:
        provider = a_provider("import time; time.sleep(60)")
        ids = [await provider.spawn(request(uuid4(), f"m{no}")) for no in range(2)]
        await provider.close()
        return [pid_of(machine_id) for machine_id in ids]

    for pid in asyncio.run(scene()):
        wait_until(lambda pid=pid: not Path(f"/proc/{pid}").exists())


def test_a_command_that_does_not_exist_is_an_error() -> None:
    provider = LocalProvider(["/no/such/program"], environment={})

    with pytest.raises(ProviderError, match="/no/such/program cannot be started"):
        asyncio.run(provider.spawn(request(uuid4())))


def test_a_machine_that_does_not_stop_delays_nobody_and_is_killed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not a wait of the test: the process ignores SIGTERM and would live longer than the test.
    stubborn = (
        "import pathlib, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"pathlib.Path({str(tmp_path / 'deaf')!r}).touch(); time.sleep(60)"
    )

    async def scene() -> None:
        pool_id, provider = uuid4(), a_provider(stubborn)
        machine_id = await provider.spawn(request(pool_id))
        wait_until((tmp_path / "deaf").exists)
        async with asyncio.timeout(STOP_SECONDS / 4):
            assert await provider.terminate(machine_id) is False
            assert await provider.terminate(machine_id) is False
        monkeypatch.setattr(provider, "_killed_at", {machine_id: 0.0})
        await ends(provider, machine_id)
        assert await provider.list_machines(pool_id) == []

    asyncio.run(scene())


def test_the_id_of_a_machine_names_its_host() -> None:
    async def scene() -> None:
        here, there = a_provider(), LocalProvider(["x"], environment={}, host="other")
        machine_id = await here.spawn(request(uuid4()))
        try:
            assert machine_id.startswith(here.id_prefix)
            assert not machine_id.startswith(there.id_prefix)
        finally:
            await here.close()

    asyncio.run(scene())


def test_a_machine_knows_its_org() -> None:
    assert request(uuid4()).environment()["TENUTO_ORG"] == "acme"
