"""Runs DBOS workflows."""

import signal

from dbos import DBOS

from bench.peers.dbos.workflows import CONFIG, PARENTS, QUEUE

DBOS(config=CONFIG)
DBOS.launch()
for name in (QUEUE, PARENTS):
    DBOS.register_queue(name, worker_concurrency=100, polling_interval_sec=0.05)
signal.sigwait([signal.SIGTERM])
DBOS.destroy()
