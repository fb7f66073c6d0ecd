"""The session of this process, as its lanes and ports know it: a new one is opened when the old one ended."""

import threading
from dataclasses import dataclass, field
from uuid import UUID

from tenuto.worker.supervisor.outage_log import OutageLog


@dataclass
class WorkerSession:
    """`open` is set while there is a session to work under."""

    id: int = 0
    token: str = str(UUID(int=0))
    open: threading.Event = field(default_factory=threading.Event)
    absence: OutageLog = field(default_factory=OutageLog)  # of whoever grants it

    def opened(self, session_id: int, token: UUID) -> None:
        self.id, self.token = session_id, str(token)
        self.open.set()
