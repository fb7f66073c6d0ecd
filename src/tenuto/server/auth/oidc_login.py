"""Logs users in by OIDC (authorization code with PKCE). The state of a pending login is kept in a signed cookie."""

import hmac
import json
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import cast
from urllib.parse import urlencode

import httpx2
from pydantic import TypeAdapter

from tenuto.model.errors import Conflict, Unauthorized
from tenuto.model.keys import Peppers, make_token
from tenuto.server.auth.id_tokens import Claims, read_token
from tenuto.server.auth.oidc_issuer import Issuer, IssuerUnavailable, read_json

LOGIN_TIMEOUT_SECONDS = 600  # the time that a user has to log in at the issuer
RETRY_HINT = "start again at /auth/login"
HOME = "/ui/"  # the page after logging in: the dashboard


@dataclass(frozen=True)
class PendingLogin:
    """A pending login: its secrets, the page to open afterwards, the org, and when it expires."""

    state: str
    nonce: str
    verifier: str
    next: str
    org: str | None
    until: float


def begin(next: str | None, org: str | None) -> PendingLogin:
    state, nonce, verifier = make_token(), make_token(), secrets.token_urlsafe(64)
    return PendingLogin(state, nonce, verifier, local_path(next), org, time.time() + LOGIN_TIMEOUT_SECONDS)


def local_path(next: str | None) -> str:
    """Returns the path if it is a local page, else HOME: a login must not redirect to another site."""
    fine = next and next.startswith("/") and next[1:2] not in ("/", "\\") and next.isprintable() and next.isascii()
    return next if next and fine else HOME


def seal(begun: PendingLogin, peppers: Peppers) -> str:
    body = urlsafe_b64encode(json.dumps(asdict(begun)).encode()).decode()
    return f"{body}.{_signature(body, peppers.values[0])}"


def unseal(text: str, peppers: Peppers, state: str) -> PendingLogin:
    """Returns the pending login of a cookie. Raises Conflict if the signature is not valid, the login has expired, or
    the issuer's response has the state of another login."""
    body, _, tag = text.partition(".")
    if not any(hmac.compare_digest(tag.encode(), _signature(body, pepper).encode()) for pepper in peppers.values):
        raise Conflict("no login was started in this browser", RETRY_HINT)
    begun = TypeAdapter(PendingLogin).validate_json(urlsafe_b64decode(body))
    if begun.until < time.time():
        raise Conflict("the login took too long", RETRY_HINT)
    if not hmac.compare_digest(begun.state.encode(), state.encode()):
        raise Conflict("the response belongs to another login than the one started in this browser", RETRY_HINT)
    return begun


async def login_page(issuer: Issuer, begun: PendingLogin, callback: str) -> str:
    """Returns the URL of the issuer's login page."""
    challenge = urlsafe_b64encode(sha256(begun.verifier.encode()).digest()).rstrip(b"=").decode()
    params = {
        "response_type": "code",
        "client_id": client_id(issuer),
        "redirect_uri": callback,
        "scope": "openid email profile",
        "state": begun.state,
        "nonce": begun.nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    page = await issuer.endpoint("authorization_endpoint")
    return f"{page}{'&' if '?' in page else '?'}{urlencode(params)}"


async def finish(issuer: Issuer, begun: PendingLogin, code: str, callback: str) -> Claims:
    """Exchanges the code for an ID token, verifies the token and returns its claims. Raises Unauthorized if the token
    is not valid for this login, and IssuerUnavailable if the issuer does not respond."""
    settings, client = issuer.settings, client_id(issuer)
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": callback, "code_verifier": begun.verifier}
    secret = settings.client_secret
    auth = None if secret is None else httpx2.BasicAuth(client, secret)
    try:
        response = await read_json(
            issuer.http,
            "POST",
            await issuer.endpoint("token_endpoint"),
            data={**form, "client_id": client} if auth is None else form,
            auth=auth,
        )
    except httpx2.HTTPError as error:
        raise IssuerUnavailable(f"the token endpoint does not respond: {error}") from error
    token = response.get("id_token")
    if not isinstance(token, str):
        raise Unauthorized("the issuer returned no id_token", RETRY_HINT)
    claims = await read_token(issuer, token, audience=client)
    if not hmac.compare_digest(str(claims.fields.get("nonce")).encode(), begun.nonce.encode()):
        raise Unauthorized("the token belongs to another login than the one started in this browser", RETRY_HINT)
    audience: str | list[str] = claims.fields["aud"]
    if isinstance(audience, list) and len(audience) > 1 and claims.fields.get("azp") != client:
        raise Unauthorized("the token was issued for another client", RETRY_HINT)
    return claims


def login_issuer(issuer: Issuer | None) -> Issuer:
    """Returns the issuer; raises Conflict unless the server is configured for logins."""
    client_id(issuer)
    return cast("Issuer", issuer)


def client_id(issuer: Issuer | None) -> str:
    if issuer is None or issuer.settings.client_id is None:
        raise Conflict(
            "login with OIDC is not configured on this server",
            "start `tenuto server` with --oidc-issuer, --oidc-client-id and --public-url",
        )
    return issuer.settings.client_id


def _signature(body: str, pepper: bytes) -> str:
    return hmac.digest(pepper, b"tenuto login:" + body.encode(), "sha256").hex()
