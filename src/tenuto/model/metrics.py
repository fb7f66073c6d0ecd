"""Prometheus metrics: one registry for every kind of process."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector

from tenuto.model.metric_labels import BUCKETS, OTHER

REGISTRY = CollectorRegistry()

# How many queues and types a process shows by name. All others are counted together as OTHER.
MAX_QUEUES, MAX_TYPES = 100, 200


class TaskHistogram(Collector):
    """A histogram by queue and type. It can add the counts of many observations at once, which the library's Histogram
    cannot."""

    # same names as in the library's metrics: the reference page reads them
    _type, _labelnames = "histogram", ("queue", "type")

    def __init__(self, name: str, documentation: str) -> None:
        self._name, self._documentation = name, documentation
        self._counts: dict[tuple[str, str], list[float]] = {}  # a count per bucket, and the sum of the values
        REGISTRY.register(self)

    def add(self, queue: str, type: str, counts: Sequence[float], total: float) -> None:
        """Add observations: their number in each bucket (the last bucket has no bound), and the sum of their values."""
        held = self._counts.setdefault(_limit_types(queue, type, self._counts), [0.0] * (len(BUCKETS) + 2))
        for number, count in enumerate(counts):
            held[number] += count
        held[-1] += total

    def observe(self, queue: str, type: str, value: float) -> None:
        """Add one observation."""
        bucket = bisect_left(BUCKETS, value)
        self.add(queue, type, [float(number == bucket) for number in range(len(BUCKETS) + 1)], value)

    def describe(self) -> Iterator[HistogramMetricFamily]:
        yield HistogramMetricFamily(self._name, self._documentation, labels=self._labelnames)

    def collect(self) -> Iterator[HistogramMetricFamily]:
        family = HistogramMetricFamily(self._name, self._documentation, labels=self._labelnames)
        for labels, held in list(self._counts.items()):
            bounds = [*map(str, BUCKETS), "+Inf"]
            family.add_metric(labels, list(zip(bounds, accumulate(held[:-1]), strict=True)), held[-1])
        yield family


def _limit_types(queue: str, type: str, known: Collection[tuple[str, str]]) -> tuple[str, str]:
    return (queue, type) if (queue, type) in known or len(known) < MAX_TYPES else (OTHER, OTHER)


LOOP_TURNS = Counter("tenuto_loop_turns", "How often a dispatcher loop ran.", ["loop"], registry=REGISTRY)
LOOP_ROWS = Counter("tenuto_loop_rows", "Rows that a dispatcher loop processed.", ["loop"], registry=REGISTRY)
LOOP_ERRORS = Counter("tenuto_loop_errors", "How often a dispatcher loop failed.", ["loop"], registry=REGISTRY)
DATABASE_COPY = Gauge(
    "tenuto_database_copy", "1 while the database is a copy that is not adopted, so that nothing runs.",
    registry=REGISTRY,
)  # fmt: skip
PARKED_ROWS = Gauge("tenuto_parked_rows", "Rows on which a dispatcher loop failed.", ["loop"], registry=REGISTRY)
EFFECTS = Counter(
    "tenuto_effects", "Side effects that this process handled: done, failed or dead.", ["kind", "result"],
    registry=REGISTRY,
)  # fmt: skip
LOOP_SECONDS = Histogram("tenuto_loop_seconds", "Seconds per turn of a dispatcher loop.", ["loop"], registry=REGISTRY)

# Values of the process's org, refreshed every few seconds. Counts have a maximum (orchestrator_status).
QUEUE_TASKS = Gauge(
    "tenuto_queue_tasks", "Tasks of a queue that have not ended, by state.", ["queue", "state"], registry=REGISTRY
)
UNSERVED_TASKS = Gauge(
    "tenuto_unserved_tasks", "Queued tasks that no worker alive can take.", ["queue", "type"], registry=REGISTRY
)
TASKS_OPEN = Gauge("tenuto_tasks_open", "Tasks that have not ended, by state.", ["state"], registry=REGISTRY)
TASKS_BLOCKED = Gauge(
    "tenuto_tasks_blocked", "Tasks whose code changed and that wait for a worker with other code.", registry=REGISTRY
)
OLDEST_READY = Gauge(
    "tenuto_oldest_ready_seconds", "Seconds that the oldest ready task has waited.", ["queue"], registry=REGISTRY
)
QUEUE_SECONDS = TaskHistogram(
    "tenuto_task_queue_seconds", "Seconds from ready to started, of a sample of attempts that ended."
)
WORKERS = Gauge("tenuto_workers", "Workers that have not ended, by status.", ["status"], registry=REGISTRY)
WORKER_HEALTH = Gauge(
    "tenuto_worker_health", "Workers that are not terminated, by health.", ["health"], registry=REGISTRY
)
STUCK_TASKS = Gauge("tenuto_stuck_tasks", "Tasks that have run for too long, by the health rules.", registry=REGISTRY)
TASKS_FINISHED = Gauge(
    "tenuto_tasks_finished", "Tasks that have ended since the first rollup, by status.", ["status"], registry=REGISTRY
)
ROLLUP_AGE = Gauge(
    "tenuto_rollup_age_seconds", "Seconds since the time up to which ended tasks are counted.", registry=REGISTRY
)
TYPE_TASKS = Gauge(
    "tenuto_type_tasks", "Tasks of the types with most to do: queued and running.", ["type", "state"], registry=REGISTRY
)
TYPE_OLDEST = Gauge(
    "tenuto_type_oldest_queued_seconds", "How long the first queued task of a type waits.", ["type"], registry=REGISTRY
)
TYPE_ERROR_RATE = Gauge(
    "tenuto_type_error_rate_percent",
    "Attempts of a type that failed or were lost within 24 hours, of all that ended.",
    ["type"],
    registry=REGISTRY,
)
TYPE_RUN_SECONDS = Gauge(
    "tenuto_type_run_seconds",
    "Run times of a type within 24 hours, by quantile.",
    ["type", "quantile"],
    registry=REGISTRY,
)
POOL_WORKERS = Gauge("tenuto_pool_workers", "Machines of each pool, by status.", ["pool", "status"], registry=REGISTRY)
POOL_WANTED = Gauge("tenuto_pool_wanted_workers", "Workers that each pool needs.", ["pool"], registry=REGISTRY)
POOL_READY = Gauge(
    "tenuto_pool_ready_tasks", "Ready tasks that the workers of each pool could take.", ["pool"], registry=REGISTRY
)
POOL_PROBLEM = Gauge("tenuto_pool_problem", "1 while the provider of a pool fails.", ["pool"], registry=REGISTRY)
POOL_ERRORS = Counter("tenuto_pool_errors", "How often the provider of a pool failed.", ["pool"], registry=REGISTRY)
OUTBOX = Gauge("tenuto_outbox", "Side effects that are pending or dead.", ["status"], registry=REGISTRY)

TASKS_ENDED = Counter(
    "tenuto_tasks_ended", "Attempts that ended in this process.", ["queue", "type", "outcome"], registry=REGISTRY
)
RUN_SECONDS = TaskHistogram("tenuto_task_run_seconds", "Seconds that attempts ran in this process.")
_ended: set[tuple[str, str]] = set()


def count_ended(queue: str, type: str, outcome: str, counts: Sequence[float], seconds: float) -> None:
    """Add ended attempts: their number in each bucket of run times, and the sum of their run times in seconds."""
    labels = _limit_types(queue, type, _ended)
    _ended.add(labels)
    TASKS_ENDED.labels(*labels, outcome).inc(sum(counts))
    RUN_SECONDS.add(*labels, counts, seconds)


# Metrics that the API serves: API keys of any org can read them, so no label may identify an org.
HTTP_REGISTRY = CollectorRegistry()
HTTP_REQUESTS = Counter(
    "tenuto_http_requests", "Requests served by this process.", ["method", "route", "status"], registry=HTTP_REGISTRY
)
HTTP_SECONDS = Histogram("tenuto_http_seconds", "Seconds per request.", ["route"], registry=HTTP_REGISTRY)
REGISTRY.register(HTTP_REQUESTS)
REGISTRY.register(HTTP_SECONDS)

PART_RESTARTS = Counter(
    "tenuto_part_restarts", "How often a part of the process died and was restarted.", ["part"], registry=HTTP_REGISTRY
)
REGISTRY.register(PART_RESTARTS)


def serve_metrics(port: int, address: str = "127.0.0.1") -> int:
    """Serves /metrics from a thread and returns the port. Pass 0 for any free port."""
    server, _ = start_http_server(port, address, registry=REGISTRY)
    return server.server_port
