"""Prometheus metrics: one registry for every kind of process."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

REGISTRY = CollectorRegistry()

LOOP_TURNS = Counter("tenuto_loop_turns", "Times a loop of the dispatcher ran.", ["loop"], registry=REGISTRY)
LOOP_ROWS = Counter("tenuto_loop_rows", "Rows that a loop of the dispatcher moved.", ["loop"], registry=REGISTRY)
LOOP_ERRORS = Counter("tenuto_loop_errors", "Times a loop of the dispatcher failed.", ["loop"], registry=REGISTRY)
PARKED_ROWS = Gauge("tenuto_parked_rows", "Rows that a loop could not work on.", ["loop"], registry=REGISTRY)
LOOP_SECONDS = Histogram("tenuto_loop_seconds", "How long one turn of a loop took.", ["loop"], registry=REGISTRY)

# Values of the process's org, refreshed every few seconds; counts are capped (sql/monitoring/overview.sql).
TASKS_OPEN = Gauge("tenuto_tasks_open", "Tasks that have not ended, by where they stand.", ["state"], registry=REGISTRY)
OLDEST_READY = Gauge("tenuto_oldest_ready_seconds", "How long the oldest task has been ready.", registry=REGISTRY)
WORKERS = Gauge("tenuto_workers", "Workers that have not ended, by status.", ["status"], registry=REGISTRY)
OUTBOX = Gauge("tenuto_outbox", "Side effects that wait or were given up.", ["status"], registry=REGISTRY)

TASKS_ENDED = Counter("tenuto_tasks_ended", "Attempts that ended here.", ["type", "outcome"], registry=REGISTRY)
TASK_SECONDS = Counter("tenuto_task_seconds", "Time that attempts ran here.", ["type", "outcome"], registry=REGISTRY)

# Metrics that the API serves: API keys of any org can read them, so no label may identify an org.
HTTP_REGISTRY = CollectorRegistry()
HTTP_REQUESTS = Counter(
    "tenuto_http_requests", "Requests answered here.", ["method", "route", "status"], registry=HTTP_REGISTRY
)
HTTP_SECONDS = Histogram("tenuto_http_seconds", "How long a request took.", ["route"], registry=HTTP_REGISTRY)
REGISTRY.register(HTTP_REQUESTS)
REGISTRY.register(HTTP_SECONDS)

PART_RESTARTS = Counter(
    "tenuto_part_restarts", "Times a part of a process died and was started again.", ["part"], registry=HTTP_REGISTRY
)
REGISTRY.register(PART_RESTARTS)


def serve_metrics(port: int, address: str = "0.0.0.0") -> int:  # noqa: S104 - scraped from other machines
    """Serve /metrics from a thread; returns the port (pass 0 for any free port)."""
    server, _ = start_http_server(port, address, registry=REGISTRY)
    return server.server_port
