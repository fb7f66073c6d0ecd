"""Local machines are processes of this one: found again by whoever asks, and ended with their dispatcher."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tenuto.providers.base import MachineRequest, ProviderError
from tenuto.providers.local import LocalProvider
from tests.support.waiting import wait_until

# A worker with a child that has the same variables.
WORKER = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).wait()"


def a_provider(code: str = WORKER) -> LocalProvider:
    return LocalProvider([sys.executable, "-c", code], environment=os.environ)


def request(pool_id: UUID, name: str = "m1") -> MachineRequest:
    return MachineRequest(name, pool_id, "gpu")


def test_a_machine_is_listed_once_and_by_every_provider_until_it_ends() -> None:
    async def scene() -> None:
        pool_id, provider = uuid4(), a_provider()
        machine_id = await provider.spawn(request(pool_id))
        other = a_provider()  # of a dispatcher that was started after the first one was killed
        assert [(entry.id, entry.name) for entry in await other.list_machines(pool_id)] == [(machine_id, "m1")]
        assert await provider.list_machines(uuid4()) == []
        await other.terminate(machine_id)
        await other.terminate(machine_id)
        assert machine_id not in [entry.id for entry in await provider.list_machines(pool_id)]
        assert (await provider.describe(machine_id))["is_running"] is False

    asyncio.run(scene())


def test_a_killed_machine_is_not_listed() -> None:
    async def scene() -> None:
        pool_id, provider = uuid4(), a_provider("import time; time.sleep(60)")
        machine_id = await provider.spawn(request(pool_id))
        os.kill(int(machine_id.partition("@")[0]), signal.SIGKILL)

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
        return [int(machine_id.partition("@")[0]) for machine_id in ids]

    for pid in asyncio.run(scene()):
        wait_until(lambda pid=pid: not Path(f"/proc/{pid}").exists())


def test_a_command_that_does_not_exist_is_an_error() -> None:
    provider = LocalProvider(["/no/such/program"], environment={})

    with pytest.raises(ProviderError, match="/no/such/program cannot be started"):
        asyncio.run(provider.spawn(request(uuid4())))
