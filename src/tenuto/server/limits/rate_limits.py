"""Rate limits that a process keeps in memory: limits of client addresses, and tokens of API keys that were taken from
the database in advance.

Each authentication attempt with an unknown credential costs a database query, so AddressLimiter limits such attempts
per client address. With n processes an address has n times the limit. A credential that was accepted before is not
limited, so that other clients with the same address cannot lock out the client that has this credential.

PrepaidTokens takes rate-limit tokens for an API key in batches, so that most requests make only the query that does
their work. The database still decides: every token comes from its bucket, and the statement that does the work of the
request checks the key again.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from starlette.requests import Request

from tenuto.model.errors import RateLimited, Unauthorized
from tenuto.model.principals import ApiKeyPrincipal
from tenuto.server.limits.client_network import network_of
from tenuto.server.settings import RateLimit

MAX_ADDRESSES = 10_000  # maximum number of addresses, and of credentials, remembered at a time
VALID_SECONDS = 1.0  # unused tokens of an API key are lost after this time
MAX_KEYS = 10_000  # maximum number of keys remembered at a time

T = TypeVar("T")


class TooManyRequests(RateLimited):
    """The caller is over its rate limit."""

    def __init__(self, who: str, retry_after: float) -> None:
        super().__init__(f"{who} has sent too many requests", f"try again in {retry_after:.3f} s")
        self.retry_after = retry_after


class AddressLimiter:
    """One token bucket per address, stored as the time at which the bucket is full again."""

    def __init__(self, limit: RateLimit, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace, self._depth = 1 / limit.rate, limit.burst / limit.rate
        self._full_at: dict[str, float] = {}
        self._known: dict[int, None] = {}
        self._clock = clock

    async def admit(self, request: Request, gate: Callable[[], Awaitable[T]]) -> T:
        """Runs `gate`, which authenticates the request, and returns its result. If `gate` refuses an unknown
        credential, that costs a token of the client's address. If the address has no token left, raises
        TooManyRequests. A request without a credential costs none, because it needs no query."""
        credential = _credential(request)
        if credential is None or credential in self._known:
            try:
                return await gate()
            except Unauthorized:
                self._known.pop(credential or 0, None)
                raise
        address = self.take_token(request)
        try:
            principal = await gate()
        except Unauthorized:
            raise
        except BaseException:
            self._give_back(address)  # the credential is valid but lacks the permission, or there was an internal error
            raise
        self._give_back(address)
        if len(self._known) >= MAX_ADDRESSES:
            self._known.clear()
        self._known[credential] = None
        return principal

    def take_token(self, request: Request) -> str:
        """Take one token from the bucket of the request's address, or raise TooManyRequests."""
        address, now = network_of(request.client.host if request.client else ""), self._clock()
        full_at = max(self._full_at.get(address, 0), now) + self._pace
        if (wait := full_at - now - self._depth) > 0:
            raise TooManyRequests(f"address {address}", wait)
        if len(self._full_at) >= MAX_ADDRESSES:
            self._full_at.clear()
        self._full_at[address] = full_at
        return address

    def _give_back(self, address: str) -> None:
        if address in self._full_at:
            self._full_at[address] -= self._pace


def _credential(request: Request) -> int | None:
    """Returns a hash that identifies the credential without revealing it, or None if the request has no credential."""
    sent = [value for name, value in request.scope["headers"] if name == b"authorization" or name == b"cookie"]
    return hash(tuple(sent)) if sent else None


@dataclass
class Grant:
    """A batch of tokens: `left` of its `size` are unused, and they are valid until `until`."""

    key: ApiKeyPrincipal
    left: int
    size: int
    until: float


class PrepaidTokens:
    """Stores batches of rate-limit tokens that were taken in advance. A batch is stored under the hash of the whole API
    key, so that a client needs the key itself to use its batch."""

    def __init__(self, *limits: RateLimit, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = max(1, int(min(min(limit.rate, limit.burst) for limit in limits) / 20))
        self._grants: dict[bytes, Grant] = {}
        self._clock = clock

    def take(self, hash: bytes) -> ApiKeyPrincipal | None:
        """Take one token; returns the key's principal, or None when the batch is used up or expired."""
        grant = self._valid_grant(hash)
        if grant is None or not grant.left:
            return None
        grant.left -= 1
        return grant.key

    def wanted(self, hash: bytes) -> int:
        """Returns how many tokens to request: twice the size of the last batch, up to a maximum, if the batch was used
        up before it expired; else one. Of several concurrent requests only the first requests a batch, because several
        batches would empty the bucket. The others request one token."""
        grant = self._valid_grant(hash)
        if grant is None:
            return 1
        size, grant.size = 2 * grant.size, 0
        return max(1, min(self._most, size))

    def put(self, hash: bytes, key: ApiKeyPrincipal, size: int) -> None:
        """Stores a granted batch without the one token of the current request. Adds the tokens that are left of the
        previous batch."""
        left, known = size - 1, size
        if grant := self._valid_grant(hash):
            left, known = left + grant.left, max(size, grant.size)
        elif len(self._grants) >= MAX_KEYS:
            self._grants.clear()
        self._grants[hash] = Grant(key, left, known, self._clock() + VALID_SECONDS)

    def _valid_grant(self, hash: bytes) -> Grant | None:
        grant = self._grants.get(hash)
        return None if grant is None or self._clock() > grant.until else grant
