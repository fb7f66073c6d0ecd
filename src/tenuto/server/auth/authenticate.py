"""Authenticates requests and checks permissions. One round trip to the database finds the principal and checks its rate
limit."""

from tenuto.db import identity, keys, logins
from tenuto.db.connection.call import Actor, key_actor, user_actor
from tenuto.model.errors import Forbidden, Unauthorized
from tenuto.model.identity import AdmittedApiKey, AdmittedUser
from tenuto.model.keys import API, foreign_id, key_hashes, parse_key, token_hash
from tenuto.model.permissions import expand
from tenuto.model.principals import ApiKeyPrincipal, UserPrincipal
from tenuto.server.auth.cookies import check_page, login_cookie
from tenuto.server.auth.id_tokens import looks_like_token, read_token
from tenuto.server.auth.imported_keys import authenticate_imported, may_be_foreign
from tenuto.server.auth.oidc_issuer import Issuer
from tenuto.server.http.request import HttpRequest
from tenuto.server.limits.rate_limits import TooManyRequests
from tenuto.server.settings import ServerSettings

ANY_PRINCIPAL = "anybody"  # any authenticated caller
ORG = "x-tenuto-org"  # chooses the org, for users of several orgs
KEY_HINT = "send the header `Authorization: Bearer …` with an API key (tn_…) or a token of your login"


async def authenticate(request: HttpRequest, permission: str) -> tuple[ApiKeyPrincipal | UserPrincipal, Actor]:
    """Returns the principal of the request's credential, and the actor, with which the database checks the credential
    again in every call. Raises Unauthorized for an invalid credential; a malformed one is refused without a round trip.
    Raises Forbidden if the principal does not have the permission, and TooManyRequests if it exceeds its rate limit."""
    principal, actor = await _find(request, None if permission == ANY_PRINCIPAL else permission)
    if permission != ANY_PRINCIPAL and permission not in principal.permissions:
        name = (
            f"API key {principal.name!r}" if isinstance(principal, ApiKeyPrincipal) else f"a {principal.platform_role}"
        )
        raise Forbidden(f"{name} has no permission {permission}", "ask an admin of your org for it")
    return principal, actor


async def _find(
    request: HttpRequest, permission: str | None
) -> tuple[ApiKeyPrincipal, Actor] | tuple[UserPrincipal, Actor]:
    _, _, text = request.headers.get("authorization", "").partition(" ")
    if not text.strip() and (cookie := login_cookie(request)):
        return _with_actor(await _user_by_cookie(request, cookie))
    text = request.bearer(KEY_HINT)
    issuer = request.server.issuer
    key = parse_key(text)
    if key is not None and key.kind == API:
        hashes = key_hashes(request.server.settings.peppers, key.text)
        return await _api_key(request, key.key_id, hashes), key_actor(key.key_id, hashes, permission)
    if key is not None:
        raise Unauthorized("this is a worker key (tnw_…), which is valid only for workers at /internal", KEY_HINT)
    if issuer is not None and looks_like_token(text):
        return _with_actor(await _user_by_token(request, issuer, text))
    if may_be_foreign(text):
        peppers = request.server.settings.peppers
        key_id, hashes = foreign_id(peppers, text), key_hashes(peppers, text)
        rates, bursts = _limits(request.server.settings)
        admitted = await authenticate_imported(request, text, key_id, hashes, rates=rates, bursts=bursts)
        return _admitted_key(request, admitted), key_actor(key_id, hashes, permission)
    raise Unauthorized("the credential is not a valid API key or token", KEY_HINT)


def _with_actor(user: UserPrincipal) -> tuple[UserPrincipal, Actor]:
    return user, user_actor(user.org_id, user.id, user.platform_role)


async def _api_key(request: HttpRequest, key_id: str, hashes: list[bytes]) -> ApiKeyPrincipal:
    prepaid, pool = request.server.prepaid_tokens, request.server.pool
    if known := prepaid.take(hashes[0]):
        request.record.principal = (known.kind, known.id)
        return known
    rates, bursts = _limits(request.server.settings)

    async def admit(cost: int) -> AdmittedApiKey:
        return await pool.call(keys.admit_api_key, key_id=key_id, hashes=hashes, rates=rates, bursts=bursts, cost=cost)

    size = prepaid.wanted(hashes[0])
    admitted = await admit(size)
    if not admitted.allowed and size > 1:
        size = 1
        admitted = await admit(size)
    principal = _admitted_key(request, admitted)
    prepaid.put(hashes[0], principal, size)
    return principal


def _admitted_key(request: HttpRequest, admitted: AdmittedApiKey) -> ApiKeyPrincipal:
    request.record.principal = (ApiKeyPrincipal.kind, admitted.id)
    if not admitted.allowed:
        raise TooManyRequests(f"API key {admitted.name!r} or its org", admitted.retry_after)
    granted = frozenset(admitted.permissions)
    return ApiKeyPrincipal(admitted.org_id, admitted.id, admitted.name, granted, expand(granted))


async def _user_by_token(request: HttpRequest, issuer: Issuer, text: str) -> UserPrincipal:
    claims = await read_token(issuer, text, audience=issuer.settings.audience)
    rates, bursts = _limits(request.server.settings)
    admitted = await request.server.pool.call(
        identity.admit_user,
        issuer=issuer.settings.issuer,
        subject=claims.subject,
        org=request.headers.get(ORG),
        rates=rates,
        bursts=bursts,
    )
    return _admitted_user(request, admitted)


async def _user_by_cookie(request: HttpRequest, cookie: str) -> UserPrincipal:
    settings = request.server.settings
    check_page(request, settings, cookie)
    rates, bursts = _limits(settings)
    admitted = await request.server.pool.call(logins.admit_login, hash=token_hash(cookie), rates=rates, bursts=bursts)
    return _admitted_user(request, admitted)


def _admitted_user(request: HttpRequest, admitted: AdmittedUser) -> UserPrincipal:
    request.record.principal = (UserPrincipal.kind, admitted.user_id)
    if not admitted.allowed:
        raise TooManyRequests(f"user {admitted.user_id} or the org", admitted.retry_after)
    return UserPrincipal(admitted.org_id, admitted.user_id, admitted.platform_role, tuple(admitted.roles))


def _limits(settings: ServerSettings) -> tuple[list[float], list[float]]:
    """Returns the rates and bursts of a caller and its org; users and API keys have the same limits."""
    both = (settings.key_limit, settings.org_limit)
    return [float(limit.rate) for limit in both], [float(limit.burst) for limit in both]
