"""Starts and ends the machines of one pool through its provider, and compares the provider's list with the stored
rows."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from tenuto.db import maintenance, pools
from tenuto.db.connection.errors import Unreachable
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.json import Json, JsonObject
from tenuto.model.pools import MachineFacts, PoolPolicy, TakenPool
from tenuto.model.text import storable, storable_json
from tenuto.providers.base import Machine, MachineRequest, NoCapacity, Provider, ProviderError

CALL_SECONDS = 60.0  # maximum time of one call of a provider
MAX_CALLS = 8  # calls of one pool at the same time
RECONCILE_SECONDS = 15.0
QUICK_RECONCILE_SECONDS = 2.0  # for a provider whose list is complete and cheap
MAX_ERROR_CHARS = 4096
LIST_GRACE_SECONDS = 120.0  # for this time a new machine may be missing in the list

log = logging.getLogger("tenuto.pools")
T = TypeVar("T")


@dataclass
class Machines:
    """The machines of a pool. Methods return the errors of single machines. The error of one machine does not stop the
    work on the others."""

    db: ConnectionPool
    pool: TakenPool
    provider: Provider
    compared_at: float = 0.0
    calls: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_CALLS))

    async def spawn(self, policy: PoolPolicy, names: list[str]) -> list[Exception]:
        """Requests these machines from the provider. Their rows in the database exist already."""
        return await _all(self._spawn(policy, name) for name in names)

    async def _spawn(self, policy: PoolPolicy, name: str) -> None:
        try:
            machine_id, tier = await self._request(policy, name)
        except Exception as error:
            text = error_text(error)
            await self.db.call(pools.fail_spawn, org_id=self.pool.org_id, worker_id=name, error=text)
            raise
        known = False
        try:
            known = await self.db.call(
                pools.record_machine,
                org_id=self.pool.org_id,
                worker_id=name,
                provider_id=machine_id,
                metadata={"provider_id": machine_id, "tier": tier},
            )
        finally:
            if not known:  # given up meanwhile, or no database: a machine without a row must not run
                await self._call(self.provider.terminate(machine_id), f"terminating {machine_id}")

    async def _request(self, policy: PoolPolicy, name: str) -> tuple[str, int]:
        """Requests a machine of the first tier that has capacity, and returns its id and tier. Raises NoCapacity if no
        tier has any."""
        tiers: list[JsonObject] = policy.tiers or [{}]
        for tier, settings in enumerate(tiers):
            request = MachineRequest(
                name,
                self.pool.pool_id,
                self.pool.name,
                self.pool.org,
                {**policy.settings, **settings},
                policy.queues,
                policy.labels,
                policy.tasks_per_worker,
            )
            try:
                return await self._call(self.provider.spawn(request), "starting a machine"), tier
            except NoCapacity as error:
                if tier == len(tiers) - 1:
                    raise
                log.warning("pool %s: tier %d has no capacity (%s); trying the next", self.pool.name, tier, error)
        raise AssertionError("unreachable: the last tier returns or raises")

    async def end_failed(self, machines: list[MachineFacts]) -> list[Exception]:
        """Ends the machines whose workers have failed or ended. Stores diagnostics of a failed machine before it ends
        the machine."""
        over = [machine for machine in machines if machine.status in ("error", "terminated") and machine.provider_id]
        return await _all(self._end(machine, machine.provider_id or "") for machine in over)

    async def _end(self, machine: MachineFacts, machine_id: str, seen_at: datetime | None = None) -> None:
        """Ends a machine, unless its worker has sent a heartbeat in the meantime. `seen_at`: the time of the provider's
        list, if that list shows that the machine has ended."""
        org_id = self.pool.org_id
        if not machine_id.startswith(self.provider.id_prefix):
            # its lease and grace time are over, and this provider knows no such machine
            if machine.status == "terminated":
                await self.db.call(pools.end_machine, org_id=org_id, worker_id=machine.id)
            return
        found = None if machine.status == "terminated" else await self._diagnose(machine, machine_id)
        if not await self.db.call(
            pools.give_up_machine, org_id=org_id, worker_id=machine.id, seen_at=seen_at, diagnostics=found
        ):
            log.info("pool %s: worker %s is back: its machine is kept", self.pool.name, machine.id)
            return
        if await self._call(self.provider.terminate(machine_id), f"terminating {machine_id}"):
            await self.db.call(pools.end_machine, org_id=org_id, worker_id=machine.id)

    async def _diagnose(self, machine: MachineFacts, machine_id: str) -> JsonObject:
        facts: dict[str, Json] = {"status": machine.status, "running": machine.running, "error": machine.error}
        try:
            described = await self._call(self.provider.describe(machine_id), f"describing {machine_id}")
            facts["machine"] = storable_json(described)
        except ProviderError as error:  # the facts that are known without the provider are stored anyway
            facts["machine"] = {"problem": error_text(error)}
        return facts

    async def reconcile(self) -> list[Exception]:
        """Compares the provider's list with the rows in the database, every few seconds. Reads the list before the
        rows. A row is created before its machine, so a listed machine without a row belongs to no worker."""
        every = QUICK_RECONCILE_SECONDS if self.provider.lists_all else RECONCILE_SECONDS
        if time.monotonic() - self.compared_at < every:
            return []
        asked_at = await self.db.call(maintenance.now)  # a worker that sends a heartbeat after this time is alive
        listed = await self._call(self.provider.list_machines(self.pool.pool_id), "listing machines")
        self.compared_at = time.monotonic()
        facts = await self.db.call(pools.get_pool_facts, org_id=self.pool.org_id, pool_id=self.pool.pool_id)
        rows = {machine.id: machine for machine in facts.machines if not machine.external}
        by_name = {machine.name: machine for machine in listed}
        zombies = [machine for machine in listed if machine.name not in rows and machine.is_running]
        errors = await _all(self._end_zombie(machine) for machine in zombies)
        return errors + await _all(self._compare(row, by_name.get(row.id), asked_at) for row in rows.values())

    async def _end_zombie(self, machine: Machine) -> None:
        log.warning(
            "pool %s: machine %s (%s) belongs to no worker: ending it", self.pool.name, machine.id, machine.name
        )
        if not await self.db.call(pools.give_up_machine, org_id=self.pool.org_id, worker_id=machine.name):
            return  # its worker has registered meanwhile
        await self._call(self.provider.terminate(machine.id), f"terminating {machine.id}")

    async def _compare(self, row: MachineFacts, machine: Machine | None, asked_at: datetime) -> None:
        org_id = self.pool.org_id
        if machine is not None and row.provider_id is None:
            # The dispatcher that requested the machine died before it stored the id.
            metadata: JsonObject = {"provider_id": machine.id}
            await self.db.call(
                pools.record_machine, org_id=org_id, worker_id=row.id, provider_id=machine.id, metadata=metadata
            )
        if machine is not None and machine.is_running:
            return
        if row.status in ("error", "terminated"):
            if row.provider_id is None:
                await self.db.call(pools.end_machine, org_id=org_id, worker_id=row.id)
            return
        if row.provider_id is None or not row.provider_id.startswith(self.provider.id_prefix):
            return
        stopped = machine is not None or self.provider.lists_all
        # A registered worker counts as alive until its lease expires, because the provider's list may be out of date.
        missing = row.status == "starting" and row.age_seconds > LIST_GRACE_SECONDS
        if stopped or missing:
            log.warning("pool %s: machine %s of worker %s is gone", self.pool.name, row.provider_id, row.id)
            await self._end(row, row.provider_id, asked_at)

    async def _call(self, call: Awaitable[T], what: str) -> T:
        """Awaits a call of the provider, with a timeout and at most MAX_CALLS at a time. Raises ProviderError after the
        timeout."""
        async with self.calls:
            try:
                async with asyncio.timeout(CALL_SECONDS):
                    return await call
            except TimeoutError:
                raise ProviderError(f"{what} took longer than {CALL_SECONDS:.15g} s") from None


def error_text(error: Exception) -> str:
    """Return the error of a provider as text that can be stored and shown."""
    return storable(str(error).strip() or type(error).__name__, MAX_ERROR_CHARS)


async def _all(works: Iterable[Awaitable[None]]) -> list[Exception]:
    """Awaits all `works` and returns their errors. If one of the errors is an outage of the database, raises it."""
    results = await asyncio.gather(*works, return_exceptions=True)
    errors = [result for result in results if isinstance(result, Exception)]
    for error in errors:
        if isinstance(error, Unreachable):
            raise error
    return errors
