"""Starts machines with the commands in the file of providers. Works with any cloud that has a command line."""

import json
from collections.abc import Mapping, Sequence
from typing import cast
from uuid import UUID

from tenuto.model.json import JsonObject
from tenuto.providers.base import MAX_MACHINES, Machine, MachineRequest, NoCapacity, ProviderError
from tenuto.providers.commands import CommandNotEnded, run_command

MAX_OUTPUT_BYTES = 1_048_576
NO_CAPACITY = 75  # EX_TEMPFAIL, the exit code of a spawn command when no machine is free
CALL_SECONDS = 60.0


class ExecProvider:
    """Runs a command for each call. `spawn` prints the id of the machine. `list` prints a line `id name` per machine,
    with a third word `stopped` for machines that have stopped. `describe` and `terminate` get an id as their last
    argument. `spawn` gets the environment variables of the request, and the settings as JSON in TENUTO_POOL_SETTINGS.
    `list` gets TENUTO_POOL_ID."""

    lists_all = False
    id_prefix = ""

    def __init__(
        self,
        *,
        spawn: Sequence[str],
        list: Sequence[str],
        terminate: Sequence[str],
        describe: Sequence[str] = (),
        environment: Mapping[str, str],
        seconds: float = CALL_SECONDS,
        max_machines: int = MAX_MACHINES,
    ) -> None:
        self.max_machines = max_machines
        self._spawn, self._list, self._terminate, self._describe = spawn, list, terminate, describe
        self._environment, self._seconds = dict(environment), seconds

    async def spawn(self, request: MachineRequest) -> str:
        settings = {"TENUTO_POOL_SETTINGS": json.dumps(request.settings)}
        printed = await self._run(self._spawn, {**request.environment(), **settings})
        machine_id = printed.strip()
        if not machine_id or "\n" in machine_id:
            raise ProviderError(f"{self._spawn[0]} printed {printed[:200]!r}; it must print the id of the machine")
        return machine_id

    async def list_machines(self, pool_id: UUID) -> list[Machine]:
        printed = await self._run(self._list, {"TENUTO_POOL_ID": str(pool_id)})
        machines: list[Machine] = []
        for line in printed.splitlines():
            words = line.split()
            if words and (len(words) not in (2, 3) or words[2:] not in ([], ["stopped"])):
                raise ProviderError(
                    f"{self._list[0]} printed {line[:200]!r}; "
                    "each line must be an id, a name and optionally the word stopped"
                )
            if words:
                machines.append(Machine(words[0], words[1], is_running=words[2:] != ["stopped"]))
        return machines

    async def describe(self, machine_id: str) -> JsonObject:
        if not self._describe:
            return {}
        printed = await self._run([*self._describe, machine_id], {})
        try:
            described = json.loads(printed)
        except ValueError:
            return {"output": printed[:4096]}
        return cast("JsonObject", described) if isinstance(described, dict) else {"output": printed[:4096]}

    async def terminate(self, machine_id: str) -> bool:
        await self._run([*self._terminate, machine_id], {})
        return True

    async def close(self) -> None:
        """Do nothing: the machines continue to run."""

    async def _run(self, command: Sequence[str], variables: Mapping[str, str]) -> str:
        try:
            ended = await run_command(
                command, environment={**self._environment, **variables}, seconds=self._seconds, capture=True
            )
        except CommandNotEnded as problem:
            raise ProviderError(f"{command[0]} {problem}") from problem
        if ended.status != 0:
            lines = ended.errors.decode(errors="replace").strip().splitlines() or ["it printed no error"]
            kind = NoCapacity if ended.status == NO_CAPACITY else ProviderError
            raise kind(f"{command[0]} failed with exit status {ended.status}: {lines[-1][:1000]}")
        if len(ended.output) > MAX_OUTPUT_BYTES:
            raise ProviderError(f"{command[0]} printed more than {MAX_OUTPUT_BYTES} bytes")
        return ended.output.decode(errors="replace")
