"""Authenticates API keys that were imported from another system. Until the first use of such a key here, the database
has only its bcrypt hash."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import bcrypt

from tenuto.db import audit, keys
from tenuto.db.connection.pool import transaction_for
from tenuto.model.errors import RateLimited, Unauthorized
from tenuto.model.identity import AdmittedApiKey, ImportedKey
from tenuto.model.keys import MAX_BCRYPT_COST, foreign_prefixes, key_hash
from tenuto.server.http.request import HttpRequest
from tenuto.server.limits.client_network import network_of
from tenuto.server.settings import RateLimit

MAX_CONCURRENT_CHECKS = 2  # a bcrypt check takes a quarter of a second of CPU time, by design
MAX_WAITING_CHECKS = 64  # per process; with more, the wait would be too long
WAITING_PER_ADDRESS = 8
SECONDS = 4.0  # per request; the next request with the same key continues the check
BUDGET = RateLimit(0.25, 10.0)  # CPU seconds per address: 0.25 per second, up to 10 at once after a pause
REMEMBERED = 10_000  # maximum number of addresses, and of keys that are checked over several requests
MAX_KEY_CHARS = 512
BCRYPT_BYTES = 72  # bcrypt ignores the bytes after the first 72

log = logging.getLogger("tenuto.server")

NextPage = Callable[[UUID | None], Awaitable[list[ImportedKey]]]


class Busy(RateLimited):
    """Too many keys are waiting to be checked."""

    def __init__(self, message: str, hint: str, retry_after: float = 1.0) -> None:
        super().__init__(message, hint)
        self.retry_after = retry_after


class BcryptChecker:
    """Compares a key with all imported keys of the same prefix. Each process makes at most two comparisons at a time,
    for clients with different addresses. Each address has a budget of CPU seconds, so that a client that guesses keys
    does not block others. If the check of a key takes several requests, each request continues where the previous one
    stopped."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, seconds: float = SECONDS) -> None:
        self._turns = asyncio.Semaphore(MAX_CONCURRENT_CHECKS)
        self._waiting: Counter[str] = Counter()
        self._turn_of: dict[str, asyncio.Lock] = {}  # by address, while one of its keys waits
        self._full_at: dict[str, float] = {}  # when the budget of an address is full again
        self._stopped_at: dict[int, UUID] = {}  # by hash(text): the last imported key that this text was compared with
        self._clock, self._seconds = clock, seconds

    async def find(self, text: str, address: str, next_page: NextPage) -> ImportedKey | None:
        if self._waiting[address] >= WAITING_PER_ADDRESS or self._waiting.total() >= MAX_WAITING_CHECKS:
            raise Busy("too many imported keys are being checked at once", "try again in a second")
        self._waiting[address] += 1
        try:
            return await self._compare(text, address, next_page)
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address], self._turn_of[address]

    async def _compare(self, text: str, address: str, next_page: NextPage) -> ImportedKey | None:
        key, until, spent = hash(text), self._clock() + self._seconds, 0.0
        before = self._stopped_at.pop(key, None)
        own_turn = self._turn_of.setdefault(address, asyncio.Lock())
        while page := await next_page(before):
            for candidate in page:
                async with own_turn:  # the budget check then sees what earlier checks of this address spent
                    wait = self._wait_for(address)
                    if wait > 0 or (spent and self._clock() > until):
                        _remember(self._stopped_at, key, before)
                        message = "checking this imported key took too long, because many keys have the same prefix"
                        raise Busy(message, "send the same request again", max(1.0, wait))
                    async with self._turns:
                        matches, took = await asyncio.to_thread(_compare_one, text, candidate)
                    spent += took
                    self._charge_address(address, took)
                if matches:
                    self._charge_address(address, -spent)  # a valid key uses up no budget
                    return candidate
                before = candidate.id
        return None

    def _wait_for(self, address: str) -> float:
        """Returns the seconds until the address may check a key again."""
        return (self._full_at.get(address, 0.0) - self._clock()) - BUDGET.burst / BUDGET.rate

    def _charge_address(self, address: str, seconds: float) -> None:
        full_at = max(self._full_at.get(address, 0.0), self._clock()) + seconds / BUDGET.rate
        _remember(self._full_at, address, full_at)


def _remember(where: dict[Any, Any], key: object, value: object) -> None:
    if len(where) >= REMEMBERED:
        where.clear()
    if value is not None:
        where[key] = value


def _compare_one(text: str, candidate: ImportedKey) -> tuple[bool, float]:
    """Returns whether the key matches the hash, and the CPU seconds used. The time spent waiting for a CPU is not
    counted, so that a busy machine does not use up the client's budget."""
    began = time.thread_time()
    matches = _matches(text, candidate)
    return matches, time.thread_time() - began


def _matches(text: str, candidate: ImportedKey) -> bool:
    if int(candidate.bcrypt[4:6]) > MAX_BCRYPT_COST:
        log.warning("imported API key %s is not checked: its bcrypt cost is over %s", candidate.id, MAX_BCRYPT_COST)
        return False
    return bcrypt.checkpw(text.encode()[:BCRYPT_BYTES], candidate.bcrypt.encode())


def may_be_foreign(text: str) -> bool:
    """Returns whether another system may have issued the key; keys of Tenuto have a fixed shape and a checksum."""
    return not text.startswith(("tn_", "tnw_")) and len(text) <= MAX_KEY_CHARS and text.isascii() and text.isprintable()


async def authenticate_imported(
    request: HttpRequest, text: str, key_id: str, hashes: list[bytes], *, rates: list[float], bursts: list[float]
) -> AdmittedApiKey:
    """Authenticates an imported key. On its first use, its bcrypt hash is replaced by the kind of hash that other API
    keys have. From then on it is found like any other key. Raises Unauthorized if no imported key matches."""
    pool = request.server.pool

    async def admit() -> AdmittedApiKey:
        return await pool.call(keys.admit_api_key, key_id=key_id, hashes=hashes, rates=rates, bursts=bursts)

    try:
        return await admit()
    except Unauthorized:
        prefixes = foreign_prefixes(text)
        address = network_of(request.client.host) if request.client else ""
        imported = await request.server.bcrypt_checker.find(
            text, address, lambda before: pool.call(keys.find_imported_keys, prefixes=prefixes, before=before)
        )
    if imported is not None:
        await _adopt(request, text, imported, key_id)
    return await admit()  # if none matched, a concurrent first use may have replaced the hash between the two queries


async def _adopt(request: HttpRequest, text: str, imported: ImportedKey, key_id: str) -> None:
    settings, origin = request.server.settings, request.origin()
    async with transaction_for(request.server.pool, imported.org_id, timeout=settings.statement_seconds) as conn:
        await keys.adopt_api_key(
            conn,
            org_id=imported.org_id,
            id=imported.id,
            key_id=key_id,
            hash=key_hash(settings.peppers, text),
            pepper_version=settings.peppers.version,
        )
        await audit.write_audit(
            conn,
            org_id=imported.org_id,
            entity="api_key",
            entity_id=str(imported.id),
            action="adopt",
            actor_kind="api_key",
            actor_id=str(imported.id),
            ip=origin.ip,
            user_agent=origin.user_agent,
            request_id=origin.request_id,
        )
