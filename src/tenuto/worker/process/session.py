"""The session of this process, shared by claimers and attempt APIs. A new one is opened when it ends."""

import threading
from dataclasses import dataclass, field
from uuid import UUID

from tenuto.model.workers import Session
from tenuto.worker.supervisor.outage_log import OutageLog


@dataclass
class WorkerSession:
    """The current session; `open` is set while it is valid."""

    id: int = 0
    token: str = str(UUID(int=0))
    open: threading.Event = field(default_factory=threading.Event)
    outage_log: OutageLog = field(default_factory=OutageLog)  # logs outages of the backend

    def opened(self, session: Session) -> None:
        self.id, self.token = session.session_id, str(session.token)
        self.open.set()

    @property
    def current(self) -> Session:
        return Session(self.id, UUID(self.token))
