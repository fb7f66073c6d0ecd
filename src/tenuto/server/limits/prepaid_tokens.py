"""Takes rate-limit tokens for an API key in batches, so that most requests need only the query that does their work.

The database still decides: every token comes from its bucket, and the statement that does the work of the request
checks the key again.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tenuto.model.principals import ApiKeyPrincipal
from tenuto.server.settings import RateLimit

VALID_SECONDS = 1.0  # unused tokens are lost after this
MAX_KEYS = 10_000  # maximum number of keys remembered at a time


@dataclass
class Grant:
    """The rest of a batch of tokens."""

    key: ApiKeyPrincipal
    left: int
    size: int
    until: float


class PrepaidTokens:
    """Stores batches under the hash of the whole key, so that a client needs the key itself to use its batch."""

    def __init__(self, *limits: RateLimit, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = max(1, int(min(min(limit.rate, limit.burst) for limit in limits) / 20))
        self._grants: dict[bytes, Grant] = {}
        self._clock = clock

    def take(self, hash: bytes) -> ApiKeyPrincipal | None:
        """Take one token; returns the key's principal, or None when the batch is used up or expired."""
        grant = self._living(hash)
        if grant is None or not grant.left:
            return None
        grant.left -= 1
        return grant.key

    def wanted(self, hash: bytes) -> int:
        """Return how many tokens to request: twice the last batch if it was used in time, else one. Of concurrent
        requests only one takes a batch, because several batches would empty the bucket."""
        grant = self._living(hash)
        if grant is None:
            return 1
        size, grant.size = 2 * grant.size, 0
        return max(1, min(self._most, size))

    def put(self, hash: bytes, key: ApiKeyPrincipal, size: int) -> None:
        """Store a granted batch, less the one token of the current request; adds what is left of the previous batch."""
        left, known = size - 1, size
        if grant := self._living(hash):
            left, known = left + grant.left, max(size, grant.size)
        elif len(self._grants) >= MAX_KEYS:
            self._grants.clear()
        self._grants[hash] = Grant(key, left, known, self._clock() + VALID_SECONDS)

    def _living(self, hash: bytes) -> Grant | None:
        grant = self._grants.get(hash)
        return None if grant is None or self._clock() > grant.until else grant
