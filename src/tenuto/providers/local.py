"""Starts workers as processes on this machine. They end with the dispatcher, unless it is killed: then the next one
finds them."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from uuid import UUID

import psutil

from tenuto.model.json import JsonObject
from tenuto.providers.base import Machine, MachineRequest, ProviderError

STOP_SECONDS = 40.0  # between SIGTERM and SIGKILL; a worker takes up to 37 s with its default grace period
CHECK_SECONDS = 0.1


class LocalProvider:
    """Runs `command` once per machine, in a session of its own, with the variables of the request."""

    lists_all = True

    def __init__(self, command: Sequence[str], *, environment: Mapping[str, str], folder: str | None = None) -> None:
        self._command, self._environment, self._folder = list(command), dict(environment), folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    async def spawn(self, request: MachineRequest) -> str:
        return await asyncio.to_thread(self._spawn, request)

    def _spawn(self, request: MachineRequest) -> str:
        try:
            process = subprocess.Popen(
                self._command,
                env={**self._environment, **request.environment()},
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            machine_id = _id_of(psutil.Process(process.pid))
        except (OSError, psutil.Error) as error:
            raise ProviderError(f"{self._command[0]} cannot be started: {error}") from error
        self._processes[machine_id] = process
        return machine_id

    async def list_machines(self, pool_id: UUID) -> list[Machine]:
        return await asyncio.to_thread(self._list, str(pool_id))

    def _list(self, pool_id: str) -> list[Machine]:
        for process in list(self._processes.values()):  # another thread may add one
            process.poll()  # reaps those that have ended
        found: dict[int, tuple[str, psutil.Process]] = {}
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                variables = process.environ()
                if variables.get("TENUTO_POOL_ID") == pool_id and process.status() != psutil.STATUS_ZOMBIE:
                    found[process.pid] = variables.get("TENUTO_MACHINE", ""), process
        machines: list[Machine] = []
        for name, process in found.values():
            with suppress(psutil.Error, OSError):
                # The children of a worker have the same variables: the machine is the first of them.
                parent = found.get(process.ppid())
                if parent is None or parent[0] != name:
                    machines.append(Machine(_id_of(process), name))
        return machines

    async def describe(self, machine_id: str) -> JsonObject:
        process = self._processes.get(machine_id)
        code = process.poll() if process else None
        return {"pid": machine_id.partition("@")[0], "exit_code": code, "is_running": _find(machine_id) is not None}

    async def terminate(self, machine_id: str) -> None:
        """Ask the process to stop, and kill it if it does not."""
        process = _find(machine_id)
        if process is not None:
            with suppress(psutil.Error, ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            await self._wait(machine_id, STOP_SECONDS)
            if _find(machine_id) is not None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                await self._wait(machine_id, STOP_SECONDS)
        self._processes.pop(machine_id, None)

    async def _wait(self, machine_id: str, seconds: float) -> None:
        ends_at = asyncio.get_running_loop().time() + seconds
        while self._is_alive(machine_id) and asyncio.get_running_loop().time() < ends_at:
            await asyncio.sleep(CHECK_SECONDS)

    def _is_alive(self, machine_id: str) -> bool:
        process = self._processes.get(machine_id)
        return process.poll() is None if process else _find(machine_id) is not None

    async def close(self) -> None:
        """Stop all processes that were started here."""
        alive = [machine_id for machine_id in self._processes if self._is_alive(machine_id)]
        await asyncio.gather(*(self.terminate(machine_id) for machine_id in alive))


def _id_of(process: psutil.Process) -> str:
    return f"{process.pid}@{process.create_time():.2f}"  # pids are used again


def _find(machine_id: str) -> psutil.Process | None:
    """Return the process with this id, None if it has ended."""
    try:
        process = psutil.Process(int(machine_id.partition("@")[0]))
        same = _id_of(process) == machine_id and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, ValueError):
        return None
    return process if same else None
