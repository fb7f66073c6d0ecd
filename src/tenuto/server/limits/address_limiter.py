"""Strangers: how often one address may try credentials that nobody here knows, each of which asks the database.

Kept in the process, where it costs nothing: with many processes an address may try so much more often, and nothing else
follows from it. A credential that was good before passes freely, so that who shares their address keeps nobody out.
"""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from fastapi import Request

from tenuto.model.errors import Unauthorized
from tenuto.server.auth.bearer import TooManyRequests
from tenuto.server.limits.client_network import network_of
from tenuto.server.settings import RateLimit

MAX_ADDRESSES = 10_000  # addresses, and credentials, remembered at a time

T = TypeVar("T")


class AddressLimiter:
    """A token bucket an address, as the moment at which it is full again."""

    def __init__(self, limit: RateLimit, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._pace, self._depth = 1 / limit.rate, limit.burst / limit.rate
        self._full_at: dict[str, float] = {}
        self._known: dict[int, None] = {}
        self._clock = clock

    async def admit(self, request: Request, gate: Callable[[], Awaitable[T]]) -> T:
        """Whom the gate lets in. What it does not know costs a token; a request without a credential asks nobody."""
        credential = _credential(request)
        if credential is None or credential in self._known:
            try:
                return await gate()
            except Unauthorized:
                self._known.pop(credential or 0, None)
                raise
        address = self.take_token(request)
        try:
            found = await gate()
        except Unauthorized:
            raise
        except BaseException:
            self._give_back(address)  # who is known and may not, or a mistake of ours
            raise
        self._give_back(address)
        if len(self._known) >= MAX_ADDRESSES:
            self._known.clear()
        self._known[credential] = None
        return found

    def take_token(self, request: Request) -> str:
        """Take one token of where the request comes from."""
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
    """What tells one from another, and tells nobody anything."""
    sent = [value for name, value in request.scope["headers"] if name == b"authorization" or name == b"cookie"]
    return hash(tuple(sent)) if sent else None
