"""Pools: groups of workers with one scaling policy, their machines, and the decisions about their size."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json, JsonObject
from tenuto.model.statuses import WorkerStatusName


@dataclass(frozen=True)
class PoolPolicy:
    """How large a pool is, and when it grows and shrinks."""

    name: str
    provider: str
    min_workers: int = 0
    max_workers: int = 1
    spare_workers: int = 0  # idle workers kept ready while others are busy
    tasks_per_worker: int = 1
    scale_up_multiplier: float = 1.0
    scale_down_multiplier: float = 1.0
    idle_timeout_seconds: float = 300.0  # how long the last worker of a pool stays without work
    over_capacity_timeout_seconds: float = 30.0  # how long an idle worker stays in a pool with too many workers
    scale_down_grace_seconds: float = 60.0  # the minimum time between two scale-downs
    starting_grace_seconds: float = 180.0  # how long a surplus machine may start before it is ended
    max_failure_rate: float = 0.8  # above this share of failed machines within the window, none is requested
    min_spawns_for_rate: int = 5
    queues: list[str] | None = None
    labels: list[str] = field(default_factory=list[str])
    settings: JsonObject = field(default_factory=dict[str, Json])  # for the provider
    tiers: list[JsonObject] = field(default_factory=list[JsonObject])  # settings to try one after the other


@dataclass(frozen=True)
class MachineFacts:
    """A machine of a pool that has not ended, and what its worker does."""

    id: str
    status: WorkerStatusName  # starting, active, draining, error, terminated
    provider_id: str | None
    running: int
    idle_seconds: float | None  # None: the machine runs tasks, or is not active
    age_seconds: float
    has_registered: bool
    external: bool  # a worker of the pool that no provider started
    error: str | None = None


@dataclass(frozen=True)
class PoolFacts:
    """The facts for a decision about the size of a pool. `registered` and `failed`: how many of the last machines
    started, and how many failed to start."""

    policy: PoolPolicy
    machines: list[MachineFacts]
    ready: int
    decision_no: int = 0
    paused: bool = False
    registered: int = 0
    failed: int = 0
    last_failed: bool = False  # whether the last machine failed, even if that was long ago
    scaled_down_seconds: float | None = None
    last_ready: int | None = None
    provider_machines: int = 0  # how many machines its provider runs for all pools of the org
    requested: int = 0  # machines requested by hand that no decision has started yet


@dataclass(frozen=True)
class TakenPool:
    """A pool that this dispatcher controls."""

    org_id: UUID
    pool_id: UUID
    name: str
    provider: str
    org: str  # the slug of the org


@dataclass(frozen=True)
class PoolStatus:
    """A pool: its policy, its machines by status, its last decision and its last `problem`. `ready`: how many ready
    tasks its workers could claim. `controlled`: a dispatcher that has its provider is alive."""

    name: str
    provider: str
    min_workers: int
    max_workers: int
    spare_workers: int
    tasks_per_worker: int
    queues: list[str] | None
    types: list[str] | None
    labels: list[str]
    scale_up_multiplier: float
    scale_down_multiplier: float
    idle_timeout_seconds: float
    over_capacity_timeout_seconds: float
    scale_down_grace_seconds: float
    starting_grace_seconds: float
    spawn_timeout_seconds: float
    max_failure_rate: float
    failure_window_seconds: float
    min_spawns_for_rate: int
    settings: JsonObject
    tiers: list[JsonObject]
    paused_at: datetime | None
    created_at: datetime
    starting: int
    active: int
    busy: int
    draining: int
    error: int
    external: int
    running: int
    ready: int
    wanted: int | None
    reason: str | None
    decided_at: datetime | None
    problem: str | None
    problem_at: datetime | None
    controlled: bool
    id: UUID


@dataclass(frozen=True)
class PoolMachine:
    """A machine of a pool that has not ended."""

    id: str
    status: WorkerStatusName
    provider_id: str | None
    running: int
    idle_seconds: float | None
    created_at: datetime
    has_registered: bool
    external: bool
    error: str | None


@dataclass(frozen=True)
class ScalingDecision:
    """A decision about the size of a pool. `facts`: the numbers on which it is based, and what it did. `workers`: how
    many workers the pool had before."""

    id: UUID
    decided_at: datetime
    workers: int
    wanted: int
    reason: str
    facts: JsonObject
