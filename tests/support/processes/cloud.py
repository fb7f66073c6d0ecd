"""A provider of machines for tests: it remembers what it runs, and fails, lists late or hangs when told to."""

import asyncio
from collections.abc import Callable
from uuid import UUID

from tenuto.model.json import JsonObject
from tenuto.providers.base import Machine, MachineRequest, NoCapacity, ProviderError


class Cloud:
    """Machines are c1, c2 …; `fails` is raised by spawns, `hangs` lets every call wait for ever."""

    def __init__(self, *, lists_all: bool = False) -> None:
        self.lists_all, self.id_prefix, self.max_machines = lists_all, "", 100
        self.running: dict[str, MachineRequest] = {}
        self.stopped: set[str] = set()
        self.unlisted: set[str] = set()
        self.calls: list[str] = []
        self.fails: Exception | None = None
        self.hangs = False
        self.during: dict[str, Callable[[], object]] = {}  # what happens while a call is answered
        self.without: set[str] = set()  # sizes that it has no machine of
        self.slow: set[str] = set()  # machines that take long to end
        self.details: JsonObject = {"exit_code": 137}
        self.made = 0

    async def _called(self, what: str) -> None:
        self.calls.append(what)
        if happens := self.during.pop(what, None):
            happens()
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
        return self.details

    async def terminate(self, machine_id: str) -> bool:
        await self._called(f"terminate {machine_id}")
        if isinstance(self.fails, ProviderError) and self.fails.args == ("cannot terminate",):
            raise self.fails
        if machine_id in self.slow:
            return False
        self.running.pop(machine_id, None)
        return True

    async def close(self) -> None:
        self.calls.append("close")
