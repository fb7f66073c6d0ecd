"""Login cookies, and the CSRF check that a change comes from the dashboard itself."""

import hmac
from base64 import urlsafe_b64encode
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from tenuto.model.errors import Forbidden
from tenuto.server.settings import ServerSettings

# Browsers accept a cookie with the prefix __Host- only if it is Secure, is valid for this exact host and has the path
# /. They treat http://127.0.0.1 as secure.
LOGIN = "__Host-tenuto"
BEGUN = "__Host-tenuto-begun"
SAFE = ("GET", "HEAD", "OPTIONS")
CSRF_HEADER = "X-CSRF-Token"


def login_cookie(request: Request) -> str | None:
    return request.cookies.get(LOGIN)


def set_cookie(response: Response, name: str, value: str, *, seconds: int) -> None:
    response.set_cookie(name, value, max_age=seconds, path="/", secure=True, httponly=True, samesite="lax")


def drop_cookie(response: Response, name: str) -> None:
    response.delete_cookie(name, path="/", secure=True, httponly=True, samesite="lax")


def csrf_token(cookie: str) -> str:
    """Returns the token that the dashboard sends with each change. It is derived from the cookie, which other sites
    cannot read."""
    return urlsafe_b64encode(hmac.digest(cookie.encode(), b"tenuto csrf", "sha256")).rstrip(b"=").decode()


def check_page(request: Request, settings: ServerSettings, cookie: str) -> None:
    """Raises Forbidden for a change that a page of another site sent. The browser may add the cookie to such a request
    too."""
    if request.method in SAFE:
        return
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site not in (None, "same-origin") or not _is_ours(origin, request, settings):
        raise Forbidden(
            f"the request comes from a page of {origin or 'another site'}", "use the dashboard of this server"
        )
    sent = request.headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(sent.encode(), csrf_token(cookie).encode()):
        raise Forbidden(
            f"the header {CSRF_HEADER} is missing or wrong",
            "send the csrf_token of GET /auth/me, or an API key instead",
        )


def _is_ours(origin: str | None, request: Request, settings: ServerSettings) -> bool:
    if origin is None:
        return True
    if settings.public_url is not None:
        return _origin(origin) == _origin(settings.public_url)
    return urlsplit(origin).netloc == request.headers.get("host", "")


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
