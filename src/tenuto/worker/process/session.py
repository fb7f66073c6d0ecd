"""Holds the current session of a worker process, which claimers and attempts share."""

import threading
from dataclasses import dataclass, field
from uuid import UUID

from tenuto.model.workers import Session
from tenuto.worker.supervisor.outage_log import OutageLog

NO_SESSION = Session(0, UUID(int=0))


@dataclass
class WorkerSession:
    """The current session, shared by claimers and attempt APIs; `open` is set while the session is valid. When a
    session ends, a new one is opened."""

    current: Session = NO_SESSION
    id: int = 0
    token: str = str(NO_SESSION.token)
    open: threading.Event = field(default_factory=threading.Event)
    outage_log: OutageLog = field(default_factory=OutageLog)  # logs outages of the backend

    def opened(self, session: Session) -> None:
        self.current, self.id, self.token = session, session.session_id, str(session.token)
        self.open.set()
