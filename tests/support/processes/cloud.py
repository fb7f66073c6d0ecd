"""A provider of machines for tests: it remembers what it runs, and fails, lists late or hangs when told to."""

import asyncio
from uuid import UUID

from tenuto.model.json import JsonObject
from tenuto.providers.base import Machine, MachineRequest, NoCapacity, ProviderError


class Cloud:
    """Machines are c1, c2 …; `fails` is raised by spawns, `hangs` lets every call wait for ever."""

    def __init__(self, *, lists_all: bool = False) -> None:
        self.lists_all = lists_all
        self.running: dict[str, MachineRequest] = {}
        self.stopped: set[str] = set()
        self.unlisted: set[str] = set()
        self.calls: list[str] = []
        self.fails: Exception | None = None
        self.hangs = False
        self.without: set[str] = set()  # sizes that it has no machine of
        self.made = 0

    async def _called(self, what: str) -> None:
        self.calls.append(what)
        if self.hangs:
            await asyncio.Event().wait()

    async def spawn(self, request: MachineRequest) -> str:
        await self._called("spawn")
        if self.fails:
            raise self.fails
        if request.settings.get("size") in self.without:
            raise NoCapacity(f"no machine of size {request.settings['size']}")
        self.made += 1
        self.running[f"c{self.made}"] = request
        return f"c{self.made}"

    async def list_machines(self, pool_id: UUID) -> list[Machine]:
        await self._called("list")
        return [
            Machine(id, request.name, is_running=id not in self.stopped)
            for id, request in self.running.items()
            if request.pool_id == pool_id and id not in self.unlisted
        ]

    async def describe(self, machine_id: str) -> JsonObject:
        await self._called(f"describe {machine_id}")
        return {"exit_code": 137}

    async def terminate(self, machine_id: str) -> None:
        await self._called(f"terminate {machine_id}")
        if isinstance(self.fails, ProviderError) and self.fails.args == ("cannot terminate",):
            raise self.fails
        self.running.pop(machine_id, None)

    async def close(self) -> None:
        self.calls.append("close")
