"""Requests that keys were granted ahead, so that most of them ask the database once, with what they want of it.

A busy key takes its tokens by the handful. Nothing is decided here: the bucket in the database has paid for every
request that is let through, and the statement that does its work checks the key again.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tenuto.model.principals import ApiKeyPrincipal
from tenuto.server.settings import RateLimit

VALID_SECONDS = 1.0  # seconds: what is not used by then is lost
MAX_KEYS = 10_000  # keys remembered at a time


@dataclass
class Grant:
    """What is left of a handful."""

    key: ApiKeyPrincipal
    left: int
    size: int
    until: float


class PrepaidTokens:
    """By the hash of the whole key: only who has the key itself finds its grant."""

    def __init__(self, *limits: RateLimit, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = max(1, int(min(min(one.rate, one.burst) for one in limits) / 20))
        self._grants: dict[bytes, Grant] = {}
        self._clock = clock

    def take(self, hash: bytes) -> ApiKeyPrincipal | None:
        """The key, if it may ask once more without asking for more."""
        grant = self._living(hash)
        if grant is None or not grant.left:
            return None
        grant.left -= 1
        return grant.key

    def wanted(self, hash: bytes) -> int:
        """How many to ask for: twice as many as last time if those were used in time, else one. Of many who ask at
        once one takes a handful: theirs together would empty the bucket."""
        grant = self._living(hash)
        if grant is None:
            return 1
        size, grant.size = 2 * grant.size, 0
        return max(1, min(self._most, size))

    def put(self, hash: bytes, key: ApiKeyPrincipal, size: int) -> None:
        """So many were granted, one of them for the request that asked; what others left stays."""
        left, known = size - 1, size
        if grant := self._living(hash):
            left, known = left + grant.left, max(size, grant.size)
        elif len(self._grants) >= MAX_KEYS:
            self._grants.clear()
        self._grants[hash] = Grant(key, left, known, self._clock() + VALID_SECONDS)

    def _living(self, hash: bytes) -> Grant | None:
        grant = self._grants.get(hash)
        return None if grant is None or self._clock() > grant.until else grant
