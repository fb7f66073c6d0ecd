"""Keys of another system, of which only bcrypt hashes are known until they are used here for the first time."""

import asyncio
import logging
from typing import Any

import bcrypt
from fastapi import Request

from tenuto.db import audit, keys
from tenuto.db.pool import Pool
from tenuto.db.tenants import transaction_for
from tenuto.model.errors import RateLimited, Unauthorized
from tenuto.model.identity import AdmittedApiKey, ImportedKey
from tenuto.model.keys import foreign_id, foreign_prefixes, key_hash, key_hashes
from tenuto.server.settings import ServerSettings

AT_ONCE = 2  # bcrypt takes a quarter of a second of a core, by design
WAITING = 16  # more than these would wait too long to be worth it
LONGEST = 512  # characters
MOST_COST = 14  # each one more takes twice as long: 14 takes a second
COUNTED = 72  # bytes: bcrypt hashes no more of a key

log = logging.getLogger("tenuto.server")


class Busy(RateLimited):
    """More keys wait to be compared than are worth waiting for."""

    retry_after = 1.0


class Checker:
    """Compares with bcrypt, a few at a time in this process, so that guessing does not keep it from its work."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def find(self, text: str, candidates: list[ImportedKey]) -> ImportedKey | None:
        if self._waiting >= WAITING:
            raise Busy("too many keys of another system are being checked", "try again in a second")
        self._waiting += 1
        try:
            for one in candidates:
                async with self._turns:
                    if await asyncio.to_thread(_matches, text, one):
                        return one
            return None
        finally:
            self._waiting -= 1


def _matches(text: str, candidate: ImportedKey) -> bool:
    if int(candidate.bcrypt[4:6]) > MOST_COST:
        log.warning("imported API key %s is not checked: its bcrypt cost is over %s", candidate.id, MOST_COST)
        return False
    return bcrypt.checkpw(text.encode()[:COUNTED], candidate.bcrypt.encode())


def may_be_foreign(text: str) -> bool:
    """Whether another system could have given it out; ours have a shape and a checksum."""
    return not text.startswith(("tn_", "tnw_")) and len(text) <= LONGEST and text.isascii() and text.isprintable()


async def admit_foreign(
    request: Request, text: str, pool: Pool, settings: ServerSettings, limits: dict[str, Any]
) -> AdmittedApiKey:
    """Whose key it is. One that was used before is known as any other; for another, its hash is replaced now."""
    key_id, hashes = foreign_id(settings.peppers, text), key_hashes(settings.peppers, text)
    request.scope["tenuto.key"] = (key_id, hashes)

    async def admit() -> AdmittedApiKey:
        return await pool.call(keys.admit_api_key, key_id=key_id, hashes=hashes, **limits)

    try:
        return await admit()
    except Unauthorized:
        candidates = await pool.call(keys.find_imported_keys, prefixes=foreign_prefixes(text))
        found = await request.app.state.checker.find(text, candidates)
    if found is not None:
        await _adopt(request, text, pool, settings, found, key_id)
    return await admit()  # none found: another first use of it may have replaced its hash between our two looks


async def _adopt(
    request: Request, text: str, pool: Pool, settings: ServerSettings, found: ImportedKey, key_id: str
) -> None:
    made = {"key_id": key_id, "hash": key_hash(settings.peppers, text), "pepper_version": settings.peppers.version}
    async with transaction_for(pool, found.org_id, timeout=settings.statement_seconds) as conn:
        await keys.adopt_api_key(conn, org_id=found.org_id, id=found.id, **made)
        await audit.write_audit(
            conn, org_id=found.org_id, entity="api_key", entity_id=str(found.id), action="adopt",
            actor_kind="api_key", actor_id=str(found.id), request_id=request.scope["request_id"],
            ip=request.client.host if request.client else None, user_agent=request.headers.get("user-agent"),
        )  # fmt: skip
