"""Authenticates requests and checks permissions: one round trip for the principal and its rate limit."""

from typing import Any

from fastapi import Request

from tenuto.db import identity, keys, logins
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.errors import Forbidden, Unauthorized
from tenuto.model.identity import AdmittedApiKey, AdmittedUser
from tenuto.model.keys import API, Key, key_hashes, parse_key, token_hash
from tenuto.model.principals import ApiKeyPrincipal, UserPrincipal
from tenuto.server.auth.bearer import TooManyRequests, bearer, remember_principal
from tenuto.server.auth.cookies import check_page, login_cookie
from tenuto.server.auth.id_tokens import looks_like_token, read_token
from tenuto.server.auth.imported_keys import authenticate_imported, may_be_foreign
from tenuto.server.auth.oidc_issuer import Issuer
from tenuto.server.limits.prepaid_tokens import PrepaidTokens
from tenuto.server.settings import ServerSettings

ANY_PRINCIPAL = "anybody"  # any authenticated caller
ORG = "x-tenuto-org"  # chooses the org, for users of several orgs
KEY_HINT = "send the header `Authorization: Bearer …` with an API key (tn_…) or a token of your login"


async def authenticate(
    request: Request, permission: str, pool: ConnectionPool, settings: ServerSettings
) -> ApiKeyPrincipal | UserPrincipal:
    """Returns the principal of the request's credential, if it has the permission. A malformed credential costs no
    round trip."""
    principal = await _find(request, pool, settings)
    if permission != ANY_PRINCIPAL and not principal.may(permission):
        name = (
            f"API key {principal.name!r}" if isinstance(principal, ApiKeyPrincipal) else f"a {principal.platform_role}"
        )
        raise Forbidden(f"{name} has no permission {permission}", "ask an admin of your org for it")
    return principal


async def _find(request: Request, pool: ConnectionPool, settings: ServerSettings) -> ApiKeyPrincipal | UserPrincipal:
    _, _, text = request.headers.get("authorization", "").partition(" ")
    if not text.strip() and (cookie := login_cookie(request)):
        return await _user_by_cookie(request, cookie, pool, settings)
    text = bearer(request, KEY_HINT)
    issuer: Issuer | None = request.app.state.issuer
    key = parse_key(text)
    if key is not None and key.kind == API:
        return await _api_key(key, request, pool, settings)
    if key is not None:
        raise Unauthorized("this is a worker key (tnw_…), which lets in workers at /internal alone", KEY_HINT)
    if issuer is not None and looks_like_token(text):
        return await _user_by_token(issuer, text, pool, settings, request)
    if may_be_foreign(text):
        return _key_of(request, await authenticate_imported(request, text, pool, settings, limits(settings)))
    raise Unauthorized("the credential is not an API key or token, or was mistyped", KEY_HINT)


async def _api_key(key: Key, request: Request, pool: ConnectionPool, settings: ServerSettings) -> ApiKeyPrincipal:
    hashes = key_hashes(settings.peppers, key.text)
    request.scope["tenuto.key"] = (key.key_id, hashes)
    allowances: PrepaidTokens = request.app.state.allowances
    if known := allowances.take(hashes[0]):
        remember_principal(request, known.kind, known.id)
        return known
    params = {"key_id": key.key_id, "hashes": hashes, **limits(settings)}
    size = allowances.wanted(hashes[0])
    admitted = await pool.call(keys.admit_api_key, **params, cost=size)
    if not admitted.allowed and size > 1:
        size = 1
        admitted = await pool.call(keys.admit_api_key, **params, cost=size)
    principal = _key_of(request, admitted)
    allowances.put(hashes[0], principal, size)
    return principal


def _key_of(request: Request, admitted: AdmittedApiKey) -> ApiKeyPrincipal:
    remember_principal(request, ApiKeyPrincipal.kind, admitted.id)
    if not admitted.allowed:
        raise TooManyRequests(f"API key {admitted.name!r} or its org", admitted.retry_after)
    return ApiKeyPrincipal(admitted.org_id, admitted.id, admitted.name, frozenset(admitted.permissions))


async def _user_by_token(
    issuer: Issuer, text: str, pool: ConnectionPool, settings: ServerSettings, request: Request
) -> UserPrincipal:
    claims = await read_token(issuer, text, audience=issuer.settings.audience)
    params: dict[str, Any] = {"issuer": issuer.settings.issuer, "subject": claims.subject, **limits(settings)}
    return user_of(request, await pool.call(identity.admit_user, **params, org=request.headers.get(ORG)))


async def _user_by_cookie(
    request: Request, cookie: str, pool: ConnectionPool, settings: ServerSettings
) -> UserPrincipal:
    check_page(request, settings, cookie)
    return user_of(request, await pool.call(logins.admit_login, hash=token_hash(cookie), **limits(settings)))


def user_of(request: Request, admitted: AdmittedUser) -> UserPrincipal:
    remember_principal(request, UserPrincipal.kind, admitted.user_id)
    if not admitted.allowed:
        raise TooManyRequests(f"user {admitted.user_id} or their org", admitted.retry_after)
    return UserPrincipal(admitted.org_id, admitted.user_id, admitted.platform_role, tuple(admitted.roles))


def limits(settings: ServerSettings) -> dict[str, list[float]]:
    """Returns the rate limits of a caller and its org; users and API keys have the same limits."""
    both = (settings.key_limit, settings.org_limit)
    return {"rates": [float(limit.rate) for limit in both], "bursts": [float(limit.burst) for limit in both]}
