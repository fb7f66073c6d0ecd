"""Rate-limits authentication attempts with unknown credentials per client address, because each costs a database query.

The counts are kept in the process, where they cost nothing: with n processes an address has n times the limit. A
credential that was accepted before passes freely, so that other clients behind the same address cannot lock it out.
"""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.requests import Request

from tenuto.model.errors import Unauthorized
from tenuto.server.auth.bearer import TooManyRequests
from tenuto.server.limits.client_network import network_of
from tenuto.server.settings import RateLimit

MAX_ADDRESSES = 10_000  # maximum number of addresses, and of credentials, remembered at a time

T = TypeVar("T")


class AddressLimiter:
    """One token bucket per address, stored as the time at which the bucket is full again."""

    def __init__(self, limit: RateLimit, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace, self._depth = 1 / limit.rate, limit.burst / limit.rate
        self._full_at: dict[str, float] = {}
        self._known: dict[int, None] = {}
        self._clock = clock

    async def admit(self, request: Request, gate: Callable[[], Awaitable[T]]) -> T:
        """Run `gate`, which authenticates the request, and return its principal. An unknown credential costs a token; a
        request without a credential costs none, because it needs no query."""
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
            self._give_back(address)  # a known caller without the permission, or an internal error
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
    """Returns a hash that identifies the credential without revealing it."""
    sent = [value for name, value in request.scope["headers"] if name == b"authorization" or name == b"cookie"]
    return hash(tuple(sent)) if sent else None
