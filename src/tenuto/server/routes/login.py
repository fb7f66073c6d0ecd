"""Login and logout of browsers. Users log in by OIDC, or with a link that works once."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import RedirectResponse, Response

from tenuto.db import audit, identity, logins
from tenuto.db.connection.pool import transaction_for
from tenuto.model.errors import Unauthorized
from tenuto.model.keys import make_token, token_hash
from tenuto.model.principals import ApiKeyPrincipal
from tenuto.model.statuses import PlatformRole, PrincipalKind
from tenuto.server.auth import cookies, oidc_login
from tenuto.server.auth.authenticate import ANY_PRINCIPAL
from tenuto.server.auth.id_tokens import Claims
from tenuto.server.auth.oidc_issuer import IssuerUnavailable
from tenuto.server.http.request import HttpRequest
from tenuto.server.http.route_table import PUBLIC, RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("login")
LASTS = timedelta(hours=12)

Text = Annotated[str | None, Field(max_length=4096)]
Slug = Annotated[str | None, Field(min_length=1, max_length=63)]


@dataclass(frozen=True)
class OidcUser:
    """A user, with the claims of the issuer's token."""

    issuer: str
    claims: Claims


class MeResponse(ResponseModel):
    """The caller. A client that authenticates with a cookie sends `csrf_token` as the header X-CSRF-Token with every
    write."""

    kind: PrincipalKind
    id: UUID
    org_id: UUID
    name: str | None
    platform_role: PlatformRole | None
    roles: list[str]
    permissions: list[str]
    csrf_token: str | None


@ROUTES.add(
    "GET", "/auth/login", permission=PUBLIC, refuses=(409, 422, 429), status=303, response_class=RedirectResponse
)
async def begin_login(request: HttpRequest, next: Text = None, org: Slug = None) -> Response:
    """Log in at the OIDC issuer. `next` is the page to return to; `org` is the slug of the org, for users of several
    orgs."""
    issuer = oidc_login.login_issuer(request.server.issuer)
    begun = oidc_login.begin(next, org)
    response = RedirectResponse(await oidc_login.login_page(issuer, begun, _callback(request)), 303)
    sealed = oidc_login.seal(begun, request.server.settings.peppers)
    cookies.set_cookie(response, cookies.BEGUN, sealed, seconds=oidc_login.LOGIN_TIMEOUT_SECONDS)
    return response


@ROUTES.add(
    "GET",
    "/auth/callback",
    permission=PUBLIC,
    refuses=(401, 409, 422, 429),
    status=303,
    response_class=RedirectResponse,
)
async def finish_login(request: HttpRequest, code: Text = None, state: Text = None, error: Text = None) -> Response:
    """Finish a login: the OIDC issuer redirects the browser here."""
    issuer = oidc_login.login_issuer(request.server.issuer)
    begun = oidc_login.unseal(request.cookies.get(cookies.BEGUN, ""), request.server.settings.peppers, state or "")
    if not code:
        raise Unauthorized(f"the issuer refused the login: {error or 'no reason given'}", oidc_login.RETRY_HINT)
    try:
        claims = await oidc_login.finish(issuer, begun, code, _callback(request))
    except IssuerUnavailable as away:
        raise Unauthorized("the issuer rejected the code or does not respond", oidc_login.RETRY_HINT) from away
    found = await request.server.pool.call(
        identity.find_user, issuer=issuer.settings.issuer, subject=claims.subject, org=begun.org
    )
    response = RedirectResponse(begun.next, 303)
    await _log_in(request, response, found.org_id, found.user_id, "oidc", OidcUser(issuer.settings.issuer, claims))
    cookies.drop_cookie(response, cookies.BEGUN)
    return response


@ROUTES.add(
    "GET", "/auth/link", permission=PUBLIC, refuses=(401, 422, 429), status=303, response_class=RedirectResponse
)
async def follow_link(request: HttpRequest, token: Annotated[str, Field(min_length=1, max_length=256)]) -> Response:
    """Log in with a link that `tenuto up` or an admin created. A link works once."""
    guest = await request.server.pool.call(logins.use_login_token, hash=token_hash(token))
    response = RedirectResponse(oidc_login.HOME, 303)
    await _log_in(request, response, guest.org_id, guest.user_id, "link")
    return response


@ROUTES.add("POST", "/auth/logout", permission=PUBLIC, refuses=(403, 429), response=None, status=204)
async def log_out(request: HttpRequest) -> Response:
    """Log out: the cookie is invalid from now on. Logging out twice is allowed."""
    response = Response(None, 204)
    if cookie := cookies.login_cookie(request):
        cookies.check_page(request, request.server.settings, cookie)
        await request.server.pool.call(logins.close_login, hash=token_hash(cookie))
        cookies.drop_cookie(response, cookies.LOGIN)
    return response


@ROUTES.add("GET", "/auth/me", permission=ANY_PRINCIPAL, response=MeResponse)
async def get_me(request: ApiRequest) -> object:
    """Get the caller and its permissions."""
    await request.check()
    who, cookie = request.principal, cookies.login_cookie(request.http)
    by_cookie = cookie if "authorization" not in request.http.headers else None
    person = (
        {"name": who.name} if isinstance(who, ApiKeyPrincipal) else {"name": None, "platform_role": who.platform_role}
    )
    return {
        "kind": who.kind, "id": who.id, "org_id": who.org_id, "platform_role": None, **person,
        "roles": [] if isinstance(who, ApiKeyPrincipal) else list(who.roles),
        "permissions": sorted(who.granted),
        "csrf_token": cookies.csrf_token(by_cookie) if by_cookie else None,
    }  # fmt: skip


async def _log_in(
    request: HttpRequest, response: Response, org_id: UUID, user_id: UUID, way: str, known: OidcUser | None = None
) -> None:
    """Sets a new cookie for the user and writes an audit entry; the old cookie becomes invalid."""
    pool, settings = request.server.pool, request.server.settings
    cookie, old = make_token(), cookies.login_cookie(request)
    origin = request.origin()
    async with transaction_for(pool, org_id, timeout=settings.statement_seconds) as conn:
        if known is not None:
            await identity.put_user(
                conn,
                org_id=org_id,
                issuer=known.issuer,
                subject=known.claims.subject,
                email=known.claims.text("email", 320),
                name=known.claims.text("name", 256),
            )
        await logins.open_login(
            conn,
            org_id=org_id,
            user_id=user_id,
            hash=token_hash(cookie),
            lasts=LASTS,
            ip=origin.ip,
            user_agent=origin.user_agent,
        )
        await audit.write_audit(
            conn,
            org_id=org_id,
            entity="user",
            entity_id=str(user_id),
            action="login",
            actor_kind="user",
            actor_id=str(user_id),
            changes={"way": {"new": way}},
            ip=origin.ip,
            user_agent=origin.user_agent,
            request_id=origin.request_id,
        )
    if old is not None:
        await pool.call(logins.close_login, hash=token_hash(old))
    cookies.set_cookie(response, cookies.LOGIN, cookie, seconds=int(LASTS.total_seconds()))


def _callback(request: HttpRequest) -> str:
    return f"{(request.server.settings.public_url or str(request.base_url)).rstrip('/')}/auth/callback"
