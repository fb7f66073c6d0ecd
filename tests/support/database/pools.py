"""Arranges pools and decides about them as a dispatcher does, with the clock of a test."""

from typing import Any
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from tenuto.db.connection.call import call_sync
from tenuto.dispatcher.fleet.decide import Decision, decide
from tenuto.model.pools import PoolFacts
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call

DISPATCHER = uuid4()


def a_pool(db: Db, name: str = "gpu", *, dispatcher: UUID = DISPATCHER, **policy: Any) -> UUID:
    """A pool that this dispatcher controls."""
    policy = {"provider": "local", "max_workers": 4, **policy}
    pool_id = call(db, "set_pool", org_id=DEFAULT_ORG, name=name, policy=Jsonb(policy))
    take_pools(db, dispatcher)
    return pool_id


def take_pools(db: Db, dispatcher: UUID = DISPATCHER, *providers: str) -> list[str]:
    rows = call_sync(db, "take_pools", dispatcher_id=dispatcher, providers=list(providers) or ["local"])
    return [row["name"] for row in rows]


def pool_facts(db: Db, pool_id: UUID) -> PoolFacts:
    (row,) = call_sync(db, "get_pool_facts", org_id=DEFAULT_ORG, pool_id=pool_id)
    return TypeAdapter(PoolFacts).validate_python(row)


def carry_out(db: Db, pool_id: UUID, facts: PoolFacts, decision: Decision, **more: Any) -> bool:
    """Write a decision down; machines are m1, m2 … in the order of their requests."""
    known = len(db.execute("select from tenuto.workers").fetchall())
    values = {
        "dispatcher_id": DISPATCHER,
        "expected": facts.decision_no,
        "workers": decision.workers,
        "wanted": decision.wanted,
        "reason": decision.reason,
        "facts": Jsonb(decision.facts(facts)),
        "spawn": [f"m{known + no + 1}" for no in range(decision.spawn)],
        "drain": decision.drain,
        "cancel": decision.cancel,
        "busy": decision.busy,
        "requested": decision.requested,
    }
    return call(db, "decide_pool", org_id=DEFAULT_ORG, pool_id=pool_id, **{**values, **more})


def scale(db: Db, pool_id: UUID) -> Decision:
    """One cycle: read the facts, decide, write."""
    facts = pool_facts(db, pool_id)
    decision = decide(facts)
    assert carry_out(db, pool_id, facts, decision)
    return decision


def registers(db: Db, machine: str, no: int = 1) -> Worker:
    """The worker of a machine speaks for the first time, or one of its other processes."""
    name = machine if no == 1 else f"{machine}:{no}"
    return a_worker(db, name, metadata={"machine": machine, "pool": "gpu"})


def machines(db: Db) -> dict[str, str]:
    return dict(db.execute("select id, status from tenuto.workers order by created_at, id").fetchall())


def decisions(db: Db, name: str = "gpu") -> list[dict[str, Any]]:
    return call_sync(db, "list_scaling_decisions", org_id=DEFAULT_ORG, name=name)
