"""The interface of providers: they start, list, describe and end machines, each of which runs one `tenuto worker`."""

from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from tenuto.model.json import Json, JsonObject

MAX_MACHINES = 100  # of one provider, unless the file of providers sets another bound


class ProviderError(Exception):
    """A provider refused a request or did not respond; the message says why."""


class NoCapacity(ProviderError):
    """The provider has no machine with these settings now. There may be one with the settings of the next tier."""


@dataclass(frozen=True)
class MachineRequest:
    """A machine to start. `name` is the id of its worker; `settings`: the settings of the pool and of one of its tiers,
    which are tried one after the other."""

    name: str
    pool_id: UUID
    pool: str
    org: str
    settings: JsonObject = field(default_factory=dict[str, Json])
    queues: list[str] | None = None
    labels: list[str] = field(default_factory=list[str])
    tasks_per_worker: int = 1

    def environment(self) -> dict[str, str]:
        """Return the environment variables of `tenuto worker` on that machine: its org, name and pool, its queues and
        labels, and how many tasks it runs at a time."""
        return {
            "TENUTO_ORG": self.org,
            "TENUTO_MACHINE": self.name,
            "TENUTO_POOL": self.pool,
            "TENUTO_POOL_ID": str(self.pool_id),
            "TENUTO_CONCURRENCY": str(self.tasks_per_worker),
            **({"TENUTO_QUEUES": ",".join(self.queues)} if self.queues else {}),
            **({"TENUTO_LABELS": ",".join(self.labels)} if self.labels else {}),
        }


@dataclass(frozen=True)
class Machine:
    """A machine as its provider lists it. `is_running`: False if the provider says that the machine has stopped."""

    id: str
    name: str
    is_running: bool = True


class Provider(Protocol):
    """Starts machines for pools. The caller limits the time of each call. Several calls can run at the same time. A
    call that fails raises ProviderError."""

    lists_all: bool
    """True if `list_machines` returns all machines that run. If False, a new machine may be missing from the list for a
    while."""

    max_machines: int
    """Maximum number of machines that all pools of an org together may run with this provider."""

    id_prefix: str
    """The prefix of the ids of the machines that this process can list and end. It is empty if the process can reach
    every machine. Otherwise it is the name of the host and `/`."""

    async def spawn(self, request: MachineRequest) -> str:
        """Request a machine and return the id that the provider gives it."""
        ...

    async def list_machines(self, pool_id: UUID) -> list[Machine]:
        """Return the machines that were requested for a pool and have not been deleted."""
        ...

    async def describe(self, machine_id: str) -> JsonObject:
        """Return what is known about a machine, for the diagnosis of its failure."""
        ...

    async def terminate(self, machine_id: str) -> bool:
        """End a machine. It is not an error if the machine is already gone. The method must return quickly. It returns
        False if the machine has not ended yet; the caller then calls it again later."""
        ...

    async def close(self) -> None:
        """Release the resources that the provider holds in this process."""
        ...
