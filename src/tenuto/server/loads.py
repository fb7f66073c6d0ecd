"""How much of one org's bodies a process holds at a time: a large one becomes ten times as much when it is read."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from tenuto.model.errors import RateLimited
from tenuto.server.json_body import LARGE, BoundedRequest


class TooMuch(RateLimited):
    """An org sends as much at once as one may."""

    retry_after = 1.0


class Loads:
    """Bytes of large bodies that are on their way or being worked on, by org. Small ones are not counted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: Counter[UUID] = Counter()

    @contextmanager
    def hold(self, request: BoundedRequest, org_id: UUID) -> Iterator[None]:
        size = announced(request)
        if size <= LARGE:
            yield
            return
        if self._held[org_id] + size > self._most:
            most = f"{self._most // 1024 // 1024} MB"
            raise TooMuch(f"your org sends more than {most} at once here", "ask again in 1 s, or send less at a time")
        self._held[org_id] += size
        try:
            yield
        finally:
            self._held[org_id] -= size
            if not self._held[org_id]:
                del self._held[org_id]


def announced(request: BoundedRequest) -> int:
    """How many bytes a body has; one that does not say may have as many as its route takes."""
    length = request.headers.get("content-length", "")
    if length.isdigit():
        return min(int(length), request.most_bytes)
    return request.most_bytes if "transfer-encoding" in request.headers else 0
