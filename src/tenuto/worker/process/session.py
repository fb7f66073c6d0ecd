"""The session of this process, and the attempts that it holds."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from tenuto.model.workers import Session
from tenuto.worker.supervisor.crash_ledger import CrashLedger
from tenuto.worker.supervisor.outage_log import OutageLog

Fence = tuple[str, int]  # task, attempt


@dataclass
class WorkerSession:
    """The current session, shared by claimers and attempt APIs; `open` is set while it is valid. A new one is opened
    when it ends."""

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


@dataclass(frozen=True)
class HeldSnapshot:
    """The content of a heartbeat: the attempts held; every claim up to `settled` has got a response or was given up.
    `given_up`: attempts of claims up to this number may be ours in the database and not in the list."""

    ids: list[str]
    attempts: list[int]
    settled: int
    given_up: int


class HeldAttempts:
    """Tracks attempts from the response to their claim to the response to their report. Shared by claimer threads and
    the heartbeat. The attempts of a claim are added in the same step that settles it."""

    def __init__(self, ledger: CrashLedger | None = None) -> None:
        self._ledger = ledger  # None: nothing is supervised
        self._lock = threading.Lock()
        self._attempts: dict[str, int] = {}
        self._open_claims: set[int] = set()
        self._last_claim = self._given_up = 0

    def open_claim(self) -> int:
        with self._lock:
            self._last_claim += 1
            self._open_claims.add(self._last_claim)
            return self._last_claim

    def settle_claim(self, claim_no: int, taken: Iterable[Fence], reported: Iterable[Fence] = ()) -> None:
        """Settle a claim that returned these attempts and release the attempts that the same
        call reported."""
        with self._lock:
            self._open_claims.discard(claim_no)
            self._release(reported)
            self._attempts.update(taken)

    def give_up_claim(self, claim_no: int) -> None:
        """Settle a claim without a response: the database may have made it."""
        with self._lock:
            self._open_claims.discard(claim_no)
            self._given_up = max(self._given_up, claim_no)

    def drop(self, fence: Fence) -> None:
        """Release an attempt that is not reported."""
        with self._lock:
            self._release([fence])
            self._given_up = self._last_claim

    def release(self, reported: Iterable[Fence]) -> None:
        """Release reported attempts. A later attempt of the same task may have been claimed since; it stays."""
        with self._lock:
            self._release(reported)

    def _release(self, reported: Iterable[Fence]) -> None:
        for fence in reported:
            task_id, attempt = fence
            if self._attempts.get(task_id) == attempt:
                del self._attempts[task_id]
            if self._ledger is not None:
                self._ledger.leave(fence)

    def snapshot(self) -> HeldSnapshot:
        with self._lock:
            settled = min(self._open_claims, default=self._last_claim + 1) - 1
            return HeldSnapshot(list(self._attempts), list(self._attempts.values()), settled, self._given_up)
