"""Tracks the attempts that this process holds, from the response to their claim to the response to their report."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass

Fence = tuple[str, int]  # task, attempt


@dataclass(frozen=True)
class HeldSnapshot:
    """The content of a heartbeat: the attempts held; every claim up to `settled` has got a response or was given up."""

    ids: list[str]
    attempts: list[int]
    settled: int


class HeldAttempts:
    """Shared by claimer threads and the heartbeat. The attempts of a claim are added in the same step that settles
    it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._attempts: dict[str, int] = {}
        self._open_claims: set[int] = set()
        self._last_claim = 0

    def open_claim(self) -> int:
        with self._lock:
            self._last_claim += 1
            self._open_claims.add(self._last_claim)
            return self._last_claim

    def settle_claim(self, claim_no: int, taken: Iterable[Fence], reported: Iterable[Fence] = ()) -> None:
        """Settle a claim that returned these attempts (none if it was given up) and release the attempts that the same
        call reported."""
        with self._lock:
            self._open_claims.discard(claim_no)
            self._release(reported)
            self._attempts.update(taken)

    def release(self, reported: Iterable[Fence]) -> None:
        """Release reported attempts. A later attempt of the same task may have been claimed since; it stays."""
        with self._lock:
            self._release(reported)

    def _release(self, reported: Iterable[Fence]) -> None:
        for task_id, attempt in reported:
            if self._attempts.get(task_id) == attempt:
                del self._attempts[task_id]

    def snapshot(self) -> HeldSnapshot:
        with self._lock:
            settled = min(self._open_claims, default=self._last_claim + 1) - 1
            return HeldSnapshot(list(self._attempts), list(self._attempts.values()), settled)
