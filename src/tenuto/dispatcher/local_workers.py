"""Finds workers of this host whose processes have ended without closing their session, as after kill -9."""

import logging
import time
from math import inf

from tenuto.db import workers
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.json import Json
from tenuto.runtimes.local_processes import has_ended, this_host

LIST_EVERY_SECONDS = 5.0  # the processes of listed sessions are looked at more often, without a query

log = logging.getLogger("tenuto.dispatcher")


class LocalWorkers:
    """The open sessions on this host, and when they were listed."""

    def __init__(self) -> None:
        self._processes: dict[int, Json] = {}  # by session
        self._listed_at = -inf

    async def end_leases(self, pool: ConnectionPool) -> int:
        """End the leases of the sessions whose processes have all ended; return how many."""
        host = this_host()
        if host is None:
            return 0
        now = time.monotonic()
        if now - self._listed_at >= LIST_EVERY_SECONDS:
            listed = await pool.call(workers.list_local_sessions, host=host)
            self._processes = {session.id: session.processes for session in listed}
            self._listed_at = now
        gone = [id for id, processes in self._processes.items() if _have_ended(processes)]
        if not gone:
            return 0
        ended = await pool.call(workers.end_leases, host=host, session_ids=gone)
        for id in gone:  # one that was locked is listed again
            del self._processes[id]
        if ended:
            log.warning("worker processes that ended without closing their session: %d", ended)
        return ended


def _have_ended(processes: Json) -> bool:
    return isinstance(processes, list) and bool(processes) and all(map(has_ended, processes))
