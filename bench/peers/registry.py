"""All systems that are compared, each with the settings that its documentation recommends for speed."""

import sys
from pathlib import Path

from bench.peers.install import NODE, PYTHON
from bench.peers.peer import HERE, Command, Peer, Purpose, Sizes, each


def _python(name: str, program: str) -> Command:
    return [PYTHON, "-m", f"bench.peers.{name}.{program}"]


def _node(name: str, program: str) -> Command:
    return [NODE, HERE / name / f"{program}.mjs"]


CELERY: Command = [PYTHON, "-m", "celery", "-A", "bench.peers.celery.tasks", "-q", "worker", "--loglevel", "WARNING"]
CELERY += ["--without-gossip", "--without-mingle", "--without-heartbeat", "-n", "%%n-%%i-%i@%h"]
CELERY_ENDED = ("celery", "unacked")
DRAMATIQ: Command = [PYTHON, "-m", "dramatiq", "bench.peers.dramatiq.actors", "--threads", "8"]


def _tenuto(processes: int, _: Purpose) -> list[Command]:
    command: Command = [Path(sys.executable).parent / "tenuto", "worker", "bench.peers.tenuto.tasks:app"]
    return [command if processes == 1 else [*command, "--processes", str(processes)]]


TENUTO = Peer(
    "tenuto", "tenuto", "tenuto", "postgres", [sys.executable, "-m", "bench.peers.tenuto.sender"], _tenuto,
    "select not exists (select from tenuto.ready_tasks) and not exists (select from tenuto.running_tasks) "
    "and not exists (select from tenuto.pending_tasks) and not exists (select from tenuto.waiting_tasks)",
    Sizes(60_000, 500, 5_000, 1_000, 20, limited=2_000),
    "tenuto worker with default flags (two processes: --processes 2), @app.task async functions; start_many for bulk; "
    "limited: Limit(10, key=…) with 1,000 values of the key",
)  # fmt: skip

PEERS = (
    Peer(
        "graphile", "graphile-worker", "node", "postgres",
        _node("graphile", "sender"), each(_node("graphile", "worker")),
        "select not exists (select from graphile_worker._private_jobs)",
        Sizes(50_000, 500, 400),
        "concurrentJobs 100, localQueue.size 1000, completeJobBatchDelay 5, maxPoolSize 102; bulk: addJobs of 1,000; "
        "latency: concurrentJobs 10, no local queue; chain: the job adds the next one (no dependencies, no fan-in)",
    ),
    Peer(
        "pgqueuer", "pgqueuer", "python", "postgres",
        _python("pgqueuer", "sender"), each(_python("pgqueuer", "worker")),
        "select not exists (select from pgqueuer)",
        Sizes(30_000, 500, 300),
        "batch_size 500, asyncpg, uvloop; enqueue of lists of 1,000 for bulk; chain: the job enqueues the next one",
    ),
    Peer(
        "procrastinate", "procrastinate", "python", "postgres",
        _python("procrastinate", "sender"), each(_python("procrastinate", "worker")),
        "select not exists (select from procrastinate_jobs where status in ('todo', 'doing'))",
        Sizes(2_000, 250, 200),
        "concurrency 100, PsycopgConnector with 4 to 20 connections, uvloop; batch_defer_async of 1,000 for bulk; "
        "chain: the job defers the next one",
    ),
    Peer(
        "dbos", "dbos", "python", "postgres", _python("dbos", "sender"), each(_python("dbos", "worker")),
        "select not exists (select from dbos.workflow_status where status in ('ENQUEUED', 'PENDING'))",
        Sizes(1_500, 150, 300, 40, 1),
        "worker_concurrency 100, polling_interval_sec 0.05, pool of 50, async workflows; bulk: enqueue_in_transaction, "
        "500 a transaction; chain: a workflow of three steps; fan: a workflow that enqueues children and gathers them",
    ),
    Peer(
        "pgboss", "pg-boss", "node", "postgres", _node("pgboss", "sender"), each(_node("pgboss", "worker")),
        "select not exists (select from pgboss.job where state < 'completed')",
        Sizes(50_000, 500, 1_000, 200, 5),
        "batchSize 1000, localConcurrency 2, burstWhenBatchFull, pollingIntervalSeconds 0.5, useListenNotify, notify; "
        "insert of 1,000 for bulk; graphs: flow() with flowIntervalSeconds 1, its least",
    ),
    Peer(
        "celery", "celery", "python", "redis", _python("celery", "sender"), each([*CELERY, "--pool", "solo"]),
        CELERY_ENDED,
        Sizes(3_000, 500, 600, 60, 1),
        "solo pool, one command per process, prefetch multiplier 100, no gossip, mingle, heartbeat, events or remote "
        "control, results ignored except in chords; no bulk call",
        bulk=False,
    ),
    Peer(
        "celery-prefork", "celery", "python", "redis", _python("celery", "sender"),
        lambda processes, _: [[*CELERY, "--pool", "prefork", "--concurrency", str(processes)]],
        CELERY_ENDED,
        Sizes(3_000, 500, 600, 60, 1),
        "prefork pool with one child per process, else as celery",
        bulk=False,
    ),
    Peer(
        "dramatiq", "dramatiq", "python", "redis", _python("dramatiq", "sender"),
        lambda processes, _: [[*DRAMATIQ, "--processes", str(processes)]],
        ("dramatiq:default", "dramatiq:default.msgs"),
        Sizes(8_000, 500, 1_500, 200, 3),
        "8 threads a process, queue prefetch 1000; pipelines and groups with completion callbacks; no bulk call",
        bulk=False,
        environment=(("dramatiq_queue_prefetch", "1000"),),
    ),
)  # fmt: skip
