"""Keys of another system, of which only bcrypt hashes are known until they are used here for the first time."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, cast
from uuid import UUID

import bcrypt
from fastapi import Request

from tenuto.db import audit, keys
from tenuto.db.connection.org_transactions import transaction_for
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.errors import RateLimited, Unauthorized
from tenuto.model.identity import AdmittedApiKey, ImportedKey
from tenuto.model.keys import foreign_id, foreign_prefixes, key_hash, key_hashes
from tenuto.server.limits.client_network import network_of
from tenuto.server.settings import RateLimit, ServerSettings

MAX_CONCURRENT_CHECKS = 2  # bcrypt takes a quarter of a second of a core, by design
MAX_WAITING_CHECKS = 64  # in all; more than these would wait too long to be worth it
WAITING_PER_ADDRESS = 8
SECONDS = 4.0  # of one request; it goes on with the next one of the same key
BUDGET = RateLimit(0.25, 10.0)  # seconds of bcrypt for an address: a quarter of a core, and ten seconds after a pause
REMEMBERED = 10_000  # addresses, and keys that are compared in several requests
MAX_KEY_CHARS = 512  # characters
MAX_BCRYPT_COST = 14  # each one more takes twice as long: 14 takes a second
BCRYPT_BYTES = 72  # bytes: bcrypt hashes no more of a key

log = logging.getLogger("tenuto.server")

NextPage = Callable[[UUID | None], Awaitable[list[ImportedKey]]]


class Busy(RateLimited):
    """More keys wait to be compared than are worth waiting for."""

    def __init__(self, message: str, hint: str, retry_after: float = 1.0) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class BcryptChecker:
    """Compares a key with all that begin like it, two at a time in this process. An address has a budget of seconds, so
    that guessing keeps nobody else from it; a key that needs more requests than one goes on where it stopped."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, seconds: float = SECONDS) -> None:
        self._turns = asyncio.Semaphore(MAX_CONCURRENT_CHECKS)
        self._waiting: Counter[str] = Counter()
        self._full_at: dict[str, float] = {}  # when the budget of an address is full again
        self._stopped_at: dict[int, UUID] = {}  # the last one that a key was compared with
        self._clock, self._seconds = clock, seconds

    async def find(self, text: str, address: str, next_page: NextPage) -> ImportedKey | None:
        if self._waiting[address] >= WAITING_PER_ADDRESS or self._waiting.total() >= MAX_WAITING_CHECKS:
            raise Busy("too many keys of another system are being checked", "try again in a second")
        self._waiting[address] += 1
        try:
            return await self._compare(text, address, next_page)
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    async def _compare(self, text: str, address: str, next_page: NextPage) -> ImportedKey | None:
        key, until, spent = hash(text), self._clock() + self._seconds, 0.0
        before = self._stopped_at.pop(key, None)
        while page := await next_page(before):
            for one in page:
                wait = self._wait_for(address)
                if wait > 0 or (spent and self._clock() > until):
                    _remember(self._stopped_at, key, before)
                    said = "the key is compared with many that begin like it, and this took its time"
                    raise Busy(said, "send the same request again", max(1.0, wait))
                async with self._turns:
                    began = self._clock()
                    matches = await asyncio.to_thread(_matches, text, one)
                    took = self._clock() - began
                spent += took
                self._spend(address, took)
                if matches:
                    self._spend(address, -spent)  # a good key costs nothing
                    return one
                before = one.id
        return None

    def _wait_for(self, address: str) -> float:
        """Seconds until the address may have something compared again."""
        return (self._full_at.get(address, 0.0) - self._clock()) - BUDGET.burst / BUDGET.rate

    def _spend(self, address: str, seconds: float) -> None:
        full_at = max(self._full_at.get(address, 0.0), self._clock()) + seconds / BUDGET.rate
        _remember(self._full_at, address, full_at)


def _remember(where: dict[Any, Any], key: object, value: object) -> None:
    if len(where) >= REMEMBERED:
        where.clear()
    if value is not None:
        where[key] = value


def _matches(text: str, candidate: ImportedKey) -> bool:
    if int(candidate.bcrypt[4:6]) > MAX_BCRYPT_COST:
        log.warning("imported API key %s is not checked: its bcrypt cost is over %s", candidate.id, MAX_BCRYPT_COST)
        return False
    return bcrypt.checkpw(text.encode()[:BCRYPT_BYTES], candidate.bcrypt.encode())


def may_be_foreign(text: str) -> bool:
    """Whether another system could have given it out; ours have a shape and a checksum."""
    return not text.startswith(("tn_", "tnw_")) and len(text) <= MAX_KEY_CHARS and text.isascii() and text.isprintable()


async def authenticate_imported(
    request: Request, text: str, pool: ConnectionPool, settings: ServerSettings, limits: dict[str, Any]
) -> AdmittedApiKey:
    """Whose key it is. One that was used before is known as any other; for another, its hash is replaced now."""
    key_id, hashes = foreign_id(settings.peppers, text), key_hashes(settings.peppers, text)
    request.scope["tenuto.key"] = (key_id, hashes)

    async def admit() -> AdmittedApiKey:
        return await pool.call(keys.admit_api_key, key_id=key_id, hashes=hashes, **limits)

    try:
        return await admit()
    except Unauthorized:
        prefixes, checker = foreign_prefixes(text), cast("BcryptChecker", request.app.state.checker)
        address = network_of(request.client.host) if request.client else ""
        found = await checker.find(
            text, address, lambda before: pool.call(keys.find_imported_keys, prefixes=prefixes, before=before)
        )
    if found is not None:
        await _adopt(request, text, pool, settings, found, key_id)
    return await admit()  # none found: another first use of it may have replaced its hash between our two looks


async def _adopt(
    request: Request, text: str, pool: ConnectionPool, settings: ServerSettings, found: ImportedKey, key_id: str
) -> None:
    made = {"key_id": key_id, "hash": key_hash(settings.peppers, text), "pepper_version": settings.peppers.version}
    async with transaction_for(pool, found.org_id, timeout=settings.statement_seconds) as conn:
        await keys.adopt_api_key(conn, org_id=found.org_id, id=found.id, **made)
        await audit.write_audit(
            conn, org_id=found.org_id, entity="api_key", entity_id=str(found.id), action="adopt",
            actor_kind="api_key", actor_id=str(found.id), request_id=request.scope["request_id"],
            ip=request.client.host if request.client else None, user_agent=request.headers.get("user-agent"),
        )  # fmt: skip
