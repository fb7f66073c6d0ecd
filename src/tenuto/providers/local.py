"""Starts workers as processes on this machine. They stop when the dispatcher that started them ends, even if it was
killed: each worker reads from a pipe whose other end is closed when the dispatcher ends."""

import asyncio
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from uuid import UUID

import psutil

from tenuto.model.json import JsonObject
from tenuto.providers.base import MAX_MACHINES, Machine, MachineRequest, ProviderError

STOP_SECONDS = 40.0  # between SIGTERM and SIGKILL; by default, a worker kills its processes after 37 s
CHECK_SECONDS = 0.1
LOAD_SECONDS = 5.0  # at most, to wait until a program is loaded; a program can also delete its variables


class LocalProvider:
    """Runs `command` once per machine, in its own process group, with the environment variables of the request. The id
    of a machine begins with the name of its host, because another host with a provider of the same name can neither see
    nor end it."""

    lists_all = True

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: str | None = None,
        max_machines: int = MAX_MACHINES,
        host: str | None = None,
    ) -> None:
        self._command, self._environment, self._folder = list(command), dict(environment), folder
        self.max_machines, self.id_prefix = max_machines, f"{host or socket.gethostname()}/"
        self._pipe: tuple[int, int] | None = None  # open until this process ends
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._killed_at: dict[str, float] = {}  # for each machine that was asked to stop: when to kill it

    async def spawn(self, request: MachineRequest) -> str:
        if request.settings:
            refused = ", ".join(sorted(request.settings))
            raise ProviderError(f"a pool cannot set {refused} of a local process; change its command instead")
        self._pipe = self._pipe or os.pipe()
        return await asyncio.to_thread(self._spawn, request, self._pipe[0])

    def _spawn(self, request: MachineRequest, pipe: int) -> str:
        try:
            process = subprocess.Popen(
                self._command,
                env={**self._environment, **request.environment(), "TENUTO_PARENT_PIPE": str(pipe)},
                pass_fds=[pipe],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
            machine_id = self._id_of(psutil.Process(process.pid))
            _wait_for_variables(process)
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
                # The children of a worker have the same variables. The machine is the process whose parent does not
                # have them.
                parent = found.get(process.ppid())
                if parent is None or parent[0] != name:
                    machines.append(Machine(self._id_of(process), name))
        return machines

    async def describe(self, machine_id: str) -> JsonObject:
        process = self._processes.get(machine_id)
        code = process.poll() if process else None
        return {"pid": pid_of(machine_id), "exit_code": code, "is_running": self._find(machine_id) is not None}

    async def terminate(self, machine_id: str) -> bool:
        """Ask the process to stop. If it has not ended STOP_SECONDS after the first call, the next call kills it."""
        process = self._find(machine_id)
        if process is None:
            if ended := self._processes.pop(machine_id, None):
                ended.wait()  # reaps it
            self._killed_at.pop(machine_id, None)
            return True
        with suppress(psutil.Error, ProcessLookupError, PermissionError):
            if machine_id not in self._killed_at:
                self._killed_at[machine_id] = time.monotonic() + STOP_SECONDS
                process.send_signal(signal.SIGTERM)
            elif time.monotonic() >= self._killed_at[machine_id]:
                os.killpg(process.pid, signal.SIGKILL)
        return False

    async def close(self) -> None:
        """Stop all processes that were started here, and wait until they have ended."""
        left = [machine_id for machine_id in self._processes if not await self.terminate(machine_id)]
        while left:
            await asyncio.sleep(CHECK_SECONDS)
            left = [machine_id for machine_id in left if not await self.terminate(machine_id)]

    def _id_of(self, process: psutil.Process) -> str:
        return f"{self.id_prefix}{process.pid}@{process.create_time():.2f}"  # with the start time: pids are reused

    def _find(self, machine_id: str) -> psutil.Process | None:
        """Return the process with this id; None if it has ended."""
        try:
            process = psutil.Process(pid_of(machine_id))
            same = self._id_of(process) == machine_id and process.status() != psutil.STATUS_ZOMBIE
        except (psutil.Error, ValueError):
            return None
        return process if same else None


def _wait_for_variables(process: subprocess.Popen[bytes]) -> None:
    """Wait until the environment variables of a new process can be read. While its program is being loaded there are
    none, and the list of machines would leave it out."""
    until = time.monotonic() + LOAD_SECONDS
    with suppress(psutil.Error):  # it has ended already
        while process.poll() is None and time.monotonic() < until and not psutil.Process(process.pid).environ():
            time.sleep(0.001)


def pid_of(machine_id: str) -> int:
    """Return the process id in the id of a local machine."""
    return int(machine_id.rpartition("/")[2].partition("@")[0])
