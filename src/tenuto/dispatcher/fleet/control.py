"""Controls pools, each in its own asyncio task, so that a provider that hangs or fails delays no other pool."""

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from tenuto.db import pools
from tenuto.db.connection.errors import Unreachable
from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.fleet.decide import Decision, decide
from tenuto.dispatcher.fleet.machines import Machines, error_text
from tenuto.model.backoff import Backoff
from tenuto.model.metrics import POOL_ERRORS
from tenuto.model.pools import PoolFacts, TakenPool
from tenuto.providers.base import Provider, ProviderError

MAX_PAUSE_SECONDS = 60.0  # the longest pause after failures of a provider
LATE_SECONDS = 30.0  # a cycle that takes longer is recorded as a problem of the pool
SHUTDOWN_SECONDS = 3.0

log = logging.getLogger("tenuto.pools")


@dataclass
class PoolState:
    """A pool that this dispatcher controls, and the cycle that runs for it now."""

    pool: TakenPool
    machines: Machines
    backoff: Backoff = field(default_factory=lambda: Backoff(MAX_PAUSE_SECONDS, first=1.0))
    rests_until: float = 0.0
    work: asyncio.Task[None] | None = None
    began_at: float = 0.0
    is_late: bool = False
    problem: str | None = None


class Fleet:
    """Controls the pools of one org (None: of all orgs), if this dispatcher has their provider. It does not control
    pools of other orgs, because the owner of the provider pays for the machines."""

    def __init__(
        self,
        pool: ConnectionPool,
        dispatcher_id: UUID,
        providers: Mapping[str, Provider],
        org_id: UUID | None = None,
        installation: str | None = None,
        store: str | None = None,
    ) -> None:
        self._pool, self._id, self._providers, self._org_id = pool, dispatcher_id, providers, org_id
        self._installation, self._store = installation, store  # TENUTO_INSTALLATION and the URI of the object store
        self._states: dict[UUID, PoolState] = {}

    async def step(self) -> int:
        """Begins a cycle for each pool that this dispatcher controls, unless a cycle of this pool is running or the
        pool pauses after a failure. Always returns 0."""
        providers = list(self._providers)
        taken = await self._pool.call(
            pools.take_pools,
            dispatcher_id=self._id,
            providers=providers,
            org_id=self._org_id,
            installation=self._installation,
            store=self._store,
        )
        now = time.monotonic()
        mine = {pool.pool_id for pool in taken}
        self._states = {id: state for id, state in self._states.items() if id in mine or state.work}
        for pool in taken:
            state = self._states.get(pool.pool_id)
            if state is None or state.pool.provider != pool.provider:
                machines = Machines(self._pool, pool, self._providers[pool.provider])
                state = self._states[pool.pool_id] = PoolState(pool, machines)
            if state.work is not None and not state.work.done():
                await self._check_time(state, now)
            elif now >= state.rests_until:
                state.began_at, state.is_late = now, False
                state.work = asyncio.create_task(self._run(state), name=f"pool {pool.name}")
        return 0

    async def close(self) -> None:
        """Stops all cycles, then closes the providers."""
        running = [state.work for state in self._states.values() if state.work is not None]
        for work in running:
            work.cancel()
        if running:
            await asyncio.wait(running, timeout=SHUTDOWN_SECONDS)
        for provider in set(self._providers.values()):
            await provider.close()

    async def _check_time(self, state: PoolState, now: float) -> None:
        if now - state.began_at > LATE_SECONDS and not state.is_late:
            state.is_late = True
            await self._note(state, f"provider {state.pool.provider} has not responded for {LATE_SECONDS:.15g} s")

    async def _run(self, state: PoolState) -> None:
        try:
            decision = await self._cycle(state)
        except Unreachable as error:
            log.warning("pool %s: the database is not reachable (%s)", state.pool.name, error)
            state.rests_until = time.monotonic() + state.backoff.after(error)
        except Exception as error:  # an error of a provider, or of a row of this pool, must not stop the other pools
            text = error_text(error)
            state.rests_until = time.monotonic() + state.backoff.after(error)
            await self._note(state, text)
        else:
            state.backoff.reset()
            if decision.rule != "brake":  # the brake requests no machines, so it is unknown whether the provider works
                await self._note(state, None)

    async def _note(self, state: PoolState, problem: str | None) -> None:
        """Records a problem of the pool, or that there is none any more. An outage of the database is only logged."""
        if problem:
            POOL_ERRORS.labels(state.pool.name).inc()
            log.warning("pool %s: %s", state.pool.name, problem)
        elif state.problem:
            log.info("pool %s works again", state.pool.name)
        if problem != state.problem or problem:
            state.problem = problem
            pool = state.pool
            try:
                await self._pool.call(
                    pools.note_pool_problem, org_id=pool.org_id, pool_id=pool.pool_id, problem=problem
                )
            except Unreachable as error:
                log.warning("pool %s: the problem could not be recorded (%s)", pool.name, error)

    async def _cycle(self, state: PoolState) -> Decision:
        """Compares the machines with the provider's list, reads the facts, decides, writes the decision and then
        carries it out."""
        pool, machines = state.pool, state.machines
        errors: list[Exception] = []
        try:
            errors += await machines.reconcile()
        except ProviderError as error:  # the provider may start machines even if it cannot list them
            errors.append(error)
        facts = await self._pool.call(pools.get_pool_facts, org_id=pool.org_id, pool_id=pool.pool_id)
        decision = decide(facts, machines.provider.max_machines)
        names = [_new_name(pool.name) for _ in range(decision.spawn)]
        if await self._write(state, facts, decision, names):
            _log_decision(pool.name, decision)
            errors += await machines.spawn(facts.policy, names)
        errors += await machines.end_failed(facts.machines)
        if errors:
            raise errors[0]
        return decision

    async def _write(self, state: PoolState, facts: PoolFacts, decision: Decision, names: list[str]) -> bool:
        pool = state.pool
        return await self._pool.call(
            pools.decide_pool,
            org_id=pool.org_id,
            pool_id=pool.pool_id,
            dispatcher_id=self._id,
            expected=facts.decision_no,
            workers=decision.workers,
            wanted=decision.wanted,
            reason=decision.reason,
            facts=decision.facts(facts),
            spawn=names,
            drain=decision.drain,
            cancel=decision.cancel,
            busy=decision.busy,
            max_machines=state.machines.provider.max_machines,
            requested=decision.requested,
        )


def _new_name(pool: str) -> str:
    """Return the id of a new worker. It is unique, sorts by time, and has only characters that every provider
    accepts."""
    word = re.sub(r"[^A-Za-z0-9_.-]", "-", pool)[:64]
    return f"{word}-{time.strftime('%Y%m%d_%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"


def _log_decision(pool: str, decision: Decision) -> None:
    gone = len(decision.drain) + len(decision.cancel)
    if decision.spawn or gone:
        after = decision.workers + decision.spawn - gone
        log.info("pool %s: %d -> %d workers: %s", pool, decision.workers, after, decision.reason)
    for anomaly in decision.anomalies:
        log.warning("pool %s: %s", pool, anomaly)
