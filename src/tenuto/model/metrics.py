"""Prometheus metrics: one registry for every kind of process."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

REGISTRY = CollectorRegistry()

LOOP_TURNS = Counter("tenuto_loop_turns", "How often a dispatcher loop ran.", ["loop"], registry=REGISTRY)
LOOP_ROWS = Counter("tenuto_loop_rows", "Rows that a dispatcher loop processed.", ["loop"], registry=REGISTRY)
LOOP_ERRORS = Counter("tenuto_loop_errors", "How often a dispatcher loop failed.", ["loop"], registry=REGISTRY)
PARKED_ROWS = Gauge("tenuto_parked_rows", "Rows on which a dispatcher loop failed.", ["loop"], registry=REGISTRY)
LOOP_SECONDS = Histogram("tenuto_loop_seconds", "Seconds per turn of a dispatcher loop.", ["loop"], registry=REGISTRY)

# Values of the process's org, refreshed every few seconds; counts are capped (sql/monitoring/overview.sql).
TASKS_OPEN = Gauge("tenuto_tasks_open", "Tasks that have not ended, by state.", ["state"], registry=REGISTRY)
OLDEST_READY = Gauge("tenuto_oldest_ready_seconds", "Seconds that the oldest ready task has waited.", registry=REGISTRY)
WORKERS = Gauge("tenuto_workers", "Workers that have not ended, by status.", ["status"], registry=REGISTRY)
OUTBOX = Gauge("tenuto_outbox", "Side effects that are pending or dead.", ["status"], registry=REGISTRY)

TASKS_ENDED = Counter(
    "tenuto_tasks_ended", "Attempts that ended in this process.", ["type", "outcome"], registry=REGISTRY
)
TASK_SECONDS = Counter(
    "tenuto_task_seconds", "Seconds that attempts ran in this process.", ["type", "outcome"], registry=REGISTRY
)

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


def serve_metrics(port: int, address: str = "0.0.0.0") -> int:  # noqa: S104 - scraped from other machines
    """Serve /metrics from a thread; returns the port (pass 0 for any free port)."""
    server, _ = start_http_server(port, address, registry=REGISTRY)
    return server.server_port
