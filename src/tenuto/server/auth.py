"""Who is asking, and whether they may: one round trip for the key and its rate limit together."""

from fastapi import Request

from tenuto.db import keys
from tenuto.db.pool import Pool
from tenuto.model.errors import Forbidden, RateLimited, Unauthorized
from tenuto.model.keys import API, key_hashes, parse_key
from tenuto.model.principals import ApiKey
from tenuto.server.settings import ServerSettings

SAY_KEY = "send the header `Authorization: Bearer tn_…` with an API key"


class TooSoon(RateLimited):
    """More was asked than the key or its org may."""

    def __init__(self, name: str, retry_after: float) -> None:
        super().__init__(f"API key {name!r} or its org asks too often", f"ask again in {retry_after:.3f} s")
        self.retry_after = retry_after


async def admit(request: Request, permission: str, pool: Pool, settings: ServerSettings) -> ApiKey:
    """The principal of the request's key, which has the permission; what cannot be a key costs no round trip."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if not text:
        raise Unauthorized("no credential was sent", SAY_KEY)
    key = parse_key(text.strip()) if scheme.lower() == "bearer" else None
    if key is None or key.kind != API:
        raise Unauthorized("the credential is not an API key, or was mistyped", SAY_KEY)
    limits = (settings.key_limit, settings.org_limit)
    found = await pool.call(
        keys.admit_api_key,
        key_id=key.key_id,
        hashes=key_hashes(settings.peppers, key.text),
        rates=[float(limit.rate) for limit in limits],
        bursts=[float(limit.burst) for limit in limits],
    )
    if not found.allowed:
        raise TooSoon(found.name, found.retry_after)
    principal = ApiKey(found.org_id, found.id, found.name, frozenset(found.permissions))
    if not principal.may(permission):
        raise Forbidden(f"API key {found.name!r} has no permission {permission}", "ask an admin for a key that has it")
    return principal
